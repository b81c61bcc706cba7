// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
package import ChangeDetection
import Devices
import GaugeStudy
import LiveRuns
import Reporting
package import RunArchive

/// What is open of a gauge study today on one rig: a person mounts, the rig plays, the archive
/// remembers.
package struct GaugeWorkflow: Sendable {
  private let file: StudyFile
  private let order: RunOrder
  private let location: ArchiveLocation
  private let today: CalendarDay
  private let user: RigOperator

  package struct Outcome: Sendable {
    package let progress: StudyProgress
    package let rig: String
    package let today: CalendarDay

    /// What is left of today.
    package var open: [String] { progress.open(on: rig, today) ?? [] }
  }

  /// `order` names the rig and how to play; its paths and archive are the study's.
  package init(
    _ file: StudyFile, _ order: RunOrder, in location: ArchiveLocation, today: CalendarDay,
    by user: RigOperator
  ) {
    self.file = file
    var order = order
    order.paths = [file.plan]
    order.archive = location
    self.order = order
    self.location = location
    self.today = today
    self.user = user
  }

  private var study: Study { file.study }

  /// Mounts what is open one after the other, or `actuator` alone once and without a question.
  package func execute(mount actuator: String? = nil) async throws -> Outcome {
    let rig = try order.rig.readToPlay().name
    guard study.rigs.contains(rig) else {
      throw InputError(
        "\(order.rig.file): this is the rig '\(rig)', and the study '\(study.name)' is of "
          + study.rigs.joined(separator: ", "))
    }
    user.tell(
      .work(
        LiveEvent.Work(
          rig: rig, plan: study.planName, title: "gauge \(study.name)",
          actuators: study.actuators, archive: Host.fromRoot(location.folder))))
    let lock = try WorkLock.take("gauge-" + rig, in: location.folder) { holder in
      "\(rig): \(holder) is at a gauge study on this rig already: wait for it, or end it"
    }
    if let actuator {
      try await mountOnce(actuator, on: rig)
    } else {
      try await mountAll(on: rig)
    }
    let outcome = Outcome(progress: try progress(), rig: rig, today: today)
    _ = consume lock
    return outcome
  }

  private func progress() throws(ArchiveError) -> StudyProgress {
    try StudyProgress(study, in: Archive(opening: location))
  }

  private func open(_ progress: StudyProgress, on rig: String) throws -> [String] {
    guard let open = progress.open(on: rig, today) else {
      throw InputError(
        "\(file.file): the study's \(Count.of(study.days, "day")) on '\(rig)' "
          + "\(study.days == 1 ? "is" : "are") over: 'haprig gauge report' says what came of it; ask "
          + "for more with 'days'")
    }
    return open
  }
}

extension GaugeWorkflow {
  private enum Answer {
    case go
    case skip
    case end
  }

  /// What somebody says to a request; what is neither is asked again.
  private func answer(to request: String) throws -> Answer {
    while true {
      guard let line = user.answer(to: request) else {
        try user.check(" between two runs; what is done is in the archive")
        return .end
      }
      switch line.filter({ !$0.isWhitespace }).lowercased() {
      case "": return .go
      case "s": return .skip
      case "q": return .end
      default: user.notice(.again, "press Return alone, or s or q before it")
      }
    }
  }

  /// Ends where nothing is open any more, or somebody ends it.
  private func mountAll(on rig: String) async throws {
    var skipped: [String] = []
    while true {
      let progress = try progress()
      var open = try open(progress, on: rig)
      for actuator in skipped { open.firstIndex(of: actuator).map { _ = open.remove(at: $0) } }
      guard let actuator = open.first else { return }
      user.notice(
        .done,
        "\(progress.doneMounts) of \(study.mountCount) mounts are done; today on \(rig): "
          + StudyProgress.words(for: open))
      let request =
        "mount \(actuator) anew on \(rig), then press Return (s skips it today, q ends)"
      switch try answer(to: request) {
      case .go: if try await !measure(actuator, on: rig, progress, asks: true) { return }
      case .skip: skipped.append(actuator)
      case .end: return
      }
    }
  }

  private func mountOnce(_ actuator: String, on rig: String) async throws {
    guard study.actuators.contains(actuator) else {
      throw InputError(
        "the study '\(study.name)' has no actuator '\(actuator)': it has "
          + study.actuators.joined(separator: ", "))
    }
    let progress = try progress()
    guard try open(progress, on: rig).contains(actuator) else {
      throw InputError(
        "\(actuator) was mounted on \(rig) as often as the study asks for today: "
          + "\(Count.of(study.mounts, "mount"))")
    }
    _ = try await measure(actuator, on: rig, progress, asks: false)
  }

  /// Plays the repeats of a mount; `false` where somebody ended it.
  ///
  /// A run that failed is asked for again, or throws where nobody is to be asked.
  private func measure(
    _ actuator: String, on rig: String, _ progress: StudyProgress, asks: Bool
  ) async throws -> Bool {
    let mount = progress.nextMount(of: actuator, on: rig, today)
    for number in 1...study.repeats {
      var order = order
      order.study = StudyMark(
        study: study.name, actuator: actuator, day: today, mount: mount, number: number)
      let title = "\(actuator), mount \(mount), repeat \(number) of \(study.repeats)"
      while let fault = try await fault(of: order, title) {
        if fault.code == .interrupted || !asks { throw fault }
        let request =
          "\(title): \(fault); press Return to run it again (s gives this mount up, q ends)"
        switch try answer(to: request) {
        case .go: continue
        case .skip: return true
        case .end: return false
        }
      }
    }
    return true
  }

  /// Runs the plan once; what became of it where it is not complete.
  private func fault(of order: RunOrder, _ title: String) async throws -> DeviceError? {
    do {
      let outcome = try await RunWorkflow(RunRequest(order, by: user), by: user).execute()
      if outcome.fault == nil {
        user.notice(.done, "\(title): \(outcome.record.verdict.rawValue)")
      }
      return outcome.fault
    } catch let error as DeviceError {
      return error
    }
  }
}
