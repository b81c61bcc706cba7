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
