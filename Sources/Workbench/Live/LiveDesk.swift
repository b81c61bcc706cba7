// SPDX-License-Identifier: Apache-2.0

import Devices
import JSONText
import LiveRuns
import Reporting

/// What works on this machine now, as live folders tell it (decision 043).
///
/// Each is followed once for all who look. What has ended stays for a while, so that a page that comes a moment later
/// sees how.
final class LiveDesk: Sendable {
  private struct State {
    var followers: [String: LiveFollower] = [:]
    var looked = -Double.infinity
    var cleaned = -Double.infinity
    var jobOf: (@Sendable (Int) -> String?)?
  }

  private let state = Guarded(State())
  private let folder: String

  /// How often it is looked at most, for how long what has ended stays, and how often the dead are cleared away.
  private static let interval = 0.03
  private static let stay = 60.0
  private static let cleaning = 60.0

  init(folder: String = LiveFolder.path) { self.folder = folder }

  /// Who knows by which job a process was started.
  func ask(jobOf: @escaping @Sendable (Int) -> String?) {
    state.withLock { $0.jobOf = jobOf }
  }

  /// The rows of `GET live`, the oldest first.
  func rows() -> [JSONValue] {
    looking { state in
      state.followers.sorted { $0.key < $1.key }
        .filter { $0.value.state != "ended" }
        .map {
          Self.row($0.key, $0.value, job: $0.value.start.flatMap { state.jobOf?($0.process) })
        }
    }
  }

  /// The lines of a run's events from a number on, at most so many, each the text of a JSON value; `nil` where there is
  /// no such run.
  func events(_ id: String, from first: Int, limit: Int) -> [String]? {
    looking { $0.followers[id]?.lines(from: first, limit: limit) }
  }

  /// `working`, `ended` or `dead`; what nobody knows of is dead.
  func state(_ id: String) -> String { looking { $0.followers[id]?.state ?? "dead" } }

  /// The process of what works; `nil` where it does not.
  func process(_ id: String) -> Int? {
    looking { state in
      state.followers[id].flatMap { $0.isWorking ? $0.start?.process : nil }
    }
  }

  /// Bins of a range of frames, of all where none is given; `nil` where there is no such run or it has no waves.
  func waves(_ id: String, range: Range<Int>?, columns: Int, channels: [Int]?) -> WaveBins? {
    looking {
      $0.followers[id]?.bins(range, seconds: nil, columns: columns, channels: channels)
    }
  }

  /// Bins of the newest seconds.
  func newest(_ id: String, columns: Int, seconds: Double, channels: [Int]?) -> WaveBins? {
    looking {
      $0.followers[id]?.bins(nil, seconds: seconds, columns: columns, channels: channels)
    }
  }

  private func looking<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    state.withLock { state in
      let now = MonotonicClock.seconds
      if now - state.looked >= Self.interval {
        state.looked = now
        look(&state, now)
      }
      return body(&state)
    }
  }

  private func look(_ state: inout State, _ now: Double) {
    if now - state.cleaned >= Self.cleaning {
      state.cleaned = now
      _ = try? LiveRun.all(folder: folder)
    }
    let there = Set(SystemFiles().names(folder).filter(LiveFolder.isPlain))
    for id in there where state.followers[id] == nil {
      state.followers[id] = LiveFollower(id, in: folder)
    }
    for id in Array(state.followers.keys) {
      state.followers[id]?.look(now: now)
      if let ended = state.followers[id]?.ended, now - ended > Self.stay, !there.contains(id) {
        state.followers[id] = nil
      }
    }
  }

  private static func row(_ id: String, _ work: LiveFollower, job: String?) -> JSONValue {
    .object(of: [
      "id": id, "state": work.state, "command": work.start?.command, "rig": work.work?.rig,
      "plan": work.work?.plan, "title": work.work?.title, "process": work.start?.process,
      "started": work.start?.started, "job": job, "overall": work.progress?.overall,
      "remaining": work.progress?.remaining, "events": work.count,
    ])
  }
}
