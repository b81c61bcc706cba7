// SPDX-License-Identifier: Apache-2.0

import AHAP
package import Acceptance
import Actuators
package import Devices
private import Glibc
import HapticRendering
import Paths
package import Perception
import SignalAnalysis
import Units

/// Looks at a rig before the first take of a plan.
///
/// One short take is played and measured: quiet, the markers on the reference, and the probe, or a hum of
/// a quarter of a second for an actuator that no probe tells anything of. Nothing of it becomes a reading.
package struct PlanSetup: Sendable {
  private let checks: SetupChecks
  private let builder: TakeBuilder
  private let analysis: TakeAnalysis

  package init(_ checks: SetupChecks, builder: TakeBuilder, target: IntensityTarget) {
    self.checks = checks
    self.builder = builder
    analysis = TakeAnalysis(rig: builder.rig, target: target)
  }

  /// What the checks found, in the order of their kinds, and the fault that ended them if one did.
  package struct Outcome: Sendable, Equatable {
    package var findings: [SetupFinding] = []
    package var fault: DeviceError?

    package func refusal(of rig: RigDescription) -> DeviceError? {
      findings.first { !$0.holds }.map { $0.refusal(of: rig) }
    }
  }

  package func look(
    on session: Session, writing recordings: (bytes: Int, folder: String)?
  ) async -> Outcome {
    var outcome = Outcome()
    if checks.diskSpace, let recordings {
      outcome.findings.append(Self.diskSpace(recordings.bytes, in: recordings.folder))
    }
    if let range = checks.temperature { outcome.findings.append(temperature(in: range)) }
    guard checks.needsTake else { return outcome }
    let take = builder.build(pattern)
    let recording = await session.play(take)
    if let fault = recording.fault {
      outcome.fault = fault
      return outcome
    }
    let source = CapturedTake(
      rig: builder.rig, target: analysis.target, take: take, recording: recording,
      pattern: "setup", number: 1)
    if let most = checks.noiseFloor { outcome.findings.append(source.noiseFinding(atMost: most)) }
    if let gravity = checks.gravity {
      outcome.findings.append(source.gravityFinding(near: gravity))
    }
    if checks.reference { outcome.findings.append(source.referenceFinding) }
    if checks.response { outcome.findings.append(source.answerFinding) }
    if let actuator = MountedActuator.finding(of: source) { outcome.findings.append(actuator) }
    return outcome
  }

  /// Nothing where the probe drives the actuator, else a hum.
  private var pattern: LoadedPattern {
    let hum =
      """
      {"Event": {"EventType": "HapticContinuous", "Time": 0, "EventDuration": 0.25, \
      "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterValue": 0.5}, \
      {"ParameterID": "HapticSharpness", "ParameterValue": 0.5}]}}
      """
    let text = "{\"Version\": 1.0, \"Pattern\": [\(builder.hasProbe ? "" : hum)]}\n"
    let document = try? AHAPReader.read(Array(text.utf8), fileName: "setup", options: .init())
    guard let document else { preconditionFailure("the pattern of the setup is one") }
    return LoadedPattern(
      name: "setup", file: "setup", document: document, sounds: SoundBank(), missingSounds: [:],
      source: [], soundFiles: [:], findings: [])
  }

  /// Room is what a user may take, with a tenth to spare.
  private static func diskSpace(_ bytes: Int, in folder: String) -> SetupFinding {
    guard let free = DiskSpace.free(in: folder) else {
      return SetupFinding(
        .diskSpace, holds: false,
        "the room in '\(folder)' is not known: \(String(cString: strerror(errno)))")
    }
    let needed = 1.1 * Double(bytes)
    let sizes = "the recordings take \(megabytes(needed)) and '\(folder)' has \(megabytes(free))"
    return SetupFinding(
      .diskSpace, holds: free >= needed, sizes,
      else: "make room, or write 'recordings: false' in the plan")
  }

  private static func megabytes(_ bytes: Double) -> String {
    "\(EngineeringFormat.significant((bytes / 1e5).rounded(.up) / 10)) MB"
  }

  private func temperature(in range: ClosedRange<Double>) -> SetupFinding {
    let actuator = builder.rig.actuators[0]
    func text(_ value: Double) -> String { EngineeringFormat.text(value, .celsius) }
    let wanted = "from \(text(range.lowerBound)) to \(text(range.upperBound))"
    guard let value = actuator.temperature else {
      return SetupFinding(
        .temperature, holds: false,
        "the rig file gives no temperature of '\(actuator.id)', which must be \(wanted): write "
          + "'temperature: 23 degC' at the actuator")
    }
    let holds = range.contains(value)
    return SetupFinding(
      .temperature, holds: holds,
      "'\(actuator.id)' has \(text(value)) by the rig file, "
        + (holds ? wanted : "and must be \(wanted): wait, or correct the rig file"))
  }
}

extension SetupFinding {
  fileprivate init(
    _ check: SetupChecks.Check, holds: Bool, _ sentence: String, else remedy: String
  ) {
    self.init(check, holds: holds, holds ? sentence : "\(sentence): \(remedy)")
  }

  func refusal(of rig: RigDescription) -> DeviceError {
    DeviceError(
      .setup, device: rig.name, message: "the setup check '\(check.rawValue)' failed: \(sentence)")
  }
}

extension DeviceError.Code {
  /// What was looked at before the first take does not hold: put it right and run again.
  package static let setup = DeviceError.Code(rawValue: "setup")
}

extension CapturedTake {
  private func show(_ value: Double) -> String {
    EngineeringFormat.text(value, .metrePerSecondSquared)
  }

  fileprivate func noiseFinding(atMost most: Double) -> SetupFinding {
    guard let noise else { return Self.noSensor(.noiseFloor) }
    let found = noise.sigma.value
    let sizes = "the noise floor is \(show(found)) and may be \(show(most))"
    return SetupFinding(
      .noiseFloor, holds: found <= most, sizes,
      else: "find what shakes the rig, or what hums in its cables")
  }

  fileprivate func gravityFinding(near expected: Double) -> SetupFinding {
    // The same stretch as the noise floor's, so that the probe moves nothing.
    let quiet = take.quietFrames
    let axes = recording.channels.filter { $0.description.role == .acceleration }
      .compactMap { NoiseFloor.estimate(Array($0.samples.prefix(quiet)))?.offset.value }
    guard let first = axes.first else { return Self.noSensor(.gravity) }
    let found =
      axes.count == 1 ? first : axes.reduce(0) { $0 + $1 * $1 }.squareRoot()
    let tolerance = SetupChecks.gravityTolerance
    let sizes = "at rest the sensor reads \(show(found)) and should read \(show(expected))"
    return SetupFinding(
      .gravity, holds: !(abs(found - expected) > tolerance), sizes,
      else: Self.remedy(found, expected, tolerance))
  }

  private static func remedy(
    _ found: Double, _ expected: Double, _ tolerance: Double
  ) -> String {
    let gravity = MeasurementUnit.standardGravity.factor
    if abs(found + expected) <= tolerance { return "it is upside down, turn it over" }
    if abs(found * gravity - expected) <= tolerance {
      return "g are taken for m/s2, multiply its scale by 9.80665"
    }
    if abs(found / gravity - expected) <= tolerance {
      return "m/s2 are taken for g, divide its scale by 9.80665"
    }
    return "correct its mount, or its scale ('haprig sensor --flip' measures it)"
  }

  fileprivate var referenceFinding: SetupFinding {
    guard let line = alignment.electrical else {
      return SetupFinding(
        .reference, holds: false, alignment.electricalReason ?? "the reference is not wired")
    }
    let delay = line.delay(at: 0)
    let text = EngineeringFormat.text(
      delay.value / take.rate.hertz, .second, uncertainty: delay.uncertainty / take.rate.hertz)
    return SetupFinding(.reference, holds: true, "the markers come back after \(text)")
  }

  /// Whether the response to the probe, or to the hum, stands four times above the noise in its band.
  fileprivate var answerFinding: SetupFinding {
    guard let response, let noise else { return Self.noSensor(.response) }
    let start = take.layout.probe ?? take.layout.pattern
    let length = take.layout.probe == nil ? take.layout.patternLength : take.layout.probeLength
    let late = alignment.responseFrames(at: Double(start)).map { Int($0) }
    let longest = take.rate.wholeFrames(TakeLayout.longestDelay)
    let frames = (start + (late ?? 0))..<(start + length + (late ?? longest))
    let stretch = FeltBand.stretch(
      frames.clamped(to: response.samples.indices), of: response.samples,
      offset: Float(noise.offset.value), rate: take.rate)
    let found = stretch.isEmpty ? 0 : Amplitude.rms(stretch)
    let sizes = "it answers with \(show(found)) over a noise of \(show(feltNoise))"
    let actuator = "'\(rig.actuators[0].id)' on drive channel \(rig.channel(of: rig.actuators[0]))"
    return SetupFinding(
      .response, holds: found > 4 * feltNoise && found > 0,
      found > 4 * feltNoise && found > 0
        ? "the actuator \(actuator) is driven: \(sizes)"
        : "the actuator \(actuator) does not answer: \(sizes): check the amplifier, the wire and how "
          + "the sensor is mounted")
  }

  private static func noSensor(_ check: SetupChecks.Check) -> SetupFinding {
    SetupFinding(
      check, holds: false, "the rig has no acceleration channel that delivers samples: check it")
  }
}
