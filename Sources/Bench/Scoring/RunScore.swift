import Acceptance
import Devices
import SignalAnalysis
import Units

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

  /// Each pattern's mean over its takes.
  private static func harmonies(_ readings: [Reading]) -> [Reading] {
    var order: [String] = []
    var takes: [String: [Reading]] = [:]
    for reading in readings where reading.name == ReadingName(.harmony) {
      guard let pattern = reading.pattern else { continue }
      if takes[pattern] == nil { order.append(pattern) }
      takes[pattern, default: []].append(reading)
    }
    return order.map { pattern in
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
