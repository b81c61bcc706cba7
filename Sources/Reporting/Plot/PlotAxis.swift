// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Units

/// A stretch of numbers on an axis with ticks at 1, 2 or 5 times a power of ten.
struct AxisScale {
  let range: ClosedRange<Double>
  let ticks: [Double]
  let decimals: Int

  /// Makes a scale whose ticks are at least a `count`th of `length` apart.
  init(_ range: ClosedRange<Double>, count: Int, of length: Double? = nil) {
    let length = length ?? range.upperBound - range.lowerBound
    let step = Self.step(atLeast: length / Double(count))
    decimals = max(0, -Int(log10(step).rounded(.down)))
    let from = (range.lowerBound / step - 1e-9).rounded(.up)
    let to = (range.upperBound / step + 1e-9).rounded(.down)
    ticks = from <= to ? (0...Int(to - from)).map { (from + Double($0)) * step } : []
    self.range = range
  }

  /// The scale of a vertical axis: zero is always on it, and what swings both ways lies even.
  ///
  /// A little room above and below keeps the traces off the frame.
  static func vertical(_ lowest: Double, _ highest: Double, unit: MeasurementUnit) -> AxisScale {
    let (low, high) = (min(lowest, 0), max(highest, 0))
    if unit == .one, low == 0, high <= 1 { return AxisScale(-0.04...1.08, count: 2, of: 1) }
    let largest = max(-low, high)
    guard largest > 0, largest.isFinite else { return AxisScale(-1.08...1.08, count: 1, of: 1) }
    if min(-low, high) > largest / 10 {
      return AxisScale((-1.08 * largest)...(1.08 * largest), count: 2, of: largest)
    }
    let length = high - low
    return AxisScale((low - 0.04 * length)...(high + 0.08 * length), count: 3, of: length)
  }

  func label(_ tick: Double) -> String { EngineeringFormat.fixed(tick, decimals) }

  /// The smallest of 1, 2, 5 times a power of ten that is no smaller than a length.
  static func step(atLeast length: Double) -> Double {
    guard length > 0, length.isFinite else { return 1 }
    let exponent = log10(length).rounded(.down)
    // Below 1 a quotient of whole numbers is nearer to the decimal that is meant.
    func power(_ factor: Double) -> Double {
      exponent < 0 ? factor / pow(10, -exponent) : factor * pow(10, exponent)
    }
    return [1, 2, 5].map(power).first { $0 >= length * (1 - 1e-9) } ?? power(10)
  }
}

struct PlotAxis {
  let title: String
  let isLogarithmic: Bool
  let range: ClosedRange<Double>
  let ticks: [Double]
  private let decimals: Int
  /// What stands at 1, 2 and so on; empty on an axis of numbers.
  private var names: [String] = []

  /// Makes an axis of things that have names, the first of them at 1.
  init(_ title: String, names: [String]) {
    self.title = title
    self.names = names
    isLogarithmic = false
    range = 0.5...(Double(max(1, names.count)) + 0.5)
    ticks = names.indices.map { Double($0 + 1) }
    decimals = 0
  }

  /// Makes an axis that shows some values; those that are not finite, or not above 0 on a logarithmic one,
  /// are left out.
  ///
  /// A logarithmic axis goes down so many `decades` from its greatest value at most. `room` is the share of
  /// the length that is left free at either end, `count` about how many ticks there is space for.
  init(
    _ title: String, of values: [Double], isLogarithmic: Bool = false, decades: Double = 4,
    room: Double = 0, count: Int = 5
  ) {
    self.title = title
    self.isLogarithmic = isLogarithmic
    let shown = values.filter { $0.isFinite && (!isLogarithmic || $0 > 0) }
    let highest = shown.max() ?? 1
    let least = shown.min() ?? (isLogarithmic ? 0.1 : 0)
    guard isLogarithmic else {
      let length = highest > least ? highest - least : max(abs(highest), 1)
      let (low, high) =
        highest > least ? (least, highest) : (least - length / 2, highest + length / 2)
      range = (low - room * length)...(high + room * length)
      let scale = AxisScale(range, count: count)
      (ticks, decimals) = (scale.ticks, scale.decimals)
      return
    }
    let lowest = max(least, highest * pow(10, -decades))
    let ratio = highest > lowest ? highest / lowest : 4
    let (low, high) = highest > lowest ? (lowest, highest) : (lowest / 2, highest * 2)
    range = (low * pow(ratio, -room))...(high * pow(ratio, room))
    (ticks, decimals) = (Self.logarithmicTicks(range, count: count), 0)
  }

  func place(of value: Double) -> Double {
    let (low, high) = (range.lowerBound, range.upperBound)
    return isLogarithmic ? log(value / low) / log(high / low) : (value - low) / (high - low)
  }

  func holds(_ value: Double) -> Bool { value.isFinite && (!isLogarithmic || value > 0) }

  func label(_ tick: Double) -> String {
    if names.indices.contains(Int(tick) - 1) { return names[Int(tick) - 1] }
    return isLogarithmic
      ? EngineeringFormat.significant(tick) : EngineeringFormat.fixed(tick, decimals)
  }

  /// Whole decades where there are many, 1-2-5 and closer steps where there are few.
  private static func logarithmicTicks(_ range: ClosedRange<Double>, count: Int) -> [Double] {
    let first = Int(log10(range.lowerBound).rounded(.down))
    let last = Int(log10(range.upperBound).rounded(.up))
    func power(_ factor: Double, _ exponent: Int) -> Double {
      // Below 1 a quotient of whole numbers is nearer to the decimal that is meant.
      exponent < 0 ? factor / pow(10, -Double(exponent)) : factor * pow(10, Double(exponent))
    }
    let shown = (range.lowerBound * (1 - 1e-9))...(range.upperBound * (1 + 1e-9))
    func ticks(_ factors: [Double]) -> [Double] {
      (first...last).flatMap { exponent in factors.map { power($0, exponent) } }
        .filter(shown.contains)
    }
    let candidates = [
      ticks([1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]), ticks([1, 1.5, 2, 3, 5, 7]), ticks([1, 2, 5]),
      ticks([1]),
    ]
    let fitting = candidates.first { (3...max(3, 2 * count)).contains($0.count) }
    if let fitting { return fitting }
    guard let finest = candidates.first, finest.count >= 3 else {
      return AxisScale(range, count: count).ticks.filter { $0 > 0 }
    }
    return candidates.last ?? finest
  }
}

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
  enum Anchor: String {
    case start
    case middle
    case end
  }

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

  mutating func drawPath(
    _ style: String, _ data: String, identifier: String? = nil, title: String? = nil
  ) {
    let attributes: Attributes = ["id": identifier, "class": style, "d": data]
    guard let title else { return empty("path", attributes) }
    element("path", attributes) { $0.element("title", text: title) }
  }

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
