public import Units

/// What makes one series of nights: the same reading of the same pattern on the same actuator.
public struct SeriesKey: Sendable, Hashable, Comparable {
  /// The rig it was measured on.
  public var rig: String
  /// The actuator's id; empty for a reading of the whole run.
  public var actuator: String
  /// The pattern; empty for a reading of the whole run.
  public var pattern: String
  /// The reading's name as records write it, with `control.` where it is of the A/A control.
  public var reading: String

  /// Makes a key.
  public init(rig: String, actuator: String = "", pattern: String = "", reading: String) {
    self.rig = rig
    self.actuator = actuator
    self.pattern = pattern
    self.reading = reading
  }

  /// Whether the reading is of the rig's A/A control instead of the device under test.
  public var isControl: Bool { reading.hasPrefix("control.") }

  /// Orders by rig, then actuator, pattern and reading, as text.
  public static func < (left: SeriesKey, right: SeriesKey) -> Bool {
    (left.rig, left.actuator, left.pattern, left.reading)
      < (right.rig, right.actuator, right.pattern, right.reading)
  }
}

/// One run's value of a reading, as one of the repeats of a night.
public struct Repeat: Sendable, Hashable {
  /// The id of the run.
  public var run: String
  /// The value in the series' unit.
  public var value: Double
  /// The reading's own standard uncertainty, in the same unit; 0 where it has none.
  public var uncertainty: Double

  /// Makes a repeat.
  public init(run: String, value: Double, uncertainty: Double = 0) {
    self.run = run
    self.value = value
    self.uncertainty = uncertainty
  }
}

/// All runs of one UTC day, as one robust value.
public struct Night: Sendable, Hashable {
  /// Days since 1970-01-01, UTC.
  public var day: Int
  /// The median of the night's runs.
  public var value: Double
  /// The standard uncertainty of the median, from measurement.
  public var uncertainty: Double
  /// How many runs it rests on.
  public var count: Int
  /// The id of the run nearest to the median.
  public var run: String

  /// Makes a night.
  public init(day: Int, value: Double, uncertainty: Double = 0, count: Int = 1, run: String = "") {
    self.day = day
    self.value = value
    self.uncertainty = uncertainty
    self.count = count
    self.run = run
  }

  /// Takes the median of a night's repeats; `nil` where none of them is a finite number.
  ///
  /// The uncertainty of the median of n values of standard deviation s is taken as
  /// s sqrt(pi / (2 n + pi - 2)): exact for one value and for many, within 1 % between. s is the
  /// larger of the repeats' scatter (1.4826 times the median absolute deviation, with the
  /// small-sample factors of Croux and Rousseeuw, "Time-efficient algorithms for two highly robust
  /// estimators of scale", 1992) and the median of the repeats' own uncertainties.
  public init?(day: Int, repeats: [Repeat]) {
    let finite = repeats.filter(\.value.isFinite)
    guard let median = Robust.median(finite.map(\.value)) else { return nil }
    let nearest = finite.min {
      (abs($0.value - median), $0.run) < (abs($1.value - median), $1.run)
    }
    let own = Robust.median(finite.map(\.uncertainty).filter(\.isFinite)) ?? 0
    let deviation = max(Robust.deviation(of: finite.map(\.value)), own)
    let count = Double(finite.count)
    self.init(
      day: day, value: median,
      uncertainty: deviation * (Double.pi / (2 * count + Double.pi - 2)).squareRoot(),
      count: finite.count, run: nearest?.run ?? "")
  }
}

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
