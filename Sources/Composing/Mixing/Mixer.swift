// SPDX-License-Identifier: Apache-2.0

/// Makes one channel of several: a mean in which every second channel has three quarters of the weight.
///
/// Two channels that are each other's opposite so leave a remainder, 17 dB below, and do not vanish; what is on
/// one side alone differs by 2.5 dB, about what is just noticed. Loudness is that of this mix, so that neither
/// matters to a whole sound.
///
/// Samples that are no finite number count as zero, and are counted.
struct Mixer {
  let channelCount: Int
  /// How many samples were no finite number.
  private(set) var faultCount = 0
  private let weights: [Float]

  init(channelCount: Int) {
    precondition(channelCount >= 1, "a sound of \(channelCount) channels")
    self.channelCount = channelCount
    let shares: [Float] = (0..<channelCount).map { $0.isMultiple(of: 2) ? 1 : 0.75 }
    let sum = shares.reduce(0, +)
    weights = shares.map { $0 / sum }
  }

  /// Mixes interleaved samples of whole frames; larger values than 16 times full scale count as that.
  mutating func mix(_ block: Span<Float>) -> [Float] {
    let width = channelCount
    precondition(
      block.count.isMultiple(of: width),
      "\(block.count) samples are no whole frames of \(width) channels")
    let frames = block.count / width
    var faults = 0
    let mixed = [Float](unsafeUninitializedCapacity: frames) { mixed, count in
      for frame in 0..<frames {
        var sum: Float = 0
        for channel in 0..<width {
          let sample = block[frame * width + channel]
          if sample.isFinite {
            sum += weights[channel] * max(-16, min(16, sample))
          } else {
            faults += 1
          }
        }
        mixed[frame] = sum
      }
      count = frames
    }
    faultCount += faults
    return mixed
  }
}
