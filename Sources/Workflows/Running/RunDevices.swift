import Acceptance
import Bench
import Devices
import Perception

final class RunDevices {
  private let rig: RigDescription
  private let responseSkip: Int
  private let user: RigOperator
  private var open: OpenSession?
  private var count = 0

  init(_ rig: RigDescription, responseSkip: Int, _ user: RigOperator) {
    self.rig = rig
    self.user = user
    self.responseSkip = responseSkip
  }

  /// Whether files stand for the devices: they cannot be opened anew in the middle.
  var isOffLine: Bool { rig.drive.device.kind == .file }

  /// The session of an opening, counted from 1; what is open of an earlier one is closed first.
  func session(_ start: Int) throws -> Session {
    if let open, start == count || isOffLine { return open.session }
    try open?.finish()
    open = nil
    let opened = try OpenSession(
      rig.started(start), responseSkip: responseSkip,
      without: "the rig has no sensors: give its recording with --response FILE.wav", by: user)
    open = opened
    count = start
    return opened.session
  }

  func finish() throws {
    try open?.finish()
    open = nil
  }
}

extension RigDescription {
  /// The rig as it is opened for the n-th time: what a simulation draws by chance is drawn anew.
  fileprivate func started(_ start: Int) -> RigDescription {
    guard case .simulated(var simulation) = drive.device else { return self }
    var rig = self
    // An odd number far from any seed that a person writes.
    simulation.seed &+= UInt64(start - 1) &* 0x9E37_79B9_7F4A_7C15
    rig.drive.device = .simulated(simulation)
    return rig
  }
}

struct ControlDevices {
  let run: ControlRun
  private let open: OpenSession?

  /// Opens what a plan's control needs; `nil` where the plan has none.
  init?(
    _ request: RunRequest, _ target: IntensityTarget, folder: String, _ user: RigOperator
  ) throws {
    guard let control = request.control else {
      guard request.plan.control != nil else { return nil }
      run = ControlRun(loopOf: request.rig)
      open = nil
      return
    }
    let builder = TakeBuilder(
      rig: control.rig, laws: request.laws.configuration, hasProbe: request.plan.probe)
    try builder.checkLimits(of: control.patterns)
    var rig = control.rig
    // A simulated rig may be the control of itself: each is held under a name of its own.
    if case .simulated = rig.drive.device { rig.name += "-control" }
    let opened = try OpenSession(rig, without: "the control's rig has no sensors", by: user)
    open = opened
    run = ControlRun(
      PlanRun(
        plan: Plan(name: "control"), patterns: control.patterns, builder: builder,
        target: request.laws.target, folder: request.plan.keepsRecordings ? folder : nil,
        prefix: "control-"), on: opened.session)
  }

  func finish() throws { try open?.finish() }
}
