import Bench
import Calibration
import Synchronization

/// What a person sees of a calibration or a check under way.
struct SegmentProgress {
  let event: SegmentRun.Progress

  /// Shows the event: on a terminal one line that is written over, else a line a step.
  func show(on line: ProgressLine, isQuiet: Bool) {
    switch event {
    case .playing(let state, let segment, let share):
      let left = Int(max(0, state.remaining - share * segment.duration).rounded(.up))
      line.show(
        "[\(state.number)/\(state.total)] \(segment.title), \(level(segment.level)) V peak, "
          + "\(Int(share * 100)) %, \(left) s left")
    case .accepted(_, let segment): line.step("measured \(segment.title)")
    case .resumed(let segment): line.step("kept from before: \(segment.title)")
    case .again(let segment, let reason):
      guard !isQuiet else { return }
      line.clear()
      Console.error("again: \(segment.title): \(reason)")
    }
  }

  private func level(_ volts: Double) -> String { "\((volts * 1000).rounded() / 1000)" }
}

/// How many segments were taken from before a stop.
final class ResumeCounter: Sendable {
  private let segments = Atomic<Int>(0)

  var count: Int { segments.load(ordering: .relaxed) }

  func add() { segments.add(1, ordering: .relaxed) }
}
