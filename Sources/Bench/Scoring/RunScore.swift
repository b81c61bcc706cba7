package import Acceptance
import Devices
import SignalAnalysis
package import Units

/// The readings of a whole run: those of its takes, then what only all of them tell.
enum RunScore {
  /// The readings of the device under test: of the takes, their scatter from start to start, xruns by the
  /// hour, harmony by the pattern.
  static func whole(
    _ patterns: [RunRecord.Pattern], _ takes: [Reading], rate: SampleRate
  ) -> [Reading] {
    let jitter = StartJitter(patterns, takes, rate: rate)
    let rates = xruns(takes, rate: rate).map { [$0] } ?? []
    return takes + [jitter.fromStartToStart] + jitter.apart + rates + harmonies(takes)
  }

  /// The readings of the control: of its takes, and their scatter where it was measured often enough.
  static func control(
    _ patterns: [RunRecord.Pattern], _ takes: [Reading], rate: SampleRate
  ) -> [Reading] {
    // Whoever measures the control twice does not ask for its scatter.
    let jitter = StartJitter(patterns, takes, rate: rate)
    return takes
      + ([jitter.fromStartToStart] + jitter.apart).filter { $0.value != nil }.map(\.ofControl)
  }

  /// How many xruns an hour the run is still compatible with.
  private static func xruns(_ readings: [Reading], rate: SampleRate) -> Reading? {
    let takes = readings.filter { $0.name == ReadingName(.xruns) && $0.value != nil }
    let hours = Double(takes.reduce(0) { $0 + ($1.count ?? 0) }) / rate.hertz / 3600
    guard hours > 0 else { return nil }
    let count = Int(takes.reduce(0) { $0 + ($1.value ?? 0) })
    let shown = EngineeringFormat.significant(hours * 3600)
    return Reading(
      .xrunsPerHour, value: PoissonBound.upper(count: count) / hours, count: takes.count,
      note: "at most, at 95 %: \(count) in \(shown) s")
  }

  private static func harmonies(_ readings: [Reading]) -> [Reading] {
    let own = readings.filter { $0.name == ReadingName(.harmony) && $0.pattern != nil }
    let takes = Dictionary(grouping: own, by: \.pattern)
    var seen: Set<String> = []
    return own.compactMap(\.pattern).filter { seen.insert($0).inserted }.map { pattern in
      let all = takes[pattern] ?? []
      let measured = all.filter { $0.value != nil }
      guard measured.count == all.count else {
        let reason = all.first { $0.value == nil }?.note ?? "it was not measured"
        return Reading(
          notMeasured: .harmony, pattern: pattern,
          because: "\(all.count - measured.count) of \(all.count) takes have none: \(reason)")
      }
      let (mean, sigma) = Statistics.moments(measured.compactMap(\.value))
      let own =
        measured.reduce(0) { $0 + ($1.uncertainty ?? 0) } / Double(max(1, measured.count))
      return Reading(
        .harmony, pattern: pattern, value: mean,
        uncertainty: max(own, sigma / Double(measured.count).squareRoot()), count: measured.count,
        note: measured.notes)
    }
  }
}

/// How the electrical delay scatters: within a stream, from start to start, from opening to opening.
package struct StartJitter: Sendable {
  private struct Start {
    let delay: Double
    let uncertainty: Double
    let opening: Int
    /// The drift, and the seconds between the markers that it was read over.
    let drift: (ppm: Double, span: Double)?
  }

  private let starts: [Start]

  package init(_ patterns: [RunRecord.Pattern], _ readings: [Reading], rate: SampleRate) {
    let delays = Self.values(.latencyElectrical, readings)
    let drifts = Self.values(.drift, readings)
    starts = patterns.flatMap { pattern in
      pattern.takes.compactMap { take in
        let key = Key(pattern: pattern.name, take: take.number)
        guard let delay = delays[key], let value = delay.value else { return nil }
        let markers = take.markers ?? []
        let span = markers.count == 2 ? rate.seconds(Double(markers[1] - markers[0])) : 0
        return Start(
          delay: value, uncertainty: delay.uncertainty ?? 0, opening: take.opening ?? 1,
          drift: span > 0 ? drifts[key]?.value.map { ($0, span) } : nil)
      }
    }
  }

  private struct Key: Hashable {
    let pattern: String
    let take: Int
  }

  private static func values(_ kind: ReadingKind, _ readings: [Reading]) -> [Key: Reading] {
    var values: [Key: Reading] = [:]
    for reading in readings where reading.name.kind == kind && reading.value != nil {
      guard let pattern = reading.pattern, let take = reading.take else { continue }
      values[Key(pattern: pattern, take: take)] = reading
    }
    return values
  }

  package var apart: [Reading] { [withinStreams, fromOpeningToOpening] }

  /// The standard deviation of all delays, the noise of the estimates taken off.
  package var fromStartToStart: Reading {
    let delays = starts.map(\.delay)
    guard delays.count >= 3 else {
      return Reading(
        notMeasured: .latencyJitter,
        because: "\(delays.count) takes have an electrical delay, and a spread needs three")
    }
    let noise = starts.reduce(0) { $0 + $1.uncertainty * $1.uncertainty } / Double(starts.count)
    return Self.spread(.latencyJitter, delays, noise: noise)
  }

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

  /// Values' deviation about their mean, less a variance `noise` that they have of their own.
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
