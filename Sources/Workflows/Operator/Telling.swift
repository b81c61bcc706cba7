// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Calibration
import Devices
import LiveRuns
import Synchronization

extension RigOperator {
  /// Tells how takes get on; of a plan's each reading too, judged by itself as soon as it is taken.
  func telling(
    _ plan: Plan? = nil, hasProfile: Bool = false
  ) -> @Sendable (PlanRun.Progress) -> Void {
    let clock = WorkClock()
    return { progress in
      switch progress {
      case .began(let pattern, let take, let done, let total, let seconds):
        clock.begin()
        tell(
          .take(
            LiveEvent.Take(
              pattern: pattern, take: take, number: done + 1, total: total, frame: nextFrame,
              seconds: seconds)))
      case .playing(_, let share, let overall):
        tell(
          .progress(
            LiveEvent.Progress(
              share: share, overall: overall, remaining: clock.remaining(after: overall))))
      case .control(let pattern, let share): tell(.step("control: \(pattern)", share: share))
      case .measured(let pattern, let take, let readings):
        tell(.measured(LiveEvent.Measured(pattern: pattern, take: take)))
        guard isWatched, let plan else { return }
        var readings = readings
        _ = Judgement.apply(plan, to: &readings, patterns: [], hasProfile: hasProfile)
        for reading in readings { tell(.reading(reading)) }
      }
    }
  }

  func tell(_ progress: SegmentRun.Progress) {
    switch progress {
    case .began(let state, let segment):
      tell(
        .segment(
          LiveEvent.Segment(
            title: segment.title, level: segment.level, number: state.number, total: state.total,
            frame: nextFrame, remaining: state.remaining)))
    case .playing(let state, let segment, let share):
      tell(
        .progress(
          LiveEvent.Progress(
            share: share,
            overall: min(1, (Double(state.number - 1) + share) / Double(max(1, state.total))),
            remaining: max(0, state.remaining - share * segment.duration))))
    case .accepted(_, let segment): tell(.measured(LiveEvent.Measured(segment: segment.title)))
    case .resumed(let segment):
      tell(.measured(LiveEvent.Measured(segment: segment.title, isKept: true)))
    case .again(let segment, let reason):
      tell(.again(LiveEvent.Again(segment: segment.title, reason: reason)))
    }
  }

  /// Tells what only a whole run tells, and keeps its verdicts and its place for the end.
  func tell(whole record: RunRecord, in folder: String) {
    guard let live else { return }
    for reading in record.readings where reading.take == nil || reading.name.isControl {
      tell(.reading(reading))
    }
    var verdicts = ["run": record.verdict.rawValue]
    for verdict in record.verdicts { verdicts[verdict.aspect.rawValue] = verdict.word }
    live.note(folder: Host.fromRoot(folder), verdicts: verdicts)
  }
}

/// When the first take began, and what that says of the rest.
private final class WorkClock: Sendable {
  private let began = Mutex<Double?>(nil)

  func begin() { began.withLock { $0 = $0 ?? MonotonicClock.seconds } }

  /// Seconds still to come after a share of 0...1; `nil` where too little was done to tell.
  func remaining(after share: Double) -> Double? {
    guard let began = began.withLock({ $0 }) else { return nil }
    let elapsed = MonotonicClock.seconds - began
    guard elapsed >= 2, share >= 0.01, share < 1 else { return nil }
    return elapsed * (1 - share) / share
  }
}
