private import Glibc
import Units

/// A stretch of numbers on an axis with ticks at 1, 2 or 5 times a power of ten.
struct AxisScale {
  /// The lowest and highest number that the axis shows.
  let range: ClosedRange<Double>
  /// The numbers with a tick, in rising order, all within `range`.
  let ticks: [Double]
  /// How many decimals the ticks need.
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

  /// The text of a tick.
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
