// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import Units

/// By how much the rises of one signal's level come after those of another's.
///
/// Two signals that share no wave, as a sound and the vibration that follows it, share their rises: whenever the one
/// grows, so does the other, later. What is correlated is how fast the mean of the magnitude grows, where it
/// grows; smoothed by a window that is symmetric, so that it moves neither. Falls are left out: what follows a
/// sound is let fall slowly.
public struct RiseDelay: Sendable, Equatable {
  /// The delay in seconds, and its standard uncertainty.
  public let delay: Estimate
  /// The correlation coefficient of the rises at that delay.
  public let correlation: Double

  /// Why there is none.
  public enum Failure: Error, Equatable, CustomStringConvertible {
    /// Nothing rises in one of the signals.
    case isSteady
    /// The rises of the two have too little in common, or are alike at many delays.
    case isUnclear(correlation: Double)

    /// What is wrong, in a sentence.
    public var description: String {
      switch self {
      case .isSteady: "nothing rises: the sound is silent, or steady"
      case .isUnclear(let correlation):
        "the rises have too little in common: they correlate by \((correlation * 100).rounded() / 100)"
      }
    }
  }

  /// How long the window is that magnitudes are smoothed by, in seconds: longer than half a period of the
  /// lowest vibration.
  private static let window = 0.02
  /// The least correlation that says something.
  private static let leastCorrelation = 0.5
  /// How many parts of the signals are left out in turn to find how sure a delay is.
  private static let parts = 8
  /// How many values a second the rises are kept at.
  private static let pace = 8000.0

  /// The same delay, so many seconds later.
  public init(_ other: RiseDelay, later seconds: Double) {
    delay = Estimate(other.delay.value + seconds, uncertainty: other.delay.uncertainty)
    correlation = other.correlation
  }

  private init(delay: Estimate, correlation: Double) {
    (self.delay, self.correlation) = (delay, correlation)
  }

  /// Finds the delay of `second` after `first`, both from the same instant on.
  ///
  /// `range` are the delays in seconds that are looked at. Takes some ten transforms of 8,000 values a second.
  public static func find(
    of second: [Float], after first: [Float], rate: SampleRate, in range: ClosedRange<Double>
  ) throws(Failure) -> RiseDelay {
    let stride = max(1, Int(rate.hertz / pace))
    let early = rises(of: first, rate: rate, stride: stride)
    let late = rises(of: second, rate: rate, stride: stride)
    let step = rate.seconds(Double(stride))
    let lowest = Int((range.lowerBound / step).rounded(.down))
    let lags = lowest...Int((range.upperBound / step).rounded(.up))
    // Each part of the first signal is held against all of the second.
    let length = max(1, early.count / parts)
    let owns = (0..<parts).map { part in
      ((part * length)..<(part == parts - 1 ? early.count : (part + 1) * length))
        .clamped(to: early.indices)
    }
    let sums = products(early, late, owns, lags)
    let energies = owns.map { $0.reduce(0) { $0 + early[$1] * early[$1] } }
    let energy = energies.reduce(0, +)
    let other = late.reduce(0) { $0 + $1 * $1 }
    guard energy > 0, other > 0 else { throw .isSteady }
    let whole = total(sums, without: nil)
    guard let place = peak(whole) else { throw .isUnclear(correlation: 0) }
    let largest = whole.max() ?? 0
    let correlation = largest / (energy * other).squareRoot()
    guard correlation >= leastCorrelation else { throw .isUnclear(correlation: correlation) }
    // The jackknife: parts in which nothing rises say nothing.
    let places = (0..<parts).filter { energies[$0] > 1e-3 * energy }.compactMap { part in
      peak(total(sums, without: part))
    }
    let mean = places.reduce(0, +) / Double(max(1, places.count))
    let count = Double(places.count)
    let scatter = places.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let uncertainty = count > 1 ? ((count - 1) / count * scatter).squareRoot() : .infinity
    return RiseDelay(
      delay: Estimate(
        (Double(lags.lowerBound) + place) * step, uncertainty: uncertainty * step),
      correlation: correlation)
  }

  /// How much a signal's level grows from value to value, at every `stride`th sample.
  static func rises(of samples: [Float], rate: SampleRate, stride: Int) -> [Double] {
    // Three means of a third of the window: a bell without a sine.
    let third = max(1, rate.wholeFrames(window / 3) | 1)
    // What stands still, as gravity does in an accelerometer, is no level.
    let mean = samples.reduce(0) { $0 + Double($1) } / Double(max(1, samples.count))
    var level = samples.map { abs(Double($0) - mean) }
    for _ in 0..<3 { level = meaned(level, over: third) }
    let kept = Swift.stride(from: 0, to: level.count, by: stride).map { level[$0] }
    guard kept.count > 1 else { return [] }
    return (1..<kept.count).map { max(0, kept[$0] - kept[$0 - 1]) }
  }

  /// The mean over an odd number of samples around each; what lies outside is taken as the nearest inside, so that
  /// an edge is no rise.
  private static func meaned(_ values: [Double], over length: Int) -> [Double] {
    guard let first = values.first, let last = values.last else { return [] }
    let half = length / 2
    var sum = first * Double(half)
    for index in 0...half { sum += index < values.count ? values[index] : last }
    var means = [Double](repeating: 0, count: values.count)
    for index in values.indices {
      means[index] = sum / Double(length)
      sum += index + half + 1 < values.count ? values[index + half + 1] : last
      sum -= index - half >= 0 ? values[index - half] : first
    }
    return means
  }

  /// The sums of the products of each part of the one with the other, by the delay of the other.
  private static func products(
    _ early: [Double], _ late: [Double], _ parts: [Range<Int>], _ lags: ClosedRange<Int>
  ) -> [[Double]] {
    // Room for the longest delay either way, so that nothing comes round.
    let reach = max(lags.upperBound, -lags.lowerBound) + 1
    let size = FourierTransform.fastLength(atLeast: max(early.count, late.count) + reach)
    var transform = FourierTransform(length: size)
    let other = transform.forward(late.span)
    return parts.map { part in
      var own = [Double](repeating: 0, count: part.upperBound)
      for place in part { own[place] = early[place] }
      let spectrum = transform.forward(own.span)
      let sums = transform.inverse(zip(spectrum, other).map { $0.conjugate * $1 })
      return lags.map { sums[$0 < 0 ? size + $0 : $0] }
    }
  }

  private static func total(_ sums: [[Double]], without part: Int?) -> [Double] {
    var total = [Double](repeating: 0, count: sums[0].count)
    for (index, sum) in sums.enumerated() where index != part {
      for place in sum.indices { total[place] += sum[place] }
    }
    return total
  }

  /// The place of the largest value, between its neighbours by a parabola; nil at an edge.
  private static func peak(_ values: [Double]) -> Double? {
    guard let place = values.indices.max(by: { values[$0] < values[$1] }), place > 0,
      place < values.count - 1, values[place] > 0
    else { return nil }
    let (before, own, after) = (values[place - 1], values[place], values[place + 1])
    let bend = before - 2 * own + after
    return Double(place) + (bend < 0 ? 0.5 * (before - after) / bend : 0)
  }
}
