// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Bench
import ChangeDetection
package import Devices
import LiveRuns
import Paths
package import Reporting
package import RunArchive

package struct NightlyWorkflow: Sendable {
  private let request: RunRequest
  private let location: ArchiveLocation
  private let user: RigOperator
  package var days = HistoryQuestion.standardDays
  /// Whether the plan is run once more where a change is suspected, or sure by this night alone.
  package var hasRerun = true
  package var retention: Retention?
  /// The file of the page; `nil` for one beside the runs.
  package var html: String?

  package init(_ request: RunRequest, in location: ArchiveLocation, by user: RigOperator) {
    self.request = request
    self.location = location
    self.user = user
  }

  package enum Part: Sendable {
    case run(RunWorkflow.Outcome)
    case history(HistoryReport, page: String)
    case pruned(PruneSummary)
  }

  package struct Outcome: Sendable {
    package let record: RunRecord
    package let report: HistoryReport
    package let fault: DeviceError?
  }

  /// `tell` takes each part as soon as it is done; a fault of run or re-run is in the outcome.
  package func execute(_ tell: (Part) throws -> Void) async throws -> Outcome {
    let lock = try WorkLock.take("nightly-" + request.rig.name, in: location.folder) { holder in
      "\(request.rig.name): \(holder) is at this rig's night already: wait for it, or end it with "
        + "'haprig stop'"
    }
    var night = request
    night.order.environment[ReadingSeries.nightMark] = "nightly"
    let run = try await RunWorkflow(night, by: user).execute()
    try tell(.run(run))
    try end(ifInterrupted: run.fault)
    var question = HistoryQuestion(rig: request.rig.name, plan: request.plan.name)
    question.days = days
    question.pageFolder = FilePath.folder(of: page)
    // A rig that is faulty is not run again.
    let outcome = try await Regression.execute(
      question, in: location, rerun: hasRerun && run.fault == nil ? request : nil, by: user)
    try Folder.make(FilePath.folder(of: page))
    try AtomicFile.write(HistoryPage(outcome.report).text, to: page)
    try tell(.history(outcome.report, page: page))
    try end(ifInterrupted: outcome.fault)
    if let retention {
      let now = Moment(seconds: Host.secondsSince1970)
      try tell(.pruned(Archive(opening: location).prune(retention, now: now, isDry: false)))
    }
    _ = consume lock
    return Outcome(record: run.record, report: outcome.report, fault: run.fault ?? outcome.fault)
  }

  private var page: String {
    let name = "nightly-\(request.rig.name)-\(request.plan.name)".map { $0 == "/" ? "_" : $0 }
    return html ?? "\(location.folder)/\(String(name)).html"
  }

  /// Ends where somebody asked to stop: the record of the run says so, and nothing else is begun.
  private func end(ifInterrupted fault: DeviceError?) throws {
    if let fault, fault.code == .interrupted { throw fault }
    try user.check(" after the run")
  }
}

package enum Regression {
  package struct Outcome: Sendable {
    package let report: HistoryReport
    package let fault: DeviceError?
  }

  package static func execute(
    _ question: HistoryQuestion, in location: ArchiveLocation, rerun: RunRequest?,
    by user: RigOperator
  ) async throws -> Outcome {
    func report() throws(ArchiveError) -> HistoryReport {
      try HistoryReader(Archive(opening: location), question).report()
    }
    let first = try report()
    guard var request = rerun, let target = target(of: first) else {
      return Outcome(report: first, fault: nil)
    }
    request.order.environment[ReadingSeries.rerunMark] = target
    // It belongs to the run that it repeats, and is no second run of the job.
    request.order.environment[ReadingSeries.jobMark] = nil
    user.notice(.warning, "a change is seen that is not confirmed yet: the plan is run again")
    let run = try await RunWorkflow(request, by: user).execute()
    return Outcome(report: try report(), fault: run.fault)
  }

  /// The run of the newest night that a re-run would repeat; `nil` unless a change for the worse,
  /// of the product or of the control, is suspected or is sure by the newest night alone, and
  /// nothing was run again yet.
  private static func target(of report: HistoryReport) -> String? {
    guard let newest = report.newestDay else { return nil }
    let night = report.runs.filter {
      $0.day == newest && $0.reruns == nil && $0.status == .complete && $0.imported == nil
    }
    let isRepeated = report.runs.contains { run in night.contains { $0.id == run.reruns } }
    let found = report.changes(.unconfirmed).filter { $0.point.state == .found }
    let isOpen = (found + report.series.compactMap(\.suspected))
      .contains { $0.alarm.course == .worse }
    return isOpen && !isRepeated ? night.last?.id : nil
  }
}
