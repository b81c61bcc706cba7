import Calibration
import JSONText

extension CalibrationFigures {
  /// The curves as numbers.
  var json: JSONValue {
    [
      "responses": .array(responses.map(\.json)),
      "model": model?.json ?? .null,
      "phases": .array(phases.map(\.json)),
      "impulse": impulse?.json ?? .null,
      "levels": .array(levels.map(\.json)),
      "distortion": .array(distortion.map(\.json)),
      "coherence": .array(coherence.map(\.json)),
      "delayScatter": .measured(delayScatter),
      "clockOffset": .measured(clockOffset),
      "ceiling": ceiling?.json ?? .null,
      "noise": noise?.json ?? .null,
      "grid": .array(grid.map(\.json)),
      "heldOut": .array(heldOut.map(\.json)),
      "taps": .array(taps.map(\.json)),
      "pattern": .array(pattern.map(\.json)),
      "motor": .array(motor.map(\.json)),
    ]
  }
}

extension CalibrationFigures.Curve {
  fileprivate var json: JSONValue {
    ["label": .string(label), "x": .measurements(x), "y": .measurements(y)]
  }
}

extension CalibrationFigures.GridPoint {
  fileprivate var json: JSONValue {
    [
      "intensity": .measured(intensity), "sharpness": .measured(sharpness),
      "targetLevel": .measured(targetLevel), "targetFrequency": .measured(targetFrequency),
      "beforeLevel": .measured(beforeLevel), "level": .measured(level),
      "frequency": .measured(frequency), "uncertainty": .measured(uncertainty),
      "mapped": .bool(mapped),
    ]
  }
}

extension CalibrationFigures.Tap {
  fileprivate var json: JSONValue {
    [
      "intensity": .measured(intensity), "sharpness": .measured(sharpness),
      "time": .measurements(time), "wanted": .measurements(wanted),
      "measured": .measurements(measured), "volts": .measurements(volts), "end": .measured(end),
      "t20": .measured(t20), "pulseToRing": .measured(pulseToRing),
    ]
  }
}

extension JSONValue {
  /// A list of numbers, null for what was not measured.
  fileprivate static func measurements(_ values: [Double]) -> JSONValue {
    .array(values.map { .measured($0) })
  }
}
