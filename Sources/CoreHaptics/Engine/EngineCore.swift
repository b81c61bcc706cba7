// SPDX-License-Identifier: Apache-2.0

import AHAP
import Actuators
import Devices
import Foundation
import HapticRendering
import Profiles
import Units

/// An engine apart from the object that an app holds; its players keep it.
final class EngineCore: Sendable {
  let bench: EngineBench
  let handlers = HandlerQueue()
  private let stage: StageConfiguration
  /// Emptied under the lock of `state`.
  let sounds: Guarded<SoundShelf>
  private let state = Guarded(EngineState())
  /// Held while a stream is opened, so that two calls open one.
  private let opening = Guarded(())

  init(bench: EngineBench) {
    self.bench = bench
    let rig = bench.rig
    let actuator = rig.actuators[0]
    let limits = bench.profile?.actuator.limits ?? actuator.limits
    var stage = StageConfiguration(
      laws: RenderConfiguration(rig: rig, limits: limits, profile: bench.profile), limits: limits,
      fullScaleVolts: rig.drive.fullScaleVolts)
    stage.slots = bench.playerLimit
    self.stage = stage
    sounds = Guarded(SoundShelf(rate: rig.drive.rate))
  }

  /// The engine's time in seconds: the host's clock, or where the steps have led.
  var currentTime: Double {
    guard bench.clock == .stepped else { return HostClock.now() }
    return state.withLock { $0.stream.map { $0.origin + $0.time } ?? $0.restingTime }
  }

  var settings: EngineSettings { state.withLock { $0.settings } }

  var latency: EngineLatency {
    state.withLock { state in
      guard let now = state.stream?.latency else { return state.latency }
      return state.latency.adding(now)
    }
  }

  /// Changes a setting; what acts at once is told to the stream.
  func set(_ change: (inout EngineSettings) -> Void) {
    state.withLock { state in
      change(&state.settings)
      state.stream.map { state.settings.mute($0) }
    }
  }

  var stoppedHandler: CHHapticEngine.StoppedHandler {
    get { state.withLock { $0.stoppedHandler }?.call ?? { _ in } }
    set {
      let handler = Handler(newValue)
      state.withLock { $0.stoppedHandler = handler }
    }
  }

  var resetHandler: CHHapticEngine.ResetHandler {
    get { state.withLock { $0.resetHandler }?.call ?? {} }
    set {
      let handler = Handler(newValue)
      state.withLock { $0.resetHandler = handler }
    }
  }

  /// Opens the rig and starts to render; nothing where it runs already.
  func start() throws(CHHapticError) {
    try opening.withLock { _ throws(CHHapticError) in try begin() }
  }

  /// Starts on the handlers' thread, or before that for a player that is asked for something.
  func start(_ completion: (((any Error)?) -> Void)?) {
    let handler = completion.map { Handler($0) }
    state.withLock { $0.isStartAskedFor = true }
    handlers.add {
      do {
        try self.startAsAskedFor()
        handler?.call(nil)
      } catch {
        handler?.call(error)
      }
    }
  }

  /// Makes the start that was asked for; where that has been done, tells how it went.
  private func startAsAskedFor() throws(CHHapticError) {
    try opening.withLock { _ throws(CHHapticError) in
      let (isDue, fault) = state.withLock { ($0.isStartAskedFor, $0.startFault) }
      if isDue {
        try begin()
      } else if let fault {
        throw fault
      }
    }
  }

  /// Starts, and notes how that went; under `opening`.
  private func begin() throws(CHHapticError) {
    var fault: CHHapticError?
    do throws(CHHapticError) { try openUnlessRunning() } catch { fault = error }
    state.withLock { state in
      state.isStartAskedFor = false
      state.startFault = fault
    }
    if let fault { throw fault }
  }

  private func openUnlessRunning() throws(CHHapticError) {
    let (isRunning, isDestroyed, origin) = state.withLock {
      ($0.stream != nil && !$0.isEnding, $0.isDestroyed, $0.restingTime)
    }
    guard !isDestroyed else { throw Self.notRunning }
    guard !isRunning else { return }
    // A stop that has begun is waited for: one start at a time holds a rig.
    let deadline = HostClock.now() + 10
    while state.withLock({ $0.stream != nil }) {
      guard HostClock.now() < deadline else {
        throw CHHapticError(
          .engineStartTimeout, "the engine did not come to its end within 10 s: try again")
      }
      HostClock.sleep(1e-3)
    }
    try open(at: bench.clock == .stepped ? origin : HostClock.now())
  }

  private func open(at origin: Double) throws(CHHapticError) {
    let stream: EngineStream
    do {
      stream = try EngineStream(
        bench: bench, stage: stage, origin: origin, handlers: handlers, log: Self.complain,
        onNews: { [weak self] in self?.look(at: $0) },
        // Kept until the end of the stream has been told, also where the app has let the engine go.
        onEnd: { self.end(of: $0, $1) })
      state.withLock { state in
        state.settings.startedHapticsOnly = state.settings.playsHapticsOnly
        state.settings.startedAudioOnly = state.settings.playsAudioOnly
        state.settings.mute(stream)
        state.stream = stream
        state.idleSince = nil
      }
      try stream.start()
    } catch let error as DeviceError {
      state.withLock { $0.stream = nil }
      throw CHHapticError(.serverInitFailed, "\(error)")
    } catch {
      throw CHHapticError(
        .serverInitFailed,
        "the engine cannot be recorded in '\(bench.records ?? "")': \(sentence(of: error))")
    }
  }

  /// Ends all plays and the stream; the handler is called in any case, when that is done.
  func stop(_ completion: (((any Error)?) -> Void)? = nil) {
    let handler = completion.map { Handler($0) }
    // A start that was asked for before is waited for where it is being made, and else made no more.
    if state.withLock({ $0.isStartAskedFor }) {
      opening.withLock { _ in state.withLock { $0.isStartAskedFor = false } }
    }
    let stream = state.withLock { state -> EngineStream? in
      guard let stream = state.stream else { return nil }
      state.stopHandlers.append(handler ?? Handler { _ in })
      return stream
    }
    guard let stream else {
      if let handler { handlers.add { handler.call(nil) } }
      return
    }
    stream.stop(sparing: true)
  }

  /// Stops for a reason that the app did not give, only a given stream where a newer one is to run on; the
  /// app's handler is told, unless the app stops the engine itself.
  func interrupt(_ reason: CHHapticEngine.StoppedReason, only: EngineStream? = nil) {
    let stream = state.withLock { state -> EngineStream? in
      guard let stream = state.stream, !state.isEnding, only == nil || only === stream
      else { return nil }
      state.reason = reason
      return stream
    }
    stream?.stop()
  }

  /// Fails as the haptic server does: players and sounds are lost, the engine can be started again.
  func reset() {
    let handler = state.withLock { state -> Handler<() -> Void>? in
      state.generation += 1
      sounds.withLock { $0.removeAll() }
      state.isResetting = state.stream != nil
      return state.isResetting ? nil : state.resetHandler
    }
    // Of an engine that runs, the end of its stream tells: first that it stopped.
    if let handler { handlers.add { handler.call() } }
    interrupt(.systemError)
  }

  func destroy() {
    state.withLock { $0.isDestroyed = true }
    interrupt(.engineDestroyed)
  }

  /// Calls a handler when nothing plays any more, at once where nothing does.
  func whenFinished(_ handler: @escaping CHHapticEngine.FinishedHandler) {
    let handler = Handler(handler)
    let stream = state.withLock { state in
      state.finishedHandlers.append(handler)
      return state.stream
    }
    guard let stream, stream.isBusy else { return callFinished() }
  }

  /// Moves a stepped clock on; false where nothing runs.
  func advance(frames: Int) -> Bool {
    guard let stream = state.withLock({ $0.stream }) else {
      state.withLock { $0.restingTime += bench.rig.drive.rate.seconds(Double(frames)) }
      return false
    }
    return stream.advance(frames: frames)
  }

  func player(_ pattern: CHHapticPattern) throws(CHHapticError) -> PlayerCore {
    // Before the sounds: what is loaded after a reset belongs to no player made before it.
    let generation = state.withLock { $0.generation }
    let loaded = try sounds.withLock { sounds throws(CHHapticError) in try sounds.load(pattern) }
    guard !loaded.pattern.events.isEmpty else {
      throw CHHapticError(
        .invalidPatternData, "the pattern has no playable events: give it one before a player")
    }
    return PlayerCore(
      program: PlayerProgram(
        loaded.pattern, configuration: stage.laws, sounds: loaded.sounds), generation: generation)
  }

  /// The stream that a player may be asked something on; with `starts` an engine that shuts itself down is
  /// started for it.
  ///
  /// Throws `engineNotRunning`, or `invalidPatternPlayer` after a reset.
  func stream(for player: PlayerCore, starts: Bool = false) throws(CHHapticError) -> EngineStream {
    let (stream, generation, isAutomatic, isStartAskedFor) = state.withLock { state in
      (
        state.isDestroyed || state.isEnding ? nil : state.stream, state.generation,
        state.settings.isAutoShutdownEnabled, state.isStartAskedFor
      )
    }
    guard player.generation == generation else {
      throw CHHapticError(
        .invalidPatternPlayer, "the engine was reset after the player was made: make it again")
    }
    if let stream { return stream }
    if isStartAskedFor {
      try startAsAskedFor()
    } else {
      guard starts, isAutomatic else { throw Self.notRunning }
      try start()
    }
    guard let stream = state.withLock({ $0.stream }) else { throw Self.notRunning }
    return stream
  }

  /// The stream as it is, for what needs none to be done.
  var openStream: EngineStream? { state.withLock { $0.stream } }

  /// What the scribe does after each look: finished plays, and an engine that has been idle for long.
  private func look(at stream: EngineStream) {
    guard !stream.isBusy else {
      state.withLock { $0.idleSince = nil }
      return
    }
    callFinished()
    let now = stream.time
    let isIdle = state.withLock { state in
      let since = state.idleSince ?? now
      state.idleSince = since
      return state.settings.isAutoShutdownEnabled && now - since >= bench.idleTimeout
    }
    if isIdle { interrupt(.idleTimeout) }
  }

  private func callFinished() {
    let (waiting, stream) = state.withLock { state in
      defer { state.finishedHandlers = [] }
      return (state.finishedHandlers, state.stream)
    }
    for handler in waiting {
      handlers.add { [weak self] in
        if let self, delay(handler, by: stream) { return }
        // An engine that did not run is not stopped, though it may have been started since.
        guard handler.call(nil) == .stopEngine, let stream else { return }
        self?.interrupt(.notifyWhenFinished, only: stream)
      }
    }
  }

  /// Keeps a handler for later where players were started since its turn came.
  private func delay(
    _ handler: Handler<CHHapticEngine.FinishedHandler>, by stream: EngineStream?
  ) -> Bool {
    guard let stream, stream.isBusy else { return false }
    return state.withLock { state in
      guard state.stream === stream else { return false }
      state.finishedHandlers.append(handler)
      return true
    }
  }

  private func end(of stream: EngineStream, _ fault: DeviceError?) {
    let (reason, stopped, reset, waiting, finished, isResetting) = state.withLock { state in
      state.restingTime = stream.origin + stream.time
      state.latency = state.latency.adding(stream.latency)
      state.stream = nil
      defer {
        state.reason = nil
        state.isResetting = false
        state.stopHandlers = []
        state.finishedHandlers = []
      }
      return (
        fault == nil ? state.reason : .systemError, state.stoppedHandler, state.resetHandler,
        state.stopHandlers, state.finishedHandlers, state.isResetting
      )
    }
    if let reason, let stopped { handlers.add { stopped.call(reason) } }
    for handler in finished {
      handlers.add {
        _ = handler.call(fault.map { CHHapticError(.serverInterrupted, "\($0)") })
      }
    }
    for handler in waiting { handlers.add { handler.call(nil) } }
    // A server that failed comes back; a device that is gone does not by itself.
    if let fault, fault.code != .unplugged {
      state.withLock { state in
        state.generation += 1
        sounds.withLock { $0.removeAll() }
      }
    } else if !isResetting {
      return
    }
    if let reset { handlers.add { reset.call() } }
  }

  private static var notRunning: CHHapticError {
    CHHapticError(.engineNotRunning, "the engine is not running: start it, then ask again")
  }

  /// Says something for which an app has no handler.
  @Sendable static func complain(_ message: String) {
    FileHandle.standardError.write(Data("CoreHaptics: \(message)\n".utf8))
  }
}
