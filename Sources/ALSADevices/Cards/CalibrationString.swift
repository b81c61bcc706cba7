/// The card and device that a `hw` or `plughw` name means.
struct PCMAddress: Equatable {
  let card: String
  let device: Int

  /// Reads `hw:CARD=Controller,DEV=0`, `hw:Controller,0`, `hw:1`; `nil` for names of other kinds.
  init?(_ name: String) {
    guard let colon = name.firstIndex(of: ":"), ["hw", "plughw"].contains(name[..<colon]) else {
      return nil
    }
    var (card, device) = ("", 0)
    let parts = name[name.index(after: colon)...].split(
      separator: ",", omittingEmptySubsequences: false)
    for (place, part) in parts.enumerated() {
      let pair = part.split(separator: "=", maxSplits: 1)
      let key = pair.count == 2 ? String(pair[0]) : ["CARD", "DEV"][place < 2 ? place : 1]
      let value = String(pair.last ?? "")
      if key == "CARD" { card = value }
      if key == "DEV", let number = Int(value) { device = number }
      if place > 1, pair.count != 2 { break }
    }
    guard !card.isEmpty else { return nil }
    (self.card, self.device) = (card, device)
  }
}

/// The calibration that a measuring USB sound card carries in its product string.
///
/// Digiducer's form: model, a format digit and a serial number, two sensitivities, a date, as in
/// `485B39 2 001598 0794359 0799265 210723`. Format 1 has five digits for each of the two inputs:
/// counts of 24 bits per m/s2. Formats 2 and 3 have seven: counts per volt, in format 3 per 50 mV.
package struct CalibrationString: Sendable, Hashable {
  /// What the sensitivities are.
  package enum Scale: Sendable, Hashable {
    /// By input, the acceleration at the converter's end, in m/s2.
    case acceleration([Double])
    /// By input, the voltage at the converter's end, in volts.
    case voltage([Double])
  }

  /// The model, such as `485B39`.
  package let model: String
  /// The serial number.
  package let serial: String
  /// The scale of inputs A and B.
  package let scale: Scale
  /// The date of the calibration as year, month, day, as in `2021-07-23`.
  package let date: String?

  /// Reads a product string; `nil` where it is not of this form.
  ///
  /// Blanks between the parts may be missing, as some units have none.
  package init?(_ text: String) {
    let characters = Array(text)
    guard characters.count > 14, characters.allSatisfy(\.isASCII) else { return nil }
    model = String(characters[..<6])
    // One character between model and format.
    let digits = characters[7...].filter { $0 != " " && $0 != "_" }
    guard digits.allSatisfy(\.isNumber), let format = digits.first?.wholeNumberValue else {
      return nil
    }
    let width = format == 1 ? 5 : 7
    guard (1...3).contains(format), digits.count >= 7 + 2 * width else { return nil }
    serial = String(digits[1..<7])
    let counts = [7, 7 + width].compactMap { Double(String(digits[$0..<($0 + width)])) }
    guard counts.count == 2, counts.allSatisfy({ $0 > 0 }) else { return nil }
    // Full scale is 2^23 counts.
    let ends = counts.map { 0x1p23 / $0 }
    switch format {
    case 1: scale = .acceleration(ends)
    case 2: scale = .voltage(ends)
    default: scale = .voltage(ends.map { $0 * 0.05 })
    }
    let day = digits[(7 + 2 * width)...]
    date = day.count == 6 ? Self.date(String(day)) : nil
  }

  /// The scale of both inputs, and which key of a rig file takes it, in words.
  package var summary: String {
    let (ends, unit, key) =
      switch scale {
      case .acceleration(let ends): (ends, "m/s2", "sensitivity")
      case .voltage(let ends): (ends, "V", "full-scale")
      }
    let values = ends.map { "\(($0 * 1000).rounded() / 1000)" }.joined(separator: " and ")
    return
      "\(model) number \(serial)\(date.map { ", calibrated \($0)" } ?? ""): \(values) \(unit) at "
      + "full scale of inputs 1 and 2 ('\(key): usb-product-string')"
  }

  private static func date(_ digits: String) -> String? {
    let parts = [0, 2, 4].compactMap { Int(digits.dropFirst($0).prefix(2)) }
    guard parts.count == 3, (1...12).contains(parts[1]), (1...31).contains(parts[2]) else {
      return nil
    }
    return "20\(digits.prefix(2))-\(digits.dropFirst(2).prefix(2))-\(digits.suffix(2))"
  }
}
