import Actuators
import Bench
public import Calibration
import Devices
import Profiles
import Units

/// Looks in a few seconds whether an actuator still is what its profile says.
public struct CheckWorkflow: Sendable {
  private let choice: ActuatorChoice
  private let profile: LoadedProfile
  private let user: RigOperator

  /// Reads the profile; `path` is its file, or a folder of profiles.
  public init(_ choice: ActuatorChoice, profile path: String, by user: RigOperator) throws {
    self.choice = choice
    self.user = user
    profile = try LoadedProfile(path: path, for: choice.rig)
    profile.noteTemperature(on: choice.rig, to: user)
  }

  /// Plays, and compares.
  public func execute() async throws -> CalibrationCheck.Outcome {
    let open = try OpenSession(
      choice.rig, without: "\(choice.path): a check needs a rig that records", by: user)
    let rig = open.rig
    let laws = profile.profile.laws
    let subject = CalibrationSubject(
      rig: rig, actuator: rig.actuators[0], target: laws.target, sharpness: laws.sharpness,
      referenceIsGiven: true, run: "check", program: user.software, date: Host.time("%Y-%m-%d"))
    defer { user.tell(.idle) }
    var procedure = CalibrationCheck(subject: subject, profile: profile.profile)
    try await SegmentRun(rig: rig, limits: subject.actuator.limits, store: nil).execute(
      &procedure, on: open.session
    ) { [user] in user.tell(.segment($0)) }
    try open.finish()
    guard let outcome = procedure.outcome() else {
      throw InputError("\(choice.path): the check ended without a finding")
    }
    return outcome
  }
}
