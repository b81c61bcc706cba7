private import Glibc
import Profiles
import SignalAnalysis
import Units

/// The uncertainty of a profile's accelerations, line by line (GUM).
struct BudgetAssembly: Sendable {
  let findings: Findings

  private var subject: CalibrationSubject { findings.subject }

  /// The relative standard uncertainty that a sensor without a certificate is taken to have.
  static let unknownSensor = 0.05

  /// The budget.
  var budget: UncertaintyBudget {
    var lines = sensorLines
    if let limit = findings.resonance?.limit {
      lines.append(
        .init(
          name: "fit and repeats", relative: limit.gain.relativeUncertainty, evaluation: .typeA,
          degreesOfFreedom: Double(max(1, 2 * findings.sweeps.all.count - 4))))
    }
    lines.append(
      .init(name: "alignment and cross axis", relative: alignment, evaluation: .typeB))
    lines.append(mounting)
    let moved = findings.movement.gain / 3.0.squareRoot()
    lines.append(.init(name: "drift while measured", relative: moved, evaluation: .typeB))
    if subject.hasReference {
      lines.append(.init(name: "drive voltage", relative: 0.002, evaluation: .typeB))
    } else {
      lines.append(
        .init(name: UncertaintyBudget.Line.unseenDrive, relative: 0.01, evaluation: .typeB))
    }
    if !findings.verification.points.isEmpty {
      lines.append(
        .init(
          name: "noise of a tone", relative: toneNoise, evaluation: .typeA,
          degreesOfFreedom: Double(findings.verification.points.count)))
    }
    return UncertaintyBudget(lines: lines)
  }

  /// What the sensor adds.
  var sensorLines: [UncertaintyBudget.Line] {
    var lines = [sensor]
    if !subject.sensorIsCompared {
      lines.append(
        .init(
          name: subject.sensorBandwidth == nil
            ? UncertaintyBudget.Line.unknownBandwidth : "sensor flatness",
          relative: flatness, evaluation: .typeB))
    }
    if let deviation = findings.rest?.check.gravity.deviation {
      lines.append(.init(name: "gravity on the sensor", relative: deviation, evaluation: .typeB))
    }
    return lines
  }

  /// What mounting the actuator or the sensor anew does: measured where that was done, else as usual.
  ///
  /// 0.8 % for a sensor with a certificate, 1 % for one without (design examples of a budget).
  private var mounting: UncertaintyBudget.Line {
    let gains = ([findings.identity.closing].compactMap(\.self) + findings.identity.remounts).map(
      \.mode.gain)
    guard !findings.identity.remounts.isEmpty, gains.count >= 2 else {
      return .init(
        name: "mounting, assumed", relative: subject.sensorUncertainty == nil ? 0.01 : 0.008,
        evaluation: .typeB)
    }
    let count = Double(gains.count)
    let mean = gains.reduce(0) { $0 + $1.value } / count
    let square = gains.reduce(0) { $0 + ($1.value - mean) * ($1.value - mean) } / (count - 1)
    return .init(
      name: "mounting, \(findings.identity.remounts.count) times anew",
      relative: square.squareRoot() / abs(mean), evaluation: .typeA,
      degreesOfFreedom: count - 1)
  }

  private var sensor: UncertaintyBudget.Line {
    guard let certified = subject.sensorUncertainty else {
      return .init(
        name: UncertaintyBudget.Line.noCertificate, relative: Self.unknownSensor, evaluation: .typeB
      )
    }
    return .init(name: UncertaintyBudget.Line.sensitivity, relative: certified, evaluation: .typeB)
  }

  /// The corner of the low-pass is known to a tenth: what that does at 230 Hz.
  private var flatness: Double {
    guard let corner = subject.sensorBandwidth else {
      return subject.filterDoubt.gain(at: findings.resonance?.limit.frequency.value ?? 230)
    }
    let filter = KnownFilter.butterworth(corner: corner)
    let other = KnownFilter.butterworth(corner: 0.9 * corner)
    return abs(other.response(at: 230).magnitude / filter.response(at: 230).magnitude - 1) + 0.002
  }

  /// 5 degrees out of line where one axis is measured; what is left across where there are three, and
  /// a hundredth of what their cross-axis sensitivity adds to an oblique motion.
  private var alignment: Double {
    findings.axisNames.count >= 3
      ? 0.002 + 0.01 * findings.motion.offAxis : (1 - cos(5 * .pi / 180)) / 3.0.squareRoot()
  }

  private var toneNoise: Double {
    let relative = findings.verification.points.map { $0.reading.levelUncertainty * log(10) / 20 }
    return Statistics.median(relative)
  }
}
