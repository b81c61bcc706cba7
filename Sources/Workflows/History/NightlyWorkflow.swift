public import Acceptance
import Bench
public import Devices
import Paths
public import Reporting
public import RunArchive

/// A rig's night: run, regression with one re-run, page, pruning.
public struct NightlyWorkflow: Sendable {
  private let request: RunRequest
  private let location: ArchiveLocation
  private let user: RigOperator
  /// How many days up to this night are looked at.
  public var days = HistoryQuestion.standardDays
  /// Whether the plan is run once more where a change rests on this night alone.
  public var hasRerun = true
  /// What is pruned at the end; `nil` for nothing.
  public var retention: Retention?
  /// The file of the page; `nil` for one beside the runs.
  public var html: String?

  /// Makes a night that has not begun.
  public init(_ request: RunRequest, in location: ArchiveLocation, by user: RigOperator) {
    self.request = request
    self.location = location
    self.user = user
  }

  /// A part of the night that is done.
  public enum Part: Sendable {
    /// The plan was run.
    case run(RunWorkflow.Outcome)
    /// The nights were looked at, and their page written to a file.
    case history(HistoryReport, page: String)
    /// Old runs and recordings were removed.
    case pruned(PruneSummary)
  }

  /// What came of the night.
  public struct Outcome: Sendable {
    /// The run's record.
    public let record: RunRecord
    /// What the nights say.
    public let report: HistoryReport
    /// What ended the run or the re-run early.
    public let fault: DeviceError?
  }

  /// Does all of it.
  ///
  /// - Parameter tell: Takes each part as soon as it is done.
  /// - Returns: What came of it; a fault that ended the run or the re-run is in it.
  /// - Throws: The `DeviceError` or the `WorkflowError` of an interruption; `WorkflowError.fault` where another
  ///   process is at this rig's night; errors of their kind where something cannot be read or written.
  public func execute(_ tell: (Part) throws -> Void) async throws -> Outcome {
    let lock = try takeLock()
    let run = try await RunWorkflow(request, by: user).execute()
    try tell(.run(run))
    try end(ifInterrupted: run.fault)
    var question = HistoryQuestion(rig: request.rig.name, plan: request.plan.name)
    question.days = days
    question.pageFolder = FilePath.folder(of: page)
    // A rig that is faulty is not run again.
    let outcome = try await Regression(
      question, in: location, rerun: hasRerun && run.fault == nil ? request : nil, by: user
    ).execute()
    try Folder.make(FilePath.folder(of: page))
    try AtomicFile.write(HistoryPage(outcome.report).text, to: page)
    try tell(.history(outcome.report, page: page))
    try end(ifInterrupted: outcome.fault)
    if let retention {
      let now = Moment(seconds: Host.secondsSince1970)
      try tell(
        .pruned(Archive(opening: location).prune(retention, now: now, isDry: false)))
    }
    _ = consume lock
    return Outcome(
      record: run.record, report: outcome.report, fault: run.fault ?? outcome.fault)
  }

  /// The page's file: where it was asked for, or beside the runs.
  private var page: String {
    let name = "nightly-\(request.rig.name)-\(request.plan.name)".map { $0 == "/" ? "_" : $0 }
    return html ?? "\(location.folder)/\(String(name)).html"
  }

  private func takeLock() throws -> WorkLock {
    do {
      return try WorkLock("nightly-" + request.rig.name, in: location.folder)
    } catch let error as WorkInProgress {
      let holder = error.process.map { "process \($0)" } ?? "another process"
      throw WorkflowError.fault(
        "\(request.rig.name): \(holder) is at this rig's night already: wait for it, or end it "
          + "with 'haprig stop'")
    }
  }

  /// Ends where somebody asked to stop: the record of the run says so, and nothing else is begun.
  private func end(ifInterrupted fault: DeviceError?) throws {
    if let fault, fault.code == .interrupted { throw fault }
    try user.check(" after the run")
  }
}
