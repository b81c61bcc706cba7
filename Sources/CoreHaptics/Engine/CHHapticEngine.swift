// SPDX-License-Identifier: Apache-2.0

import Devices
@_exported public import Foundation
import HapticRendering
import Synchronization
import Units

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The time that stands for as soon as possible; the name is Apple's.
public let CHHapticTimeImmediate: TimeInterval = 0

/// The connection to the haptic device: here, to a rig.
///
/// The rig is what `EngineBench.environment` finds. Engines are independent of each other; a rig of one's
/// own is held by one at a time, while it runs. May be used from any thread.
open class CHHapticEngine: @unchecked Sendable {
  // Sendable: all that it holds is `core`, which is; unchecked, since a class that apps may subclass
  // cannot be Sendable otherwise.

  /// Called when a start or a stop is done.
  public typealias CompletionHandler = ((any Error)?) -> Void
  /// Called when nothing plays any more; says what the engine is to do.
  public typealias FinishedHandler = ((any Error)?) -> FinishedAction
  /// Called when the engine was stopped by the system.
  public typealias StoppedHandler = (StoppedReason) -> Void
  /// Called when the haptic server has failed and come back.
  public typealias ResetHandler = () -> Void

  /// What an engine is to do when nothing plays any more.
  public enum FinishedAction: Int, Sendable {
    case stopEngine = 1
    case leaveEngineRunning = 2
  }

  /// Why the system stopped an engine.
  public enum StoppedReason: Int, Sendable {
    case audioSessionInterrupt = 1
    case applicationSuspended = 2
    /// Nothing was played for long, and `isAutoShutdownEnabled` is set.
    case idleTimeout = 3
    /// A handler of `notifyWhenPlayersFinished` asked for it.
    case notifyWhenFinished = 4
    /// The engine was let go while it ran.
    case engineDestroyed = 5
    case gameControllerDisconnect = 6
    /// The device failed.
    case systemError = -1
  }

  let core: EngineCore

  /// What this machine can play: everything, unless the environment names a rig that cannot be used.
  ///
  /// Why it cannot be used is said to standard error, once: an app that finds no haptics asks no further.
  open class func capabilitiesForHardware() -> any CHHapticDeviceCapability {
    do {
      return Capability(rig: try EngineBench.environment().rig)
    } catch {
      if !saidWhy.exchange(true, ordering: .relaxed) {
        EngineCore.complain(error.localizedDescription)
      }
      return Capability(rig: nil)
    }
  }

  private static let saidWhy = Atomic(false)

  /// Makes an engine on the rig that the environment names; throws `notSupported` where there is none.
  public init() throws { core = EngineCore(bench: try EngineBench.environment()) }

  /// Makes an engine; a session is taken and not used: a rig has no other sound to share with.
  public init(audioSession: AVAudioSession?) throws {
    core = EngineCore(bench: try EngineBench.environment())
  }

  /// Makes an engine as `init()` does: what Swift sees of a name that Objective-C has for it.
  public convenience init(andReturnError: ()) throws { try self.init() }

  /// Makes an engine on a bench: haprig's own, not a part of Apple's API.
  public init(bench: EngineBench) {
    core = EngineCore(bench: bench)
  }

  deinit { core.destroy() }

  /// The engine's time in seconds, from which every `atTime:` is counted.
  open var currentTime: TimeInterval { core.currentTime }

  /// Called when the system stops the engine, not for the app's own `stop`.
  open var stoppedHandler: StoppedHandler {
    get { core.stoppedHandler }
    set { core.stoppedHandler = newValue }
  }

  /// Called when the haptic server failed and came back: start again, make players again, register
  /// sounds again.
  open var resetHandler: ResetHandler {
    get { core.resetHandler }
    set { core.resetHandler = newValue }
  }

  /// Whether sound is left out; effective at the next start.
  open var playsHapticsOnly: Bool {
    get { core.settings.playsHapticsOnly }
    set { core.set { $0.playsHapticsOnly = newValue } }
  }

  /// Whether haptics are left out; effective at the next start.
  open var playsAudioOnly: Bool {
    get { core.settings.playsAudioOnly }
    set { core.set { $0.playsAudioOnly = newValue } }
  }

  /// Whether sound is muted; effective at once.
  open var isMutedForAudio: Bool {
    get { core.settings.isMutedForAudio }
    set { core.set { $0.isMutedForAudio = newValue } }
  }

  /// Whether haptics are muted; effective at once.
  open var isMutedForHaptics: Bool {
    get { core.settings.isMutedForHaptics }
    set { core.set { $0.isMutedForHaptics = newValue } }
  }

  /// Whether the engine stops itself when nothing has been played for long, and starts on demand.
  open var isAutoShutdownEnabled: Bool {
    get { core.settings.isAutoShutdownEnabled }
    set { core.set { $0.isAutoShutdownEnabled = newValue } }
  }

  /// Starts the engine; returns when it runs.
  open func start() throws { try core.start() }

  /// Starts the engine and returns at once; the handler is told how that went.
  ///
  /// What is asked of a player meanwhile waits for the start, and a stop ends it.
  open func start(completionHandler: CompletionHandler? = nil) { core.start(completionHandler) }

  /// Starts the engine; returns when it runs.
  open func start() async throws { try core.start() }

  /// Stops the engine; the handler is called in any case.
  open func stop(completionHandler: CompletionHandler? = nil) { core.stop(completionHandler) }

  /// Stops the engine; returns when its drive has come to rest.
  open func stop() async throws {
    await withCheckedContinuation { continuation in core.stop { _ in continuation.resume() } }
  }

  /// Calls a handler when no player plays any more, on the engine's handler queue.
  open func notifyWhenPlayersFinished(finishedHandler: @escaping FinishedHandler) {
    core.whenFinished(finishedHandler)
  }

  /// Makes a player of a pattern.
  open func makePlayer(with pattern: CHHapticPattern) throws -> any CHHapticPatternPlayer {
    PatternPlayer(core, try core.player(pattern))
  }

  /// Makes a player that can pause, seek and loop.
  open func makeAdvancedPlayer(
    with pattern: CHHapticPattern
  ) throws -> any CHHapticAdvancedPatternPlayer {
    AdvancedPatternPlayer(core, try core.player(pattern))
  }

  /// Plays an AHAP file at once, and starts the engine if it has to.
  open func playPattern(from fileURL: URL) throws {
    try play(CHHapticPattern(contentsOf: fileURL))
  }

  /// Plays an AHAP file's contents at once, and starts the engine if it has to.
  open func playPattern(from data: Data) throws {
    try play(
      CHHapticPattern(
        bytes: Array(data), name: "data", folder: nil, unreadable: .invalidPatternData))
  }

  private func play(_ pattern: CHHapticPattern) throws {
    let player = try core.player(pattern)
    try core.start()
    let stream = try core.stream(for: player)
    try stream.ask([(.start, 0)], of: player, at: 0)
    stream.release(player)
  }

  /// Reads a sound file for events of patterns that this engine plays.
  open func registerAudioResource(
    _ resourceURL: URL, options: [AnyHashable: Any] = [:]
  ) throws -> CHHapticAudioResourceID {
    func flag(_ key: String) -> Bool? {
      let value = options.first { "\($0.key)" == key }?.value
      return value as? Bool ?? (value as? NSNumber)?.boolValue
    }
    return try core.sounds.withLock { sounds throws(CHHapticError) in
      try sounds.register(
        resourceURL,
        useVolumeEnvelope: flag(CHHapticAudioResourceKeyUseVolumeEnvelope) ?? true,
        loopEnabled: flag(CHHapticAudioResourceKeyLoopEnabled) ?? false)
    }
  }

  /// Forgets a sound file; throws where there is no such number.
  open func unregisterAudioResource(_ resourceID: CHHapticAudioResourceID) throws {
    try core.sounds.withLock { sounds throws(CHHapticError) in
      try sounds.unregister(resourceID)
    }
  }
}

extension CHHapticEngine: Hashable {
  /// Tells whether two are one engine.
  public static func == (left: CHHapticEngine, right: CHHapticEngine) -> Bool { left === right }

  /// Adds which engine it is.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A name of an option of an audio resource.
public typealias CHHapticAudioResourceKey = NSString

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the sound is ramped in and out; true unless told otherwise.
public let CHHapticAudioResourceKeyUseVolumeEnvelope = "CHHapticAudioResourceKeyUseVolumeEnvelope"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the sound repeats; false unless told otherwise.
public let CHHapticAudioResourceKeyLoopEnabled = "CHHapticAudioResourceKeyLoopEnabled"

extension CHHapticEngine {
  /// How late the engine was in what it was asked: haprig's own, not a part of Apple's API.
  public var latency: EngineLatency { core.latency }

  /// Moves a stepped clock on, and with it everything that plays: haprig's own.
  ///
  /// - Parameter seconds: How far, to the nearest frame.
  /// - Returns: False where the engine does not run, or stopped on the way.
  @discardableResult
  public func advance(by seconds: TimeInterval) -> Bool {
    precondition(
      core.bench.clock == .stepped, "the engine's clock is the host's: it moves by itself")
    return core.advance(frames: Int((seconds * core.bench.rig.drive.rate.hertz).rounded()))
  }

  /// Stops the engine as the system would, for a reason: haprig's own.
  public func interrupt(_ reason: StoppedReason) { core.interrupt(reason) }

  /// Fails and comes back as the haptic server does: haprig's own.
  public func resetServer() { core.reset() }
}
