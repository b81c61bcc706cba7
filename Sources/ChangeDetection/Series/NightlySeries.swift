// SPDX-License-Identifier: Apache-2.0

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

  /// Whether the reading is of what surrounds the rig: summer is no change of a product.
  public var isOfSurroundings: Bool { reading == "temperature" }

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

/// A day of the proleptic Gregorian calendar in UTC, counted from 1970-01-01.
public struct CalendarDay: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Days since 1970-01-01.
  public let number: Int

  /// Makes a day of its number.
  public init(number: Int) { self.number = number }

  /// Reads `2026-11-21`; `nil` where the text is no such day.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == 0x2D, bytes[7] == 0x2D,
      let year = Self.digits(bytes[0..<4]), let month = Self.digits(bytes[5..<7]),
      let day = Self.digits(bytes[8..<10]), year >= 1, (1...12).contains(month)
    else { return nil }
    number = Self.number(year, month, day)
    guard parts == (year, month, day) else { return nil }
  }

  /// The day as `2026-11-21`.
  public var description: String {
    let (year, month, day) = parts
    return "\(Self.padded(year, to: 4))-\(Self.padded(month, to: 2))-\(Self.padded(day, to: 2))"
  }

  /// The earlier of two days is the smaller.
  public static func < (left: CalendarDay, right: CalendarDay) -> Bool {
    left.number < right.number
  }

  /// Days from the civil date, by counting years from March so that the leap day comes last: Howard
  /// Hinnant, "chrono-compatible low-level date algorithms" (2013), `days_from_civil`.
  private static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The inverse of the above, `civil_from_days`.
  private var parts: (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let civil = month < 10 ? month + 3 : month - 9
    return (yearOfEra + era * 400 + (civil <= 2 ? 1 : 0), civil, day)
  }

  /// The number that bytes of decimal digits write; `nil` where one is none.
  package static func digits(_ bytes: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for byte in bytes {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }

  /// A number with zeros before it.
  package static func padded(_ number: Int, to width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }

  /// Whether there are bytes and all of them are digits.
  package static func isDigits(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy { (0x30...0x39).contains($0) }
  }
}
