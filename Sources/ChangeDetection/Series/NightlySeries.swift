public import Units

/// The history of one reading, a value a night.
public struct NightlySeries: Sendable, Hashable {
  /// What it is the history of.
  public var key: SeriesKey
  /// The unit of all its values.
  public var unit: MeasurementUnit
  /// The nights, ascending by day, each day at most once; days without a run are absent.
  public private(set) var nights: [Night]

  /// Makes a series; nights may come in any order.
  ///
  /// Nights whose value is no finite number are left out. Of several nights of one day the last
  /// given counts.
  public init(key: SeriesKey, unit: MeasurementUnit, nights: [Night]) {
    self.key = key
    self.unit = unit
    let inOrder = zip(nights, nights.dropFirst()).allSatisfy { $0.day < $1.day }
    if inOrder, nights.allSatisfy(\.value.isFinite) {
      self.nights = nights
      return
    }
    var byDay: [Int: Night] = [:]
    for night in nights where night.value.isFinite { byDay[night.day] = night }
    self.nights = byDay.values.sorted { $0.day < $1.day }
  }

  /// Makes a series from runs: the repeats of each day become one night.
  public init(
    key: SeriesKey, unit: MeasurementUnit, repeats: some Sequence<(day: Int, repeat: Repeat)>
  ) {
    let byDay = Dictionary(grouping: repeats, by: \.day)
    self.init(
      key: key, unit: unit,
      nights: byDay.compactMap { day, runs in Night(day: day, repeats: runs.map(\.repeat)) })
  }

  /// The values alone, in the order of the nights.
  public var values: [Double] { nights.map(\.value) }

  /// The series as it stood after one of its nights: everything up to and with a day.
  public func through(day: Int) -> NightlySeries {
    var earlier = self
    earlier.nights = Array(nights.prefix { $0.day <= day })
    return earlier
  }
}
