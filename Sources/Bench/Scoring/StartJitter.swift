public import Acceptance
import SignalAnalysis
public import Units

/// How the electrical delay scatters: within a stream, from start to start, from opening to opening.
///
/// Every take starts its streams anew; the devices are closed and opened anew as often as the plan says.
/// All of it follows from the takes' readings and their accounts.
public struct StartJitter: Sendable {
  /// One take's electrical delay.
  private struct Start {
    let delay: Double
    /// The standard uncertainty of the delay.
    let uncertainty: Double
    /// The opening of the devices.
    let opening: Int
    /// The drift, and the seconds between the markers that it was read over.
    let drift: (ppm: Double, span: Double)?
  }

  private let starts: [Start]

  /// Gathers what takes told of their delays.
  ///
  /// - Parameters:
  ///   - patterns: The accounts of the takes, with their markers and openings.
  ///   - readings: The readings of the same takes.
  ///   - rate: The drive's rate, in which markers are placed.
  public init(_ patterns: [RunRecord.Pattern], _ readings: [Reading], rate: SampleRate) {
    let delays = Self.values(.latencyElectrical, readings) { $0.value }
    let doubts = Self.values(.latencyElectrical, readings) { $0.uncertainty }
    let drifts = Self.values(.drift, readings) { $0.value }
    starts = patterns.flatMap { pattern in
      pattern.takes.compactMap { take in
        let key = Key(pattern: pattern.name, take: take.number)
        guard let delay = delays[key] else { return nil }
        let markers = take.markers ?? []
        let span = markers.count == 2 ? rate.seconds(Double(markers[1] - markers[0])) : 0
        return Start(
          delay: delay, uncertainty: doubts[key] ?? 0, opening: take.opening ?? 1,
          drift: span > 0 ? drifts[key].map { ($0, span) } : nil)
      }
    }
  }

  private struct Key: Hashable {
    let pattern: String
    let take: Int
  }

  private static func values(
    _ kind: ReadingKind, _ readings: [Reading], _ number: (Reading) -> Double?
  ) -> [Key: Double] {
    var values: [Key: Double] = [:]
    for reading in readings where reading.name.kind == kind {
      guard let pattern = reading.pattern, let take = reading.take, let value = number(reading)
      else {
        continue
      }
      values[Key(pattern: pattern, take: take)] = value
    }
    return values
  }

  /// The readings of the run that tell streams and openings apart, each measured or with the reason why
  /// not.
  public var apart: [Reading] { [withinStreams, fromOpeningToOpening] }

  /// The standard deviation of all delays, the noise of the estimates taken off.
  public var fromStartToStart: Reading {
    let delays = starts.map(\.delay)
    guard delays.count >= 3 else {
      return Reading(
        notMeasured: .latencyJitter,
        because: "\(delays.count) takes have an electrical delay, and a spread needs three")
    }
    let noise = starts.reduce(0) { $0 + $1.uncertainty * $1.uncertainty } / Double(starts.count)
    return Self.spread(.latencyJitter, delays, noise: noise)
  }

  /// The standard deviation of the openings' means.
  private var fromOpeningToOpening: Reading {
    let openings = Dictionary(grouping: starts, by: \.opening).sorted { $0.key < $1.key }
    guard openings.count >= 3 else {
      return Reading(
        notMeasured: .latencyJitterRestarts,
        because: "opened \(["never", "once", "twice"][openings.count]); a spread needs three "
          + "('restarts: 2' in the plan)")
    }
    return Self.spread(
      .latencyJitterRestarts,
      openings.map { $0.value.reduce(0) { $0 + $1.delay } / Double($0.value.count) })
  }

  /// The standard deviation of a marker's delay within a stream.
  ///
  /// A take's drift d over T seconds between its markers is off the run's common drift D by
  /// e = (d - D) T, which is the difference of two delays: s^2 = sum e^2 / (2 (n - 1)). D is the mean of
  /// the drifts by the weight T^2, which makes sum e^2 least.
  private var withinStreams: Reading {
    let drifts = starts.compactMap(\.drift)
    guard drifts.count >= 3 else {
      return Reading(
        notMeasured: .latencyJitterStream,
        because: "\(drifts.count) takes have a drift between two markers, and a spread needs three")
    }
    let weight = drifts.reduce(0) { $0 + $1.span * $1.span }
    let common = drifts.reduce(0) { $0 + $1.ppm * $1.span * $1.span } / weight
    let errors = drifts.map { 1e-6 * ($0.ppm - common) * $0.span }
    let freedom = Double(drifts.count - 1)
    let deviation = (errors.reduce(0) { $0 + $1 * $1 } / (2 * freedom)).squareRoot()
    return Reading(
      .latencyJitterStream, value: deviation,
      uncertainty: deviation * Statistics.spreadUncertainty(count: drifts.count),
      count: drifts.count)
  }

  /// The standard deviation of values about their mean; their median deviation stands in the note.
  ///
  /// `noise` is the variance that the values have of their own and that is no spread of theirs.
  private static func spread(
    _ kind: ReadingKind, _ values: [Double], noise: Double = 0
  ) -> Reading {
    let deviation = Statistics.moments(values).sigma
    let middle = Statistics.median(values)
    let median = Statistics.median(values.map { abs($0 - middle) })
    return Reading(
      kind, value: max(0, deviation * deviation - noise).squareRoot(),
      uncertainty: Statistics.spreadUncertainty(count: values.count)
        * max(deviation, noise.squareRoot()),
      count: values.count,
      note: "median absolute deviation \(EngineeringFormat.text(median, .second))")
  }
}
