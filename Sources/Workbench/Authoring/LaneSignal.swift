// SPDX-License-Identifier: Apache-2.0

/// A signal of a document as pictures need it: its extremes in short bins, and the samples of a stretch.
struct LaneSignal: Sendable {
  /// How many frames a bin has.
  static let binFrames = 32

  let rate: Double
  let unit: String
  private(set) var count = 0
  private(set) var lowest: [Float] = []
  private(set) var highest: [Float] = []
  /// The stretch whose samples are kept.
  let kept: Range<Int>
  private(set) var samples: [Float] = []

  init(rate: Double, unit: String, keeping kept: Range<Int>) {
    self.rate = rate
    self.unit = unit
    self.kept = kept
  }

  /// Whether any picture can be made of it: all samples are kept.
  var isWhole: Bool { kept.lowerBound == 0 && samples.count == count }

  var bytes: Int { 4 * (lowest.count + highest.count + samples.count) }

  mutating func append(_ sample: Float) {
    if count % Self.binFrames == 0 {
      lowest.append(sample)
      highest.append(sample)
    } else {
      let last = lowest.count - 1
      if sample < lowest[last] { lowest[last] = sample }
      if sample > highest[last] { highest[last] = sample }
    }
    if kept.contains(count) { samples.append(sample) }
    count += 1
  }

  /// Drops the samples where there are too many to keep.
  func withoutSamples(above most: Int) -> LaneSignal {
    guard samples.count > most else { return self }
    var short = self
    short.samples = []
    return short
  }

  /// Whether bins of a range can be made of what is here.
  func covers(_ range: Range<Int>, columns: Int) -> Bool {
    let inside = range.clamped(to: 0..<count)
    return inside.isEmpty || range.count / max(1, columns) >= Self.binFrames
      || (kept.lowerBound <= inside.lowerBound
        && kept.lowerBound + samples.count >= inside.upperBound)
  }

  /// The bins of a range; what lies behind the end is zero.
  func bins(_ range: Range<Int>, columns: Int, name: String) -> WaveBins {
    let inside = range.clamped(to: 0..<count)
    let hasSamples =
      kept.lowerBound <= inside.lowerBound
      && kept.lowerBound + samples.count >= inside.upperBound
    var bins: WaveBins
    if hasSamples {
      bins = WaveBins(rate: rate, range: range, columns: columns, names: [name], units: [unit])
      for frame in inside {
        bins.add(samples[frame - kept.lowerBound], channel: 0, frame: frame)
      }
    } else {
      // Whole bins of ours into each bin of theirs.
      let own = Self.binFrames
      let first = range.lowerBound / own * own
      let width = ((range.upperBound - first + columns - 1) / columns + own - 1) / own * own
      bins = WaveBins(
        rate: rate, range: first..<range.upperBound, framesPerBin: max(own, width), names: [name],
        units: [unit])
      for bin in (first / own)..<min(lowest.count, (range.upperBound + own - 1) / own) {
        bins.add(lowest[bin], channel: 0, frame: bin * own)
        bins.add(highest[bin], channel: 0, frame: bin * own)
      }
    }
    var frame = max(bins.range.lowerBound, count)
    while frame < bins.range.upperBound {
      bins.add(0, channel: 0, frame: frame)
      frame += bins.framesPerBin
    }
    return bins
  }
}
