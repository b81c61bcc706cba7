// SPDX-License-Identifier: Apache-2.0

import Devices
import LiveRuns
import Reporting
import Synchronization

/// What a person sees of work: at the terminal that it was started at, or at one that watches it.
final class OperatorDisplay: Sendable {
  private enum Part {
    case take(LiveEvent.Take)
    case segment(LiveEvent.Segment)
  }

  private let isQuiet: Bool
  private let line: ProgressLine
  private let part = Mutex<Part?>(nil)
  /// How much was measured so far, and how many seconds are left; for whoever reads it in a file.
  private let done = Mutex((count: 0, remaining: Double?.none))
  private let input = Mutex(LineInput(stop: Interruption.signal))

  init(isQuiet: Bool) {
    self.isQuiet = isQuiet
    line = ProgressLine(isQuiet: isQuiet)
  }

  func show(_ event: LiveEvent) {
    switch event {
    case .notice(let level, let text): notice(level, text)
    case .take(let take):
      part.withLock { $0 = .take(take) }
      line.show("\(Self.title(take)) (take \(take.take))")
    case .segment(let segment): part.withLock { $0 = .segment(segment) }
    case .progress(let progress): show(progress)
    case .measured(let measured): show(measured)
    case .again(let again):
      guard !isQuiet else { return }
      line.clear()
      Console.error("again: \(again.segment): \(again.reason)")
    case .step(let title, let share): line.show("\(title) \(Int(share * 100)) %")
    case .idle:
      part.withLock { $0 = nil }
      line.clear()
    // These are told in the report, or by whoever answers.
    case .start, .work, .channels, .reading, .loss, .ask, .end: break
    }
  }

  /// Leaves the line to others.
  func clear() { line.clear() }

  func answer(to request: String) -> String? {
    line.clear()
    Console.error(request)
    return input.withLock { $0.next() }
  }

  private func notice(_ level: LiveEvent.NoticeLevel, _ text: String) {
    guard !isQuiet || level != .done else { return }
    line.clear()
    let prefix =
      switch level {
      case .device: "rig: "
      case .warning: "haprig: "
      case .note: "note: "
      case .done, .again, .drive: ""
      }
    Console.error(prefix + text)
  }

  private static func title(_ take: LiveEvent.Take) -> String {
    "[\(take.number)/\(take.total)] \(take.pattern)"
  }

  private func show(_ progress: LiveEvent.Progress) {
    let share = "\(Int(progress.share * 100)) %"
    done.withLock { $0.remaining = progress.remaining }
    switch part.withLock({ $0 }) {
    case .take(let take):
      let rest = progress.remaining.map { ", \(RemainingTime.text($0))" } ?? ""
      line.show("\(Self.title(take)) \(share)\(rest)")
    case .segment(let segment):
      let left = Int((progress.remaining ?? 0).rounded(.up))
      let level = (segment.level * 1000).rounded() / 1000
      line.show(
        "[\(segment.number)/\(segment.total)] \(segment.title), \(level) V peak, \(share), \(left) s left"
      )
    case nil: return
    }
  }

  private func show(_ measured: LiveEvent.Measured) {
    let (count, remaining) = done.withLock { done in
      done.count += 1
      return done
    }
    var (total, rest) = (0, "")
    switch part.withLock({ $0 }) {
    case .take(let take):
      total = take.total
      rest = remaining.map { ", \(RemainingTime.text($0))" } ?? ""
    // What is left of a segment says nothing of the whole.
    case .segment(let segment): total = segment.total
    case nil: break
    }
    let place = count <= total ? "[\(count)/\(total)] " : ""
    if let segment = measured.segment {
      line.step(place + (measured.isKept ? "kept from before: \(segment)" : "measured \(segment)"))
    } else if let pattern = measured.pattern, let take = measured.take {
      line.step("\(place)measured \(pattern), take \(take)\(rest)")
    }
  }
}
