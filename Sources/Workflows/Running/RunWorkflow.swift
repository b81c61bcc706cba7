public import Acceptance
import Bench
public import Devices
import HapticRendering
import Perception
import Profiles
import RigDevices
import RunArchive

/// A run from the opened rig to the written report.
public struct RunWorkflow: Sendable {
  private let request: RunRequest
  private let user: RigOperator

  /// What is left of a run: its record and where it lies.
  public struct Outcome: Sendable {
    /// What was played, measured and judged.
    public let record: RunRecord
    /// The run's folder.
    public let folder: String
    /// What ended the run early.
    public let fault: DeviceError?
  }

  /// Makes a run that has not begun.
  public init(_ request: RunRequest, by user: RigOperator) {
    self.request = request
    self.user = user
  }

  /// Plays, measures, judges and writes.
  ///
  /// Where somebody asks to stop, the drive goes to zero and the record says so.
  public func execute() async throws -> Outcome {
    let began = Host.seconds
    let date = Host.time("%Y-%m-%dT%H:%M:%SZ")
    let stamp = Host.time("%Y%m%d-%H%M%S")
    let name = "\(stamp)-\(request.rig.name)-\(request.plan.name)"
    let builder = TakeBuilder(
      rig: request.rig, laws: request.laws.configuration, profile: request.profile?.profile,
      hasProbe: request.plan.probe)
    try builder.checkLimits(of: request.patterns)
    var folder = try RunFolder(name: name, in: request.folder)
    let target = request.profile?.profile.laws.target ?? request.laws.target
    let run = PlanRun(
      plan: request.plan, patterns: request.patterns, builder: builder, target: target,
      folder: request.plan.keepsRecordings ? folder.path : nil)
    let outcome = try await play(run, builder, target, folder: folder.path)
    var record = self.record(outcome, builder, target)
    try RunInputs(request).write(into: folder, record: &record)
    record.header = RunRecord.Header(
      date: date, host: Host.name, duration: Host.seconds - began, folder: folder.name,
      environment: RunEnvironment.account(request, record, version: user.version).merging(
        request.environment
      ) { $1 })
    record.header.files = try folder.contents()
    for (name, text) in RunViews(
      record, figures: outcome.run.figures, charts: InstalledCharts.library
    ).texts {
      try folder.write(text, to: name)
    }
    // The record comes last: it says what all the other files are.
    record.header.files = try folder.contents(knowing: record.header.files)
    try folder.write(record.text, to: RunFolder.recordFile)
    try folder.keep()
    index(folder.name)
    return Outcome(record: record, folder: folder.finalPath, fault: outcome.run.fault)
  }

  /// Adds the run to the index; where that fails the run is complete all the same.
  private func index(_ id: String) {
    do throws(ArchiveError) {
      let beside = try ArchiveLocation(request.folder)
      try Archive.index(id, in: request.archive ?? beside)
    } catch {
      user.notice(.warning, "the run is kept, but not indexed yet: \(error)")
    }
  }

  /// What came of devices and checks together.
  private struct RunOutcome {
    var run = PlanRun.Outcome()
    /// What was looked at before the first take.
    var setup: [SetupFinding]?
    /// Whether the response was lined up by its own marker.
    var hasArbitraryDelay = false
  }

  private func play(
    _ run: PlanRun, _ builder: TakeBuilder, _ target: IntensityTarget, folder: String
  ) async throws -> RunOutcome {
    try user.check(" before anything played")
    let response = try responseLocation(builder)
    let devices = RunDevices(request.rig, responseSkip: response?.skip ?? 0, user)
    let session = try devices.session(1)
    var outcome = RunOutcome()
    if !devices.isOffLine, let checks = request.plan.setup {
      let setup = await PlanSetup(checks, builder: builder, target: target).look(
        on: session,
        writing: request.plan.keepsRecordings ? (bytes(run, builder), folder) : nil)
      outcome.setup = setup.findings
      outcome.run.fault = setup.fault ?? setup.refusal(of: request.rig)
      guard outcome.run.fault == nil else {
        // Not held any longer than it is needed: nothing is played on it.
        try devices.finish()
        return outcome
      }
    }
    let control =
      try devices.isOffLine ? nil : ControlDevices(request, target, folder: folder, user)
    defer { user.tell(.idle) }
    outcome.run = try await run.execute(
      opening: { try devices.session($0) }, control: control?.run,
      progress: { [user] in user.tell(.run($0, takes: run.takeCount)) })
    if let stray = outcome.run.stray {
      outcome.setup = (outcome.setup ?? []).filter { $0.check != stray.check } + [stray]
    }
    try control?.finish()
    try devices.finish()
    if response?.isArbitrary == true {
      outcome.run.readings = outcome.run.readings.withoutElectricalLatency
      outcome.hasArbitraryDelay = true
    }
    return outcome
  }

  /// How much the recordings of a run will take, in float32.
  private func bytes(_ run: PlanRun, _ builder: TakeBuilder) -> Int {
    4 * run.frameCount * (request.rig.drive.channels.count + request.rig.capture.channels.count)
  }

  /// Where a response file begins; `nil` for devices that are on line.
  private func responseLocation(_ builder: TakeBuilder) throws -> ResponseLocator.Location? {
    guard case .file(let files) = request.rig.drive.device, let path = files.response,
      let first = request.patterns.first
    else { return nil }
    return try ResponseFile.location(
      path: path, rig: request.rig, take: builder.build(first), user)
  }

  private func record(
    _ result: RunOutcome, _ builder: TakeBuilder, _ target: IntensityTarget
  ) -> RunRecord {
    let outcome = result.run
    let status: RunRecord.Status =
      outcome.fault.map { $0.code == .interrupted ? .interrupted : .fault } ?? .complete
    var record = RunRecord(
      header: RunRecord.Header(date: "", host: "", duration: 0, folder: ""),
      run: RunRecord.Run(
        status: status, reason: outcome.fault?.description, software: user.software,
        seed: request.plan.seed, laws: RunAccount.laws(builder.configuration, target),
        referenceLevel: target.referenceLevel,
        calibration: request.profile?.account ?? "uncalibrated",
        hasArbitraryDelay: result.hasArbitraryDelay),
      rig: RunAccount.rig(request.rig), actuator: RunAccount.actuator(request.rig.actuators[0]),
      plan: request.plan, patterns: outcome.patterns, readings: outcome.readings, verdict: .pass,
      setup: result.setup, control: control(outcome),
      impulse: RunRecord.Impulse(firstOf: outcome.figures))
    record.judge()
    return record
  }

  /// What the record says of the control: its rig, and the loop's where the loop is one.
  private func control(_ outcome: PlanRun.Outcome) -> RunRecord.Control? {
    if let control = request.control {
      return RunRecord.Control(
        rig: RunAccount.rig(control.rig), actuator: RunAccount.actuator(control.rig.actuators[0]),
        patterns: outcome.controlPatterns)
    }
    guard request.plan.control?.subject == .loop else { return nil }
    return RunRecord.Control(rig: RunAccount.rig(request.rig), actuator: nil, patterns: [])
  }
}
