import Devices
import SignalAnalysis
import Units

/// The delay from what was asked to the response, by their envelopes alone: for a drive that makes tones
/// of its own, and whose frames nothing carries to the capture.
///
/// It holds the rise of the actuator, and is good for laying windows, not for timing.
enum EnvelopeDelay {
  /// The steps that are tried, in seconds.
  static let step = 1e-3
  /// Envelopes that are less alike than this are not those of one pattern.
  private static let likeness = 0.6
  /// What both envelopes are averaged over, in steps: a period of the lowest tone.
  private static let width = 12

  /// The number of steps that an envelope has over so many seconds.
  static func count(of seconds: Double) -> Int { Int((seconds / step).rounded(.up)) }

  /// Looks for the delay in seconds, from 0 to the longest that is looked for.
  ///
  /// - Parameters:
  ///   - asked: What is asked for at each step from the pattern's start.
  ///   - samples: The response.
  ///   - offset: What it shows at rest.
  ///   - pattern: The frame of the pattern's start.
  ///   - rate: Frames a second.
  /// - Returns: The delay; `nil` where the response does not follow.
  static func find(
    asked: [Double], in samples: Samples, offset: Double, pattern: Int, rate: SampleRate
  ) -> Double? {
    let longest = Int(TakeLayout.longestDelay / step)
    let frames = step * rate.hertz
    let whole = Int(Double(samples.count - pattern) / frames)
    var reader = SampleReader(samples)
    let powers = (0..<max(0, min(whole, asked.count + longest))).map { column in
      let first = pattern + Int(Double(column) * frames)
      let last = pattern + Int(Double(column + 1) * frames)
      return reader.read(first..<last).reduce(0) { sum, sample in
        sum + (Double(sample) - offset) * (Double(sample) - offset)
      } / Double(last - first)
    }
    let measured = Smoothing.mean(powers, width: width).map { $0.squareRoot() }
    let wanted = Smoothing.mean(asked.map { $0 * $0 / 2 }, width: width).map { $0.squareRoot() }
    var best: (lag: Int, likeness: Double)?
    for lag in 0...longest where lag + wanted.count <= measured.count {
      guard
        let likeness = Correlation.pearson(
          wanted.span, measured.span.extracting(lag..<(lag + wanted.count))),
        likeness > best?.likeness ?? Self.likeness
      else { continue }
      best = (lag, likeness)
    }
    return best.map { Double($0.lag) * step }
  }
}

/// Averages over neighbours.
enum Smoothing {
  /// The mean about each value, over at most `width` of them.
  static func mean(_ values: [Double], width: Int) -> [Double] {
    var sums: [Double] = [0]
    sums.reserveCapacity(values.count + 1)
    for value in values { sums.append((sums.last ?? 0) + value) }
    return values.indices.map { index in
      let first = max(0, index - width / 2)
      let last = min(values.count, index + width - width / 2)
      return (sums[last] - sums[first]) / Double(last - first)
    }
  }
}
