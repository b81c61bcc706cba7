// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Numbers as people read them: a prefix that fits the size, and no more digits than are known.
public enum EngineeringFormat {
  /// How many significant digits are shown at most of a value with an uncertainty: nobody acts on the sixth.
  public static let mostDigits = 5

  /// Writes a value with its uncertainty, for example `5.2004 ± 0.0030 ms`.
  ///
  /// Seconds are shown in ms, us, ns or ps by size. The uncertainty gets two digits and the value as many decimals
  /// as it, so both end at the same place; but a value ends at its `digits`th significant digit at the latest, and at
  /// `finest`, the smallest step that is of use, in the unit of the value (0: there is none). An uncertainty that is
  /// smaller than this last place is shown as one of it. Without an uncertainty, or with one below a billionth of what
  /// is shown, the value gets four significant digits; a size that is less than `finest` is written `below 1 ns`.
  public static func text(
    _ value: Double, _ unit: MeasurementUnit, uncertainty: Double? = nil, finest: Double = 0,
    digits: Int = mostDigits
  ) -> String {
    let magnitude = max(abs(value), uncertainty ?? 0, finest)
    let (scale, symbol) = display(unit, magnitude: magnitude)
    let shown = value * scale
    let spread = (uncertainty ?? 0) * scale
    guard let place = place(of: shown, spread, finest: finest * scale, digits: digits) else {
      return value != 0 && abs(value) < finest
        ? "below \(join(significant(finest * scale), symbol))" : join(significant(shown), symbol)
    }
    return join("\(rounded(shown, to: place)) ± \(roundedUp(spread, to: place))", symbol)
  }

  /// Writes a value with its uncertainty for a narrow column, for example `5.2004(30)`.
  ///
  /// The digits in brackets are the uncertainty in units of the value's last digits: 5.2004 ± 0.0030. Rounded
  /// as ``text(_:_:uncertainty:finest:digits:)`` does; without an uncertainty the value gets four significant digits,
  /// and a size that is less than `finest` is written `<0.01`. All three are multiplied by `scale` first: 1e3 shows
  /// seconds as milliseconds.
  public static func concise(
    _ value: Double, uncertainty: Double?, scale: Double = 1, finest: Double = 0
  ) -> String {
    let (shown, spread, step) = (value * scale, (uncertainty ?? 0) * scale, finest * scale)
    guard let place = place(of: shown, spread, finest: step, digits: mostDigits) else {
      return value != 0 && abs(value) < finest ? "<\(significant(step))" : significant(shown)
    }
    let text = roundedUp(spread, to: place)
    let digits = place > 0 ? String(text.filter { $0 != "." }.drop { $0 == "0" }) : text
    return "\(rounded(shown, to: place))(\(digits))"
  }

  /// The decimal at which a value and its uncertainty end; `nil` where the uncertainty says nothing.
  private static func place(
    of value: Double, _ spread: Double, finest: Double, digits: Int
  ) -> Int? {
    guard var place = place(of: spread) else { return nil }
    let size = max(abs(value), spread)
    if size.isFinite {
      // What rounds up to a power of ten, 9.99996 to 10.000, has one digit more than was counted.
      let last = digits - 1 - Int(log10(size).rounded(.down))
      let isCarried = size * pow(10, Double(last)) >= pow(10, Double(digits)) - 0.5
      // Whole units are never rounded.
      place = min(place, max(0, isCarried ? last - 1 : last))
    }
    // A power of ten that was scaled may fall short of itself by its last bit.
    if finest > 0 { place = min(place, -Int((log10(finest) + 1e-9).rounded(.down))) }
    return place
  }

  /// Writes an uncertainty to a decimal, as one of it where it is less.
  private static func roundedUp(_ spread: Double, to place: Int) -> String {
    rounded(max(spread, pow(10, -Double(place))), to: place)
  }

  /// Writes the size of a number for a sentence, without its sign: two significant digits, and none below the first
  /// of its uncertainty.
  public static func rough(_ value: Double, uncertainty: Double? = nil) -> String {
    let size = abs(value)
    guard size.isFinite, size > 0 else { return size == 0 ? "0" : "\(size)" }
    var place = place(of: size) ?? 9
    if let uncertainty, let last = Self.place(of: abs(uncertainty)) { place = min(place, last - 1) }
    let text = rounded(size, to: place)
    // Two digits of 0.99996 are 1.0; of 20 they are 20.
    return text.contains(".") ? withoutZeros(text) : text
  }

  /// The decimal to which an uncertainty is rounded so that it has two digits, negative for tens and up; `nil`
  /// where it says nothing, being none or below a billionth.
  private static func place(of spread: Double) -> Int? {
    guard spread.isFinite, (spread * 1e9).rounded() > 0 else { return nil }
    let decimals = min(9, 1 - Int(log10(spread).rounded(.down)))
    // What rounds up to a power of ten, 0.0999 to 0.10, has one digit more than was counted.
    return (spread * pow(10, Double(decimals))).rounded() >= 100 ? decimals - 1 : decimals
  }

  /// Writes a number rounded to a decimal; to tens, hundreds and so on for a negative one.
  private static func rounded(_ value: Double, to place: Int) -> String {
    guard place < 0 else { return fixed(value, place) }
    let unit = pow(10, Double(-place))
    return fixed((value / unit).rounded() * unit, 0)
  }

  /// Writes a number with a fixed count of decimals, rounded to nearest, with a decimal point.
  public static func fixed(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite else { return "\(value)" }
    guard abs(value) < 1e15 else { return "\(value)" }
    let scaled = (abs(value) * pow(10, Double(decimals))).rounded()
    guard scaled < 9e18 else { return "\(value)" }
    let digits = String(UInt64(scaled))
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return sign + padded }
    return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
  }

  /// Writes a number with four significant digits, very small and large ones with an exponent: `1.008e-7`.
  public static func significant(_ value: Double) -> String {
    guard value != 0, value.isFinite else { return value == 0 ? "0" : "\(value)" }
    let exponent = Int(log10(abs(value)).rounded(.down))
    guard (-6...9).contains(exponent) else {
      // The power of ten of a subnormal number is itself not exact, and too small to divide by.
      guard exponent >= -300 else { return "\(value)" }
      let mantissa = fixed(value / pow(10, Double(exponent)), 3)
      // 9.9996 is rounded to 10.
      guard mantissa.prefix(while: { $0 != "." }).count(where: \.isNumber) == 1 else {
        return "\(value < 0 ? "-" : "")1e\(exponent + 1)"
      }
      return "\(withoutZeros(mantissa))e\(exponent)"
    }
    return withoutZeros(fixed(value, max(0, 3 - exponent)))
  }

  private static func withoutZeros(_ text: String) -> String {
    guard text.contains(".") else { return text }
    let short = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
    return String(short.reversed())
  }

  private static func join(_ number: String, _ symbol: String) -> String {
    symbol.isEmpty ? number : "\(number) \(symbol)"
  }

  private static func display(
    _ unit: MeasurementUnit, magnitude: Double
  ) -> (scale: Double, symbol: String) {
    switch unit {
    case .second where magnitude > 0 && magnitude < 1e-11: (1e12, "ps")
    case .second where magnitude > 0 && magnitude < 1e-8: (1e9, "ns")
    case .second where magnitude < 1e-3: (1e6, "us")
    case .second where magnitude < 1: (1e3, "ms")
    case .one, .count: (1, "")
    default: (1, unit.rawValue)
    }
  }
}

extension MeasurementUnit {
  /// The smallest step of a reading in this unit that is of use to anybody; 0 where that depends on the reading.
  ///
  /// Nobody hears or feels a hundredth of a decibel, or a thousandth of an octave. A nanosecond is a twenty-thousandth
  /// of a sample at 48 kHz, and 1e-5 m/s2 a millionth of gravity, what the quietest accelerometers tell.
  public var finest: Double {
    switch self {
    case .second: 1e-9
    case .decibel, .celsius: 0.01
    case .octave, .partsPerMillion, .hertz: 1e-3
    case .metrePerSecondSquared: 1e-5
    case .one: 1e-4
    default: 0
    }
  }
}
