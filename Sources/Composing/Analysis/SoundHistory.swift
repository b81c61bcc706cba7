// SPDX-License-Identifier: Apache-2.0

/// The last second of a sound: its samples, and what its hops hold.
///
/// Places count from the beginning of the sound; what lies before it is silence.
struct SoundHistory {
  let rate: Double
  private var samples: [Float]
  private var hops: [Hop]
  /// How many samples there are so far.
  private(set) var count = 0
  private(set) var hopCount = 0

  init(rate: Double) {
    self.rate = rate
    var length = 1
    while Double(length) < rate { length *= 2 }
    samples = [Float](repeating: 0, count: length)
    hops = [Hop](repeating: Hop(), count: 512)
  }

  mutating func append(_ hop: Hop, _ own: Span<Float>) {
    for index in own.indices { samples[(count + index) & (samples.count - 1)] = own[index] }
    count += own.count
    hops[hopCount & (hops.count - 1)] = hop
    hopCount += 1
  }

  func sample(_ place: Int) -> Float {
    place >= 0 && place < count && place >= count - samples.count
      ? samples[place & (samples.count - 1)] : 0
  }

  func hop(_ place: Int) -> Hop {
    place >= 0 && place < hopCount && place >= hopCount - hops.count
      ? hops[place & (hops.count - 1)] : Hop()
  }
}
