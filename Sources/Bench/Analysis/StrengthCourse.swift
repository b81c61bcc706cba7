// SPDX-License-Identifier: Apache-2.0

import Devices
import SignalAnalysis
import Units

/// The strength of a response over time on the drive's clock, at 1 kHz: the power of a band, averaged over 8 ms, the
/// noise taken off.
struct StrengthCourse {
  static let rate = 1_000.0
  /// What a power is averaged over, in seconds.
  static let width = 0.008
  static let felt = 12.0...1_000.0
  /// Seconds that are filtered in one go, and the room that the filter needs to be itself.
  private static let chunk = (length: 4.0, room: 0.35)

  let first: Int
  let step: Double
  /// The peak acceleration, zero where the noise is not passed.
  let amplitudes: [Double]
  /// The peak acceleration that is told from the noise.
  let least: Double
  /// The standard deviation of the noise of an amplitude that stands well above it.
  let noise: Double

  /// Reads a capture over drive frames, the noise from the quiet ones before the probe; with a
  /// resonance it is the strength of what drives the response.
  init(
    _ samples: Samples, offset: Double, over frames: Range<Int>, rate: SampleRate, quiet: Int,
    band: ClosedRange<Double> = Self.felt, undoing resonance: Resonance? = nil,
    delay: (Double) -> Double
  ) {
    func powers(_ centres: [Double]) -> [Double] {
      Self.powers(
        samples, offset: offset, rate: rate, half: Self.width / 2 * rate.hertz, centres: centres
      ) { Envelope.hilbert($0, rate: rate, band: band, undoing: resonance) }
    }
    first = frames.lowerBound
    step = rate.hertz / Self.rate
    let count = max(0, Int(Double(frames.count) / step))
    let calm = powers(
      stride(from: 0.15 * Double(quiet), to: 0.85 * Double(quiet), by: step / 2).map { $0 })
    let floor = calm.isEmpty ? 0 : calm.reduce(0, +) / Double(calm.count)
    let spread =
      calm.isEmpty
      ? 0
      : (calm.reduce(0) { $0 + ($1 - floor) * ($1 - floor) } / Double(calm.count)).squareRoot()
    let (start, step) = (Double(frames.lowerBound), step)
    let found = powers(
      (0..<count).map { index in
        let frame = start + Double(index) * step
        return frame + delay(frame)
      })
    let threshold = 3 * spread
    amplitudes = found.map { $0 - floor > threshold ? ($0 - floor).squareRoot() : 0 }
    least = max(threshold, 1e-300).squareRoot()
    noise = floor > 0 ? spread / (2 * floor).squareRoot() : 0
  }

  private static func powers(
    _ samples: Samples, offset: Double, rate: SampleRate, half: Double, centres: [Double],
    crest: ([Float]) -> [Double]
  ) -> [Double] {
    let (length, room) = (rate.wholeFrames(chunk.length), rate.wholeFrames(chunk.room))
    var values: [Double] = []
    values.reserveCapacity(centres.count)
    var sums: [Double] = []
    var (begin, end) = (0, 0)
    for centre in centres {
      let (from, to) = (Int((centre - half).rounded()), Int((centre + half).rounded()))
      guard from >= 0, to <= samples.count, to > from else {
        values.append(0)
        continue
      }
      if sums.isEmpty || from < begin || to > end {
        begin = from
        end = min(samples.count, max(to, from + length))
        let wide = max(0, begin - room)..<min(samples.count, end + room)
        let crest = crest(samples[wide].map { $0 - Float(offset) })
        sums = crest[(begin - wide.lowerBound)..<(end - wide.lowerBound)].lazy.map { $0 * $0 }
          .runningSums()
      }
      values.append((sums[to - begin] - sums[from - begin]) / Double(to - from))
    }
    return values
  }
}
