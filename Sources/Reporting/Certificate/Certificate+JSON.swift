import Acceptance
import Actuators
import Calibration
package import JSONText
import Profiles

extension Certificate {
  /// The name and the version of the schema, as the file says them.
  static let schema = "haprig-certificate"
  static let schemaVersion = 1

  /// All of the certificate as a JSON value, in the form that `docs/FILE-FORMATS.md` describes.
  ///
  /// What was not measured is null or left out; no number in it is other than finite.
  package var json: JSONValue {
    [
      "schema": .string(Self.schema),
      "version": .integer(Self.schemaVersion),
      "verdict": .string(verdictWord),
      "sentence": .string(sentence),
      "goals": .array(goals.map(\.json)),
      "notes": .array(notes.map { .string($0) }),
      "method": .array(
        method.map { ["name": .string($0.name), "value": .string($0.value)] }),
      "host": .string(host),
      "profile": profile.json,
      "degreesOfFreedom": .measured(profile.uncertainty.degreesOfFreedom),
      "reachedShare": .measured(table.reachedShare),
      "region": .array(
        table.reach.map {
          [
            "sharpness": .measured($0.sharpness), "lowestIntensity": .measured($0.lowest),
            "highestIntensity": .measured($0.highest),
          ]
        }),
      "table": .array(table.grid.map(\.json)),
      "strongest": strongest,
      "taps": .array(TapSummary(profile: profile, figures: figures).taps.map(\.json)),
      "figures": figures.json,
      "recordings": .array(
        recordings.map { ["name": .string($0.name), "hash": .string($0.hash)] }),
    ]
  }

  /// The ceiling in the units that others compare actuators by.
  private var strongest: JSONValue {
    .array(
      profile.ceiling.points.map { point in
        let strength = Strength(point, mass: profile.actuator.mass)
        return [
          "frequency": .measured(point.frequency), "acceleration": .measured(point.acceleration),
          "gravities": .measured(strength.gravities),
          "force": .measured(strength.force), "staticMoment": .measured(strength.staticMoment),
          "uncertainty": profile.uncertainty.lines.isEmpty
            ? .null : .measured(profile.uncertainty.expanded * point.acceleration),
        ]
      })
  }
}

extension CalibrationGoal {
  fileprivate var json: JSONValue {
    let (boundKey, limit) =
      switch bound {
      case .atMost(let limit): ("atMost", limit)
      case .atLeast(let limit): ("atLeast", limit)
      }
    return [
      "name": .string(name), "value": .measured(value), "unit": .string(unit.rawValue),
      boundKey: .measured(limit),
      "verdict": .string(Shown.word(of: verdict)),
      "basis": .string(basis),
      "limitedBy": limitedBy.map(JSONValue.string) ?? .null,
      "reason": reason.map(JSONValue.string) ?? .null,
    ]
  }
}

extension DriveSheet.Point {
  fileprivate var json: JSONValue {
    [
      "intensity": .measured(intensity), "sharpness": .measured(sharpness),
      "volts": .measured(command.volts), "frequency": .measured(command.frequency),
      "acceleration": .measured(command.wanted), "targetLevel": .measured(command.targetLevel),
      "targetFrequency": .measured(command.targetFrequency),
      "weakerBy": .measured(command.mapping.decibels),
      "octavesMoved": .measured(command.mapping.octaves),
      "consistency": .measured(command.mapping.consistency),
      "isReached": .bool(command.mapping.isInside),
    ]
  }
}

extension TapSummary.Tap {
  fileprivate var json: JSONValue {
    [
      "intensity": .measured(intensity), "sharpness": .measured(sharpness),
      "targetLevel": .measured(asked?.targetLevel),
      "targetFrequency": .measured(asked?.targetFrequency),
      "wantedLevel": .measured(asked?.wantedLevel),
      "wantedFrequency": .measured(asked?.wantedFrequency),
      "mapped": asked.map { .bool($0.mapped) } ?? .null,
      "peak": .measured(peak), "peakError": .measured(peakError), "energy": .measured(energy),
      "energyError": .measured(energyError), "tail": .measured(tail),
      "pulseToRing": .measured(pulseToRing),
    ]
  }
}

extension CalibrationFigures {
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
  /// A number, or null for what was not measured.
  fileprivate static func measured(_ value: Double?) -> JSONValue {
    value.flatMap { $0.isFinite ? .number($0) : nil } ?? .null
  }

  /// A list of numbers, null for what was not measured.
  fileprivate static func measurements(_ values: [Double]) -> JSONValue {
    .array(values.map { .measured($0) })
  }
}
