private import Glibc
import Profiles
import SignalAnalysis

/// The uncertainty of a profile's accelerations, line by line (GUM).
struct BudgetAssembly: Sendable {
  let subject: CalibrationSubject
  let knowledge: Knowledge

  /// The relative standard uncertainty that a sensor without a certificate is taken to have.
  static let unknownSensor = 0.05

  /// The budget.
  var budget: UncertaintyBudget {
    var lines = [sensor]
    if let limit = knowledge.limit {
      lines.append(
        .init(
          name: "fit and repeats", relative: limit.gain.relativeUncertainty, evaluation: .typeA,
          degreesOfFreedom: Double(max(1, 2 * knowledge.sweeps.count - 4))))
    }
    lines.append(.init(name: "sensor flatness", relative: flatness, evaluation: .typeB))
    lines.append(
      .init(name: "alignment and cross axis", relative: alignment, evaluation: .typeB))
    let moved = knowledge.movement.gain / 3.0.squareRoot()
    lines.append(.init(name: "drift while measured", relative: moved, evaluation: .typeB))
    if subject.hasReference {
      lines.append(.init(name: "drive voltage", relative: 0.002, evaluation: .typeB))
    } else {
      lines.append(
        .init(name: "drive voltage, not captured", relative: 0.01, evaluation: .typeB))
    }
    if !knowledge.points.isEmpty {
      lines.append(
        .init(
          name: "noise of a tone", relative: toneNoise, evaluation: .typeA,
          degreesOfFreedom: Double(knowledge.points.count)))
    }
    return UncertaintyBudget(lines: lines)
  }

  private var sensor: UncertaintyBudget.Line {
    guard let certified = subject.sensorUncertainty else {
      return .init(
        name: "sensor without certificate", relative: Self.unknownSensor, evaluation: .typeB)
    }
    return .init(name: "sensor sensitivity", relative: certified, evaluation: .typeB)
  }

  /// The corner of the low-pass is known to a tenth: what that does at 230 Hz; 1 % where it is not known.
  private var flatness: Double {
    guard let corner = subject.sensorBandwidth else { return 0.01 }
    let filter = KnownFilter.butterworth(corner: corner)
    let other = KnownFilter.butterworth(corner: 0.9 * corner)
    return abs(other.response(at: 230).magnitude / filter.response(at: 230).magnitude - 1) + 0.002
  }

  /// 5 degrees out of line where one axis is measured; what is left across where there are three.
  private var alignment: Double {
    knowledge.axisNames.count >= 3 ? 0.002 : (1 - cos(5 * .pi / 180)) / 3.0.squareRoot()
  }

  private var toneNoise: Double {
    let relative = knowledge.points.map { $0.reading.levelUncertainty * log(10) / 20 }
    return Statistics.median(relative)
  }
}
