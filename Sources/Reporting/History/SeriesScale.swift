import Units

/// The factor and the symbol by which a series is drawn, so that its numbers are short.
struct SeriesScale {
  let factor: Double
  let symbol: String

  /// Chooses them for values of a unit; times become milliseconds or microseconds where they are small.
  init(_ unit: MeasurementUnit, of values: [Double]) {
    let largest = values.reduce(0) { max($0, abs($1)) }
    switch unit {
    case .second where largest < 1e-3: (factor, symbol) = (1e6, "µs")
    case .second where largest < 1: (factor, symbol) = (1e3, "ms")
    case .one, .count: (factor, symbol) = (1, "")
    default: (factor, symbol) = (1, Shown.typeset(unit.rawValue))
    }
  }
}
