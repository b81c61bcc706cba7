import Bench
import Calibration
import Devices
import Reporting
import Synchronization
import Workflows

extension RigOperator {
  /// The person at this terminal.
  ///
  /// - Parameters:
  ///   - isQuiet: Whether no progress is shown; what goes wrong and what is asked for is.
  ///   - listens: Whether Ctrl-C and its like ask the workflow to stop, as one that plays needs; else they end
  ///     the program at once.
  /// - Returns: The operator.
  static func terminal(isQuiet: Bool = false, listens: Bool = true) -> RigOperator {
    if listens { Interruption.listen() }
    let display = OperatorDisplay(isQuiet: isQuiet)
    return RigOperator(
      version: Version.text, stop: Interruption.signal, listener: { display.show($0) },
      hands: { display.ask($0) })
  }
}

/// What a person at a terminal sees of a workflow, and answers.
private final class OperatorDisplay: Sendable {
  /// How far a run is.
  private struct RunState {
    /// When its first take began.
    var began = Host.seconds
    var take = 0
  }

  private let isQuiet: Bool
  private let line: ProgressLine
  private let run = Mutex<RunState?>(nil)
  private let input = Mutex(LineInput(stop: Interruption.signal))

  init(isQuiet: Bool) {
    self.isQuiet = isQuiet
    line = ProgressLine(isQuiet: isQuiet)
  }

  func show(_ event: WorkflowEvent) {
    switch event {
    case .notice(let kind, let text): notice(kind, text)
    case .run(let progress, let takes): show(progress, of: takes)
    case .segment(let progress): show(progress)
    case .step(let title, let share): line.show("\(title) \(Int(share * 100)) %")
    case .idle:
      run.withLock { $0 = nil }
      line.clear()
    }
  }

  /// Asks, and waits for a line of standard input, a terminal or not.
  func ask(_ request: String) -> Bool {
    line.clear()
    Console.error(request)
    return input.withLock { $0.next() }
  }

  private func notice(_ kind: WorkflowNotice, _ text: String) {
    guard !isQuiet || kind != .done else { return }
    line.clear()
    let prefix =
      switch kind {
      case .device: "rig: "
      case .warning: "haprig: "
      case .note: "note: "
      case .done, .again, .drive: ""
      }
    Console.error(prefix + text)
  }

  /// Take by take, and how long it still takes.
  private func show(_ progress: PlanRun.Progress, of takes: Int) {
    switch progress {
    case .began(let pattern, let take, let done, _):
      run.withLock {
        if $0 == nil { $0 = RunState() }
        $0?.take = done + 1
      }
      line.show("[\(done + 1)/\(takes)] \(pattern) (take \(take))")
    case .playing(let pattern, let share, let overall):
      guard let state = run.withLock({ $0 }) else { return }
      let rest = RemainingTime.text(elapsed: Host.seconds - state.began, share: overall)
      line.show(
        "[\(state.take)/\(takes)] \(pattern) \(Int(share * 100)) %\(rest.map { ", \($0)" } ?? "")")
    case .measured(let pattern, let take): line.step("measured \(pattern), take \(take)")
    }
  }

  /// Segment by segment.
  private func show(_ progress: SegmentRun.Progress) {
    switch progress {
    case .playing(let state, let segment, let share):
      let left = Int(max(0, state.remaining - share * segment.duration).rounded(.up))
      let level = (segment.level * 1000).rounded() / 1000
      line.show(
        "[\(state.number)/\(state.total)] \(segment.title), \(level) V peak, "
          + "\(Int(share * 100)) %, \(left) s left")
    case .accepted(_, let segment): line.step("measured \(segment.title)")
    case .resumed(let segment): line.step("kept from before: \(segment.title)")
    case .again(let segment, let reason):
      guard !isQuiet else { return }
      line.clear()
      Console.error("again: \(segment.title): \(reason)")
    }
  }
}
