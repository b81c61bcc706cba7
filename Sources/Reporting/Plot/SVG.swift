/// Numbers as SVG reads them.
enum SVG {
  /// A place as text with at most one decimal.
  static func place(_ value: Double) -> String { number(tenths: tenths(value)) }

  static func tenths(_ value: Double) -> Int { Int((value * 10).rounded()) }

  /// Tenths as short as can be: `12`, `-.3`, `4.5`.
  static func number(tenths: Int) -> String {
    let (whole, tenth) = abs(tenths).quotientAndRemainder(dividingBy: 10)
    let sign = tenths < 0 ? "-" : ""
    if tenth == 0 { return sign + "\(whole)" }
    return sign + (whole == 0 ? "" : "\(whole)") + ".\(tenth)"
  }

  static func line(y: Double, from left: Double, to right: Double) -> String {
    "M\(place(left)) \(place(y))H\(place(right))"
  }

  static func line(x: Double, from top: Double, to bottom: Double) -> String {
    "M\(place(x)) \(place(top))V\(place(bottom))"
  }
}

/// The parts of a picture; `style` is the class by which the style sheet colours them.
extension Markup {
  /// Where a text stands at its place.
  enum Anchor: String {
    case start
    case middle
    case end
  }

  /// Writes a text at a place, read from below where it is turned.
  mutating func drawText(
    _ text: String, _ style: String? = nil, x: Double, y: Double, anchor: Anchor? = nil,
    isTurned: Bool = false
  ) {
    drawText(style, x: x, y: y, anchor: anchor, isTurned: isTurned) { $0.write(text) }
  }

  mutating func drawText(
    _ style: String?, x: Double, y: Double, anchor: Anchor? = nil, isTurned: Bool = false,
    _ content: (inout Markup) -> Void
  ) {
    let (x, y) = (SVG.place(x), SVG.place(y))
    element(
      "text",
      [
        "class": style, "x": x, "y": y, "text-anchor": anchor?.rawValue,
        "transform": isTurned ? "rotate(-90 \(x) \(y))" : nil,
      ], content)
  }

  /// Writes a path, with a title for who points at it.
  mutating func drawPath(
    _ style: String, _ data: String, identifier: String? = nil, title: String? = nil
  ) {
    let attributes: Attributes = ["id": identifier, "class": style, "d": data]
    guard let title else { return empty("path", attributes) }
    element("path", attributes) { $0.element("title", text: title) }
  }

  /// Writes an upright rectangle by its upper left corner.
  mutating func drawRectangle(
    _ style: String?, x: Double, y: Double, width: Double, height: Double
  ) {
    empty(
      "rect",
      [
        "class": style, "x": SVG.place(x), "y": SVG.place(y), "width": SVG.place(width),
        "height": SVG.place(height),
      ])
  }

  mutating func drawHeading(_ title: String, unit: String, x: Double, y: Double) {
    drawText("heading", x: x, y: y) { text in
      text.write(title)
      if !unit.isEmpty { text.element("tspan", ["class": "unit", "dx": "6"], text: unit) }
    }
  }
}
