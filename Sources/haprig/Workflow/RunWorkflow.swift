import Acceptance
import Bench
import Devices
import HapticRendering
import Perception
import Profiles
import Reporting
import RigDevices
import RunArchive

/// A run from the opened rig to the written report.
struct RunWorkflow {
  let request: RunRequest

  /// What is left of a run: its record and where it lies.
  struct Outcome {
    let record: RunRecord
    let folder: String
    let fault: DeviceError?
  }

  /// Plays, measures, judges and writes.
  func execute() async throws -> Outcome {
    let began = Host.seconds
    let date = Host.time("%Y-%m-%dT%H:%M:%SZ")
    let stamp = Host.time("%Y%m%d-%H%M%S")
    let name = "\(stamp)-\(request.rig.name)-\(request.plan.name)"
    let builder = TakeBuilder(
      rig: request.rig, laws: request.laws.configuration, profile: request.profile?.profile,
      hasProbe: request.plan.probe)
    try ExitStatus.of { try builder.checkLimits(of: request.patterns) }
    // From here on a signal ends the run by way of its record, not with a hidden folder left behind.
    Interruption.listen()
    var folder: RunFolder
    do throws(ArchiveError) {
      folder = try RunFolder(name: name, in: request.folder)
    } catch {
      throw ExitStatus.status(of: error)
    }
    let target = request.profile?.profile.laws.target ?? request.laws.target
    let run = PlanRun(
      plan: request.plan, patterns: request.patterns, builder: builder, target: target,
      folder: request.plan.keepsRecordings ? folder.path : nil)
    let outcome: PlanRun.Outcome
    do {
      outcome = try await play(run, builder)
    } catch {
      throw ExitStatus.status(of: error)
    }
    var record = self.record(outcome, builder, target)
    record.header = RunRecord.Header(
      date: date, host: Host.name, duration: Host.seconds - began, folder: folder.name)
    do throws(ArchiveError) {
      try folder.write(record.text, to: "record.json")
      try folder.write(
        HTMLReport.text(record: record, figures: outcome.figures), to: "report.html")
      try folder.write(JUnitReport.text(record: record), to: "junit.xml")
      try folder.keep()
    } catch {
      throw ExitStatus.status(of: error)
    }
    return Outcome(record: record, folder: folder.finalPath, fault: outcome.fault)
  }

  private func play(_ run: PlanRun, _ builder: TakeBuilder) async throws -> PlanRun.Outcome {
    try Interruption.check()
    let response = try responseLocation(builder)
    let open = try OpenSession(
      request.rig, responseSkip: response?.skip ?? 0,
      without: "the rig has no sensors: give its recording with --response FILE.wav")
    let line = ProgressLine(isQuiet: request.isQuiet)
    let count = request.patterns.count * request.plan.repeats
    let counter = TakeCounter(total: count)
    var outcome = try await run.execute(open.session) { progress in
      switch progress {
      case .began(let pattern, let take, let done, _):
        counter.begin(done + 1)
        line.show("\(counter.text) \(pattern) (take \(take))")
      case .playing(let pattern, let share):
        line.show("\(counter.text) \(pattern) \(Int(share * 100)) %")
      case .measured(let pattern, let take):
        line.step("measured \(pattern), take \(take)")
      }
    }
    line.clear()
    try open.finish()
    if response?.isArbitrary == true { outcome.withdrawElectricalLatency() }
    return outcome
  }

  /// Where a response file begins; `nil` for devices that are on line.
  private func responseLocation(_ builder: TakeBuilder) throws -> ResponseLocator.Location? {
    guard case .file(let files) = request.rig.drive.device, let path = files.response,
      let first = request.patterns.first
    else { return nil }
    return try ResponseFile.location(
      path: path, rig: request.rig, take: builder.build(first), isQuiet: request.isQuiet)
  }

  private func record(
    _ outcome: PlanRun.Outcome, _ builder: TakeBuilder, _ target: IntensityTarget
  ) -> RunRecord {
    var readings = outcome.readings
    var patterns = outcome.patterns
    let played = patterns.filter { !$0.takes.isEmpty }.map(\.name)
    var verdict = Judgement.apply(request.plan.limits, to: &readings, patterns: played)
    for index in patterns.indices {
      let judged = readings.filter { $0.pattern == patterns[index].name && $0.limit != nil }
        .compactMap(\.verdict).filter { $0 != .notMeasured }
      patterns[index].verdict = judged.isEmpty ? nil : Verdict.worst(judged)
    }
    let status: RunRecord.Status =
      outcome.fault.map { $0.code == .interrupted ? .interrupted : .fault } ?? .complete
    // A run that was cut short has not shown what it was to show.
    if status != .complete { verdict = Verdict.worst([verdict, .notMeasured]) }
    return RunRecord(
      header: RunRecord.Header(date: "", host: "", duration: 0, folder: ""),
      run: RunRecord.Run(
        status: status, reason: outcome.fault?.description, software: "haprig \(Version.text)",
        seed: request.plan.seed, laws: RunAccount.laws(builder.configuration, target),
        referenceLevel: target.referenceLevel,
        calibration: request.profile?.account ?? "uncalibrated"),
      rig: RunAccount.rig(request.rig), actuator: RunAccount.actuator(request.rig.actuators[0]),
      plan: request.plan, patterns: patterns, readings: readings, verdict: verdict)
  }
}

extension PlanRun.Outcome {
  /// Takes back the electrical latencies of a response that was lined up by its own marker.
  fileprivate mutating func withdrawElectricalLatency() {
    readings = readings.map { reading in
      guard reading.name.kind == .latencyElectrical, reading.value != nil else { return reading }
      return Reading(
        notMeasured: .latencyElectrical, pattern: reading.pattern, take: reading.take,
        channel: reading.channel,
        because: "the recording was not started with the stimulus, so its delay is arbitrary")
    }
  }
}
