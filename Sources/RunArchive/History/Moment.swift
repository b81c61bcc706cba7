// SPDX-License-Identifier: Apache-2.0

public import ChangeDetection

/// A second in UTC, counted from the beginning of 1970.
public struct Moment: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public let seconds: Int

  /// Makes a moment of its seconds.
  public init(seconds: Int) { self.seconds = seconds }

  /// Reads `2026-11-21T09:51:50Z`, with or without a fraction, which is cut off; `nil` for any other text.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.count <= 40, bytes[10] == 0x54, bytes[13] == 0x3A,
      bytes[16] == 0x3A, bytes.last == 0x5A,
      let day = CalendarDay(text.prefix(10)), let hour = CalendarDay.digits(bytes[11..<13]),
      let minute = CalendarDay.digits(bytes[14..<16]),
      let second = CalendarDay.digits(bytes[17..<19]), hour < 24, minute < 60, second <= 60
    else { return nil }
    let fraction = bytes[19..<(bytes.count - 1)]
    guard fraction.isEmpty || (fraction.first == 0x2E && CalendarDay.isDigits(fraction.dropFirst()))
    else { return nil }
    seconds = day.number * 86_400 + hour * 3600 + minute * 60 + second
  }

  /// The day that the moment lies in.
  public var day: CalendarDay {
    CalendarDay(number: seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400)
  }

  /// The moment as `2026-11-21T09:51:50Z`.
  public var description: String {
    let rest = seconds - day.number * 86_400
    let parts = [rest / 3600, rest / 60 % 60, rest % 60].map { CalendarDay.padded($0, to: 2) }
    return "\(day)T\(parts.joined(separator: ":"))Z"
  }

  /// The earlier of two moments is the smaller.
  public static func < (left: Moment, right: Moment) -> Bool { left.seconds < right.seconds }
}
