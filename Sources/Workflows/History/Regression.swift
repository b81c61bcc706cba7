import Acceptance
public import Bench
import ChangeDetection
public import Devices
public import Reporting
public import RunArchive

/// Telling whether nights changed for the worse, with one automatic re-run where it decides something.
public struct Regression: Sendable {
  private let question: HistoryQuestion
  private let location: ArchiveLocation
  private let rerun: RunRequest?
  private let user: RigOperator

  /// What came of it.
  public struct Outcome: Sendable {
    /// What the nights say, a re-run weighed.
    public let report: HistoryReport
    /// What ended the re-run early.
    public let fault: DeviceError?
  }

  /// Makes ready.
  ///
  /// - Parameters:
  ///   - question: The nights.
  ///   - location: The archive.
  ///   - rerun: What is played again where a change is found and not confirmed; `nil` for nothing.
  ///   - user: Works the rig.
  public init(
    _ question: HistoryQuestion, in location: ArchiveLocation, rerun: RunRequest?,
    by user: RigOperator
  ) {
    self.question = question
    self.location = location
    self.rerun = rerun
    self.user = user
  }

  /// Looks, plays again where that decides something, and looks again.
  public func execute() async throws -> Outcome {
    let first = try report()
    guard var request = rerun, let target = Self.target(of: first) else {
      return Outcome(report: first, fault: nil)
    }
    request.environment[ReadingSeries.rerunMark] = target
    user.notice(.warning, "a change rests on the newest night alone: the plan is run again")
    let run = try await RunWorkflow(request, by: user).execute()
    return Outcome(report: try report(), fault: run.fault)
  }

  /// Refuses a re-run of another rig or plan than the nights are of.
  public static func check(
    _ request: RunRequest, against question: HistoryQuestion, files: (rig: String, plan: String)
  ) throws(InputError) {
    guard request.rig.name == question.rig else {
      throw InputError(
        "\(files.rig): this is the rig '\(request.rig.name)', and the nights are of "
          + "'\(question.rig)': name its own file")
    }
    guard request.plan.name == question.plan else {
      throw InputError(
        "\(files.plan): this is the plan '\(request.plan.name)', and the nights are of "
          + "'\(question.plan)': name its own file")
    }
  }

  private func report() throws(ArchiveError) -> HistoryReport {
    try HistoryReader(Archive(opening: location), question).report()
  }

  /// The run of the newest night that a re-run would repeat; `nil` where a re-run decides nothing.
  ///
  /// It decides where a change for the worse, of the product or of the control, is sure by the newest night
  /// alone and nothing was run again yet.
  private static func target(of report: HistoryReport) -> String? {
    guard let newest = report.newestDay else { return nil }
    let night = report.runs.filter {
      $0.day == newest && $0.reruns == nil && $0.status == .complete
    }
    let isRepeated = report.runs.contains { run in night.contains { $0.id == run.reruns } }
    let isOpen = report.changes(.unconfirmed).contains { change in
      let direction = BetterDirection(reading: change.alarm.key.reading)
      return change.point.state == .found
        && direction.course(from: change.point.before, to: change.point.after) == .worse
    }
    return isOpen && !isRepeated ? night.last?.id : nil
  }
}
