private import Glibc
import JSONText
public import Units

extension RunRecord {
  /// What the actuator answered to an impulse as the run measured it, kept so that runs can be compared.
  ///
  /// Taken from the first take whose probe was answered; 60 to 450 Hz.
  public struct Impulse: Sendable, Equatable {
    /// The pattern whose take it is of.
    public var pattern: String
    /// The repeat, from 1.
    public var take: Int
    /// When the first value stands, in seconds after the impulse; negative for before.
    public var start: Double
    /// The time between two values, in seconds.
    public var step: Double
    /// The unit of the response; values are in this unit per volt second.
    public var unit: MeasurementUnit
    /// The values, to a hundred-thousandth of the largest.
    public var values: [Double]

    /// Makes an account of an impulse response.
    public init(
      pattern: String, take: Int, start: Double, step: Double, unit: MeasurementUnit,
      values: [Double]
    ) {
      self.pattern = pattern
      self.take = take
      self.start = start
      self.step = step
      self.unit = unit
      self.values = values
    }

    /// Takes the measured curve of the first picture that has one; `nil` where none has.
    public init?(firstOf figures: [TakeFigure]) {
      for figure in figures {
        guard let impulse = figure.impulse,
          let curve = impulse.panel.traces.first(where: { $0.name == "measured" }),
          curve.highest.count > 1, let largest = curve.highest.map(abs).max(), largest > 0,
          largest.isFinite
        else { continue }
        let decimals = pow(10, (4 - log10(Double(largest))).rounded(.up))
        let width = impulse.span.upperBound - impulse.span.lowerBound
        self.init(
          pattern: figure.pattern, take: figure.take, start: impulse.span.lowerBound,
          step: width / Double(curve.highest.count - 1), unit: impulse.panel.unit,
          values: curve.highest.map { (decimals * Double($0)).rounded() / decimals })
        return
      }
      return nil
    }

    /// How far another curve lies from this one: the effective value of their difference over this
    /// one's; `nil` for curves on other times or in other units.
    public func difference(to other: Impulse) -> Double? {
      guard unit == other.unit, start == other.start, step == other.step,
        values.count == other.values.count
      else { return nil }
      let own = values.reduce(0) { $0 + $1 * $1 }
      let apart = zip(values, other.values).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
      return own > 0 ? (apart / own).squareRoot() : nil
    }
  }
}

extension RunRecord.Impulse {
  var json: JSONValue {
    [
      "pattern": .string(pattern), "take": .integer(take), "start": .number(start),
      "step": .number(step), "unit": .string(unit.rawValue),
      "values": .array(values.map(JSONValue.number)),
    ]
  }

  init(_ field: RecordField) throws(RunRecordError) {
    var values: [Double] = []
    for value in try field["values"].elements() { values.append(try value.number()) }
    self.init(
      pattern: try field["pattern"].string(), take: try field["take"].integer(),
      start: try field["start"].number(), step: try field["step"].number(),
      unit: try field["unit"].word(MeasurementUnit.self), values: values)
  }
}
