public import ChangeDetection
import Units

extension ReadingSeries {
  /// The name in a run's environment by which a re-run says which run it repeats.
  public static let rerunMark = "rerun"

  /// The series as change detection takes it: a median a night, over the runs that are no re-runs.
  ///
  /// - Parameter reruns: The ids of runs that repeat another and are no evidence of their own night.
  /// - Returns: The nights; one whose unit no version knows counts as 1.
  public func nightly(without reruns: Set<String> = []) -> NightlySeries {
    NightlySeries(
      key: listing.key, unit: MeasurementUnit(rawValue: listing.unit) ?? .one,
      nights: nights.compactMap { night in
        Night(
          day: night.day.number,
          repeats: night.values.filter { reruns.isEmpty || !reruns.contains($0.run) }
            .map(\.repeat))
      })
  }

  /// What the runs of some ids measured.
  public func repeats(of runs: Set<String>) -> [Repeat] {
    guard !runs.isEmpty else { return [] }
    return nights.flatMap(\.values).filter { runs.contains($0.run) }.map(\.repeat)
  }
}

extension ReadingSeries.RunValue {
  /// The value as one of the repeats of a night.
  fileprivate var `repeat`: Repeat {
    Repeat(run: run, value: value, uncertainty: uncertainty ?? 0)
  }
}
