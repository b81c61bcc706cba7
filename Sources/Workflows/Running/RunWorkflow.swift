// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Actuators
import Bench
package import Devices
import Glibc
import HapticRendering
import LiveRuns
import Perception
import Profiles
import Reporting
import RigDevices
import RunArchive
import SoundFiles
import Units

package struct RunWorkflow: Sendable {
  private let request: RunRequest
  private let user: RigOperator

  package struct Outcome: Sendable {
    package let record: RunRecord
    package let folder: String
    package let fault: DeviceError?
  }

  package init(_ request: RunRequest, by user: RigOperator) {
    self.request = request
    self.user = user
  }

  /// Where somebody asks to stop, the drive goes to zero and the record says so.
  ///
  /// Of a job that has a complete run already, that run is the outcome, and nothing is played; `ifDone` says so, given
  /// the run's name.
  package func execute(
    ifDone sentence: ((_ run: String) -> String)? = nil
  ) async throws -> Outcome {
    if let done = done(sentence) { return done }
    let began = MonotonicClock.seconds
    let moment = request.order.began?.seconds
    let date = Host.time("%Y-%m-%dT%H:%M:%SZ", at: moment)
    let stamp = Host.time("%Y%m%d-%H%M%S", at: moment)
    let name = "\(stamp)-\(request.rig.name)-\(request.plan.name)"
    let builder = request.builder
    try builder.checkLimits(of: request.patterns)
    user.tell(.work(work))
    var folder = try RunFolder(name: name, in: request.order.folder)
    let target = request.target
    var run = PlanRun(
      plan: request.plan, patterns: request.patterns, builder: builder, target: target,
      folder: request.plan.recordings == .none ? nil : folder.path)
    if let thermometer = request.rig.thermometer {
      run.temperature = try TemperatureLog(
        every: thermometer.interval, uncertainty: thermometer.uncertainty,
        Thermometer(thermometer).read)
    }
    let outcome = try await play(run, builder, target, folder: folder.path)
    var record = self.record(outcome, builder, target)
    try RunInputs(request).write(into: folder, record: &record)
    record.header = RunRecord.Header(
      date: date, host: Host.name, duration: MonotonicClock.seconds - began, folder: folder.name,
      environment: request.environment(of: record, version: user.version))
    record.header.files = try folder.contents()
    for (name, text) in RunViews.texts(
      of: record, figures: outcome.figures, charts: InstalledCharts.library)
    {
      try folder.write(text, to: name)
    }
    // The record comes last: it says what all the other files are.
    record.header.files = try folder.contents(knowing: record.header.files)
    try folder.write(record.text, to: RunFolder.recordFile)
    try folder.keep()
    index(folder.name)
    user.tell(whole: record, in: folder.finalPath)
    return Outcome(record: record, folder: folder.finalPath, fault: outcome.fault)
  }

  /// The complete run of the same job; `nil` where there is none, or it cannot be known.
  private func done(_ sentence: ((_ run: String) -> String)?) -> Outcome? {
    let order = request.order
    guard let job = order.environment[ReadingSeries.jobMark] else { return nil }
    do throws(ArchiveError) {
      let beside = try ArchiveLocation(order.folder)
      let location = order.archive ?? beside
      guard access(location.folder, F_OK) == 0 else { return nil }
      // One that ended before it was indexed is found too: opening adds it.
      let archive = try Archive(opening: location)
      let filter = RunFilter(rig: request.rig.name, plan: request.plan.name)
      let jobs = try archive.environment(ReadingSeries.jobMark, of: filter)
      let runs = try archive.runs(matching: filter).filter {
        $0.status == .complete && jobs[$0.id] == job
      }
      guard let run = runs.last, let record = try archive.record(of: run) else { return nil }
      user.notice(
        .warning,
        sentence?(run.id) ?? "the job \(job) has a complete run, \(run.id): nothing is played")
      return Outcome(record: record, folder: "\(location.folder)/\(run.id)", fault: nil)
    } catch {
      user.notice(.warning, "whether the job \(job) was done cannot be known: \(error)")
      return nil
    }
  }

  private var work: LiveEvent.Work {
    let plan = request.plan
    return LiveEvent.Work(
      rig: request.rig.name, plan: plan.name, title: "run \(plan.name)",
      actuators: request.rig.actuators.map(\.id), patterns: request.patterns.map(\.name),
      takes: PlanSchedule(plan, patternCount: request.patterns.count).takeCount,
      archive: Host.fromRoot(request.order.folder))
  }

  /// Adds the run to the index; where that fails the run is complete all the same.
  private func index(_ id: String) {
    do throws(ArchiveError) {
      let beside = try ArchiveLocation(request.order.folder)
      try Archive.index(id, in: request.order.archive ?? beside)
    } catch {
      user.notice(.warning, "the run is kept, but not indexed yet: \(error)")
    }
  }

  private func play(
    _ run: PlanRun, _ builder: TakeBuilder, _ target: IntensityTarget, folder: String
  ) async throws -> PlanRun.Outcome {
    try user.check(" before anything played")
    let response = try responseLocation()
    let devices = RunDevices(request.rig, responseSkip: response?.skip ?? 0, user)
    let session = try devices.session(1)
    var outcome = PlanRun.Outcome()
    if !devices.isOffLine, let checks = request.plan.setup {
      let setup = await PlanSetup(checks, builder: builder, target: target).look(
        on: session,
        writing: request.plan.recordings == .none ? nil : (bytes(run, builder), folder))
      outcome.setup = setup.findings
      outcome.fault = setup.fault ?? setup.refusal(of: request.rig)
      guard outcome.fault == nil else {
        // Not held any longer than it is needed: nothing is played on it.
        try devices.finish()
        return outcome
      }
    }
    let control =
      try devices.isOffLine ? nil : ControlDevices(request, target, folder: folder, user)
    defer { user.tell(.idle) }
    let setup = outcome.setup
    outcome = try await run.execute(
      opening: { try devices.session($0) }, control: control?.run,
      progress: user.telling(request.plan, hasProfile: request.profile != nil))
    outcome.setup = setup
    if let stray = outcome.stray {
      outcome.setup = (setup ?? []).filter { $0.check != stray.check } + [stray]
    }
    try control?.finish()
    try devices.finish()
    if response?.isArbitrary == true {
      outcome.readings = outcome.readings.withoutElectricalLatency
      outcome.hasArbitraryDelay = true
    }
    return outcome
  }

  /// How much the recordings of a run will take at the most: packed, noise of full scale is no smaller.
  private func bytes(_ run: PlanRun, _ builder: TakeBuilder) -> Int {
    (request.plan.recordings == .float ? 4 : 3) * run.frameCount
      * (request.rig.drive.channels.count + request.rig.capture.channels.count)
  }

  /// Where the stimulus begins in a response file; `nil` for devices that are on line.
  private func responseLocation() throws -> ResponseLocator.Location? {
    let rig = request.rig
    guard case .file(let files) = rig.drive.device, let path = files.response,
      let first = request.patterns.first
    else { return nil }
    let sound = try SoundFile.read(path: path)
    guard sound.info.rate == rig.drive.rate else {
      throw InputError(
        "\(path): the response is at \(sound.info.rate) and the rig at \(rig.drive.rate): "
          + "record at the rig's rate")
    }
    let reference = rig.capture.channel(.reference)
    let wanted = reference ?? rig.capture.channel(.acceleration)
    guard let wanted, sound.channels.indices.contains(wanted.input - 1) else {
      throw InputError(
        "\(path): the response has \(sound.info.channelCount) channels, and the rig file asks for "
          + "input \(wanted?.input ?? 1)")
    }
    let location = try ResponseLocator.locate(
      request.builder.build(first), in: sound.channels[wanted.input - 1].samples,
      isReference: reference != nil)
    if location.isArbitrary {
      user.notice(
        .warning,
        "the response was not started with the stimulus; it was lined up by its first "
          + "marker, so latency.electrical is arbitrary")
    }
    return location
  }

  private func record(
    _ outcome: PlanRun.Outcome, _ builder: TakeBuilder, _ target: IntensityTarget
  ) -> RunRecord {
    let status: RunRecord.Status =
      outcome.fault.map { $0.code == .interrupted ? .interrupted : .fault } ?? .complete
    var record = RunRecord(
      header: RunRecord.Header(date: "", host: "", duration: 0, folder: ""),
      run: RunRecord.Run(
        status: status, reason: outcome.fault?.description, software: user.software,
        seed: request.plan.seed, laws: Self.laws(builder.configuration, target),
        referenceLevel: target.referenceLevel,
        calibration: request.profile?.identity ?? "uncalibrated",
        hasArbitraryDelay: outcome.hasArbitraryDelay),
      rig: RunRecord.Rig(request.rig), actuator: Actuator(asRecorded: request.rig.actuators[0]),
      plan: request.plan, patterns: outcome.patterns, readings: outcome.readings, verdict: .pass,
      setup: outcome.setup, control: control(outcome),
      impulse: RunRecord.Impulse(firstOf: outcome.figures))
    record.judge()
    return record
  }

  private static func laws(
    _ configuration: RenderConfiguration, _ target: IntensityTarget
  ) -> [String: String] {
    var laws = configuration.lawNames
    laws["contour"] = target.contour.name
    laws["level"] = target.law.name
    return laws
  }

  private func control(_ outcome: PlanRun.Outcome) -> RunRecord.Control? {
    if let control = request.control {
      return RunRecord.Control(
        rig: RunRecord.Rig(control.rig), actuator: Actuator(asRecorded: control.rig.actuators[0]),
        patterns: outcome.controlPatterns)
    }
    guard request.plan.control?.subject == .loop else { return nil }
    return RunRecord.Control(rig: RunRecord.Rig(request.rig), actuator: nil, patterns: [])
  }
}

extension RunRecord.Rig {
  fileprivate init(_ rig: RigDescription) {
    self.init(
      name: rig.name, device: rig.drive.device.kind.rawValue, rate: rig.drive.rate.hertz,
      fullScaleVolts: rig.drive.fullScaleVolts,
      driveChannels: Dictionary(
        uniqueKeysWithValues: rig.drive.channels.map { ($0.key.rawValue, $0.value) }))
  }
}

extension Actuator {
  /// With the two voltages that it bears, and nothing else that a record does not hold.
  fileprivate init(asRecorded actuator: Actuator) {
    self.init(
      id: actuator.id, model: actuator.model, kind: actuator.kind,
      limits: DriveLimits(
        continuousVolts: actuator.limits.continuousVolts, peakVolts: actuator.limits.peakVolts))
  }
}

enum RunViews {
  static let names = ["report.html", HTMLReport.pictureFile, "junit.xml", "readings.csv"]

  /// Whether a file of a run's folder is made of its record, and of nothing that it was measured from.
  static func isView(_ name: String) -> Bool {
    names.contains(name) || name.hasPrefix(HTMLReport.folder + "/")
  }

  /// `names` are the views that are wanted: a run of an earlier version has fewer.
  static func texts(
    of record: RunRecord, figures: [TakeFigure], charts: ChartLibrary?,
    names: [String] = Self.names
  ) -> [(name: String, text: String)] {
    names.flatMap { name in
      switch name {
      case "report.html": HTMLReport.pages(record: record, figures: figures, charts: charts)
      case HTMLReport.pictureFile:
        HTMLReport.picture(record: record, figures: figures).map { [(name, $0)] } ?? []
      case "junit.xml": [(name, JUnitReport.text(record: record))]
      default: [(name, ReadingsCSV.text(record: record))]
      }
    }
  }
}

enum InstalledCharts {
  /// The environment variable that names another file; empty for still pictures.
  static let variable = "HAPRIG_DYGRAPHS"

  /// The library; nil where it is not installed or cannot be read, which costs a report its zoom and no more.
  static var library: ChartLibrary? {
    let path = getenv(variable).map { String(cString: $0) } ?? ChartLibrary.installedPath
    guard !path.isEmpty,
      let bytes = try? RegularFile(path: path).bytes(limit: ChartLibrary.sizeLimit)
    else { return nil }
    return ChartLibrary(String(decoding: bytes, as: UTF8.self))
  }
}

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
    let opened = try OpenSession(
      rig, isOwn: false, without: "the control's rig has no sensors", by: user)
    open = opened
    run = ControlRun(
      PlanRun(
        plan: Plan(name: "control", recordings: request.plan.recordings),
        patterns: control.patterns, builder: builder, target: request.laws.target,
        folder: request.plan.recordings == .none ? nil : folder,
        prefix: "control-"), on: opened.session)
  }

  func finish() throws { try open?.finish() }
}
