import Bench
import Reporting
import Synchronization

/// What a person watches of a run: take by take, and how long it still takes.
final class RunProgress: Sendable {
  private let line: ProgressLine
  private let total: Int
  private let current = Atomic<Int>(0)
  private let began = Host.seconds

  init(total: Int, isQuiet: Bool) {
    self.total = total
    line = ProgressLine(isQuiet: isQuiet)
  }

  /// Shows one step.
  @Sendable func show(_ progress: PlanRun.Progress) {
    switch progress {
    case .began(let pattern, let take, let done, _):
      current.store(done + 1, ordering: .relaxed)
      line.show("\(counter) \(pattern) (take \(take))")
    case .playing(let pattern, let share, let overall):
      let rest = RemainingTime.text(elapsed: Host.seconds - began, share: overall)
      line.show("\(counter) \(pattern) \(Int(share * 100)) %\(rest.map { ", \($0)" } ?? "")")
    case .measured(let pattern, let take): line.step("measured \(pattern), take \(take)")
    }
  }

  /// Takes the line away.
  func clear() { line.clear() }

  private var counter: String { "[\(current.load(ordering: .relaxed))/\(total)]" }
}
