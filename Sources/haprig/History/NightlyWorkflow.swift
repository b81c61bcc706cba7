import Acceptance
import Bench
import Devices
import Reporting
import RunArchive

/// A rig's night: run, regression with one re-run, page, metrics, pruning.
struct NightlyWorkflow {
  let request: RunRequest
  let location: ArchiveLocation
  let days: Int
  let hasRerun: Bool
  let retention: Retention?
  let metrics: String?
  let html: String?

  /// Does all of it, and ends with what it came to.
  func execute() async throws {
    let lock = try takeLock()
    let run = try await RunWorkflow(request: request).execute()
    Console.out(TextReport.table(record: run.record, color: Console.hasColour))
    Console.out("report: \(run.folder)/report.html\n\n")
    try end(ifInterrupted: run.fault)
    let question = HistoryQuestion(
      rig: request.rig.name, plan: request.plan.name, days: days,
      pageFolder: PageLink.folder(page))
    // A rig that is faulty is not run again.
    let outcome = try await Regression(
      question, in: location, rerun: hasRerun && run.fault == nil ? request : nil
    ).execute()
    Console.out(HistoryText.summary(outcome.report, color: Console.hasColour))
    try HistoryOutput.write(HistoryPage(outcome.report).text, to: page)
    Console.out("history: \(page)\n")
    if let metrics {
      try HistoryOutput.write(
        OpenMetricsReport.text(record: run.record, history: outcome.report), to: metrics)
    }
    try end(ifInterrupted: outcome.fault)
    try prune()
    _ = consume lock
    if let fault = run.fault ?? outcome.fault { throw ExitStatus.status(of: fault) }
    let hasFailed = [.fail, .notMeasured].contains(run.record.verdict)
    if hasFailed || outcome.report.outcome == .regression { throw ExitStatus(ExitStatus.failed) }
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
      throw ExitStatus(
        ExitStatus.deviceFault,
        "haprig: \(request.rig.name): \(holder) is at this rig's night already: wait for it, or end it "
          + "with 'haprig stop'")
    } catch {
      throw ExitStatus.status(of: error)
    }
  }

  /// Ends where somebody asked to stop: the record of the run says so, and nothing else is begun.
  private func end(ifInterrupted fault: DeviceError?) throws {
    if let fault, fault.code == .interrupted { throw ExitStatus.status(of: fault) }
    if let number = Interruption.signal.requested {
      throw ExitStatus(128 + number, "haprig: stopped by signal \(number) after the run")
    }
  }

  private func prune() throws {
    guard let retention else { return }
    let account = try ExitStatus.of {
      try Archive(opening: location).prune(
        retention, now: Moment(seconds: Host.secondsSince1970), isDry: false)
    }
    for problem in account.problems { Console.error("haprig: \("\(problem)".printable)") }
    Console.out("pruned: \(Count.bytes(account.bytes)) freed\n")
  }
}
