// SPDX-License-Identifier: Apache-2.0

package import Devices
import Glibc
import Synchronization

/// Tells the world what this process works at: makes the live folder when work begins, and takes it away at the end.
///
/// Any thread tells, and none waits for a file: a thread of the writer's own writes. What the world would see changes
/// nothing of the work; where there is no folder for it, one notice says so.
package final class LiveWriter: Sendable {
  /// Passing events are told no more often, in seconds.
  private static let interval = 0.05
  /// So many events wait to be written; beyond, those that pass are left out.
  private static let room = 4096
  /// Events from before the work that are kept for it.
  private static let early = 256

  private let folder: String
  private let makeStart: @Sendable () -> LiveEvent.Start
  private let began = MonotonicClock.seconds
  private let bell = Bell()
  private let losses: LossQueue
  private let state = Guarded(State())
  private let ending = Guarded(0)

  private struct Told: Sendable {
    var event: LiveEvent
    var seconds: Double
  }

  private enum Phase {
    /// Nothing works yet.
    case waiting
    case working
    /// There is no folder, or no more.
    case silent
  }

  private struct State: ~Copyable {
    var phase = Phase.waiting
    var queue: [Told] = []
    var omitted = 0
    var lastPassing = -Double.infinity
    var path = ""
    var tap: LiveTap?
    var isEnding = false
    var thread: RealtimeThread?
    var notices: [String] = []
    var folder: String?
    var verdicts: [String: String] = [:]
  }

  /// Makes a writer that waits for work; `start` is asked for when it begins.
  package init(
    folder: String? = nil, start: @escaping @Sendable () -> LiveEvent.Start
  ) {
    self.folder = folder ?? LiveFolder.path
    makeStart = start
    losses = LossQueue(bell: bell)
  }

  /// Tells an event; gives what its own terminal has to be told, at most once a fault.
  package func tell(_ event: LiveEvent) -> String? {
    put(event)
    return takeNotice()
  }

  private func put(_ event: LiveEvent) {
    let seconds = MonotonicClock.seconds - began
    let isNews = state.withLock { state in
      if case .work = event, state.phase == .waiting { begin(&state, seconds) }
      return add(Told(event: event, seconds: seconds), to: &state)
    }
    if isNews { bell.ring() }
  }

  /// Whether the event is on its way to the file.
  private func add(_ told: Told, to state: inout State) -> Bool {
    switch state.phase {
    case .silent: return false
    case .waiting:
      if !told.event.isPassing, state.queue.count < Self.early { state.queue.append(told) }
      return false
    case .working: break
    }
    guard told.event.isPassing else {
      state.queue.append(told)
      return true
    }
    guard told.seconds - state.lastPassing >= Self.interval else { return false }
    state.lastPassing = told.seconds
    guard state.queue.count < Self.room else {
      state.omitted += 1
      return false
    }
    state.queue.append(told)
    return true
  }

  private func begin(_ state: inout State, _ seconds: Double) {
    let start = makeStart()
    do throws(LiveError) {
      let file = try EventFile(id: start.id, in: folder, first: .start(start), seconds: seconds)
      state.path = file.path
      state.thread = try thread(writing: file)
      state.phase = .working
    } catch {
      state.phase = .silent
      state.notices.append("nobody can watch this work: \(error)")
    }
  }

  private func thread(writing file: EventFile) throws(LiveError) -> RealtimeThread {
    do throws(DeviceError) {
      return try RealtimeThread(name: "live", priority: nil) { [self] in
        while write(into: file) {}
        file.remove()
      }
    } catch {
      file.remove()
      throw LiveError("\(error)")
    }
  }

  /// Who looks at the signals of a rig's sessions; `nil` where nobody could see them.
  ///
  /// The waves go on from rig to rig while their channels are the same, and begin anew where they are others.
  package func tap(_ rig: RigDescription) -> (any SignalTap)? {
    let channels = LiveEvent.Channels(rig)
    let (tap, isNew) = state.withLock { state -> (LiveTap?, Bool) in
      guard state.phase == .working else { return (nil, false) }
      if let tap = state.tap, tap.channels == channels { return (tap, false) }
      let waves: WavesWriter?
      do throws(LiveError) {
        let hidden = state.path + "/." + LiveNames.waves
        waves = try WavesWriter(path: hidden, layout: channels.layout)
        rename(hidden, state.path + "/" + LiveNames.waves)
      } catch {
        waves = nil
        unlink(state.path + "/" + LiveNames.waves)
        state.notices.append("nobody can see the signals of this work: \(error)")
      }
      let tap = LiveTap(channels, waves: waves, losses: losses)
      state.tap = tap
      return (tap, true)
    }
    if isNew { put(.channels(channels)) }
    return tap
  }

  /// A fault that the work's own terminal was not told of yet.
  package func takeNotice() -> String? {
    state.withLock { $0.notices.isEmpty ? nil : $0.notices.removeFirst() }
  }

  /// Where the next take begins in the waves.
  package var nextFrame: Int { state.withLock { $0.tap }?.nextFrame ?? 0 }

  /// Notes what came of the work, for its end.
  package func note(folder: String?, verdicts: [String: String]) {
    state.withLock { state in
      state.folder = folder ?? state.folder
      state.verdicts = verdicts
    }
  }

  /// Tells the end, and takes the folder away; nothing where nothing worked.
  ///
  /// Any thread may end the work. Of two that do, the second one waits until the folder is gone.
  package func finish(status: Int32, sentence: String?) {
    ending.withLock { _ in end(status: status, sentence: sentence) }
  }

  private func end(status: Int32, sentence: String?) {
    let thread = state.withLock { state -> RealtimeThread? in
      guard state.phase == .working else { return nil }
      let end = LiveEvent.End(
        status: status, sentence: sentence, folder: state.folder, verdicts: state.verdicts)
      state.queue.append(Told(event: .end(end), seconds: MonotonicClock.seconds - began))
      state.isEnding = true
      state.phase = .silent
      state.tap = nil
      return state.thread.take()
    }
    guard let thread else { return }
    bell.ring()
    thread.join()
  }

  /// Writes what waits, in the order of telling; false when that was the last.
  private func write(into file: EventFile) -> Bool {
    bell.wait()
    let (events, omitted, isEnding) = state.withLock { state in
      defer { (state.queue, state.omitted) = ([], 0) }
      return (state.queue, state.omitted, state.isEnding)
    }
    file.leaveOut(omitted)
    let now = MonotonicClock.seconds - began
    file.leaveOut(losses.takeMissed())
    while let note = losses.pop() {
      let loss = LiveEvent.Loss(
        kind: note.kind, ofDrive: note.isDrive, frame: note.frame, count: note.count)
      file.add(.loss(loss), now)
    }
    for told in events { file.add(told.event, told.seconds) }
    file.flush()
    return !isEnding
  }
}
