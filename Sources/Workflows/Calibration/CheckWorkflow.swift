import Bench
package import Calibration
import Devices
import Profiles
import Units

/// Looks in a few seconds whether an actuator still is what its profile says.
package enum CheckWorkflow {
  /// Plays, and compares with a profile: its file, or a folder of profiles.
  package static func execute(
    _ choice: ActuatorChoice, profile path: String, by user: RigOperator
  ) async throws -> CalibrationCheck.Outcome {
    let profile = try LoadedProfile(path: path, for: choice.rig)
    profile.noteTemperature(on: choice.rig, to: user)
    let open = try OpenSession(
      choice.rig, without: "\(choice.path): a check needs a rig that records", by: user)
    let rig = open.rig
    let laws = profile.profile.laws
    let subject = CalibrationSubject(
      rig: rig, actuator: rig.actuators[0], target: laws.target, sharpness: laws.sharpness,
      referenceIsGiven: true, run: "check", program: user.software, date: Host.time("%Y-%m-%d"))
    defer { user.tell(.idle) }
    var procedure = CalibrationCheck(subject: subject, profile: profile.profile)
    try await SegmentRun(rig: rig, limits: subject.limits, store: nil).execute(
      &procedure, on: open.session
    ) { user.tell(.segment($0)) }
    try open.finish()
    guard let outcome = procedure.outcome() else {
      throw InputError("\(choice.path): the check ended without a finding")
    }
    return outcome
  }
}
