// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc
import Synchronization

/// An engine where both its thread and the ports' callers can reach it, one at a time.
///
/// The thread holds the engine's lock for as long as it lives, the callers before and after it.
final class EngineHolder<PCMs: DuplexPCM & ~Copyable>: Sendable {
  let engine: Mutex<DuplexEngine<PCMs>>
  let shared: DuplexShared
  private let serve: @Sendable (inout DuplexEngine<PCMs>) -> Int32

  init(
    _ engine: consuming sending DuplexEngine<PCMs>, shared: DuplexShared,
    serve: @escaping @Sendable (inout DuplexEngine<PCMs>) -> Int32
  ) {
    self.engine = Mutex(engine)
    self.shared = shared
    self.serve = serve
  }

  @Sendable func run() {
    RenderThread.prepare()
    let code = engine.withLock { engine in
      let code = engine.begin()
      return code < 0 ? code : serve(&engine)
    }
    shared.fault.store(code, ordering: .releasing)
    shared.hasEnded.store(true, ordering: .releasing)
  }
}

protocol DuplexStream: AnyObject, Sendable {
  var shared: DuplexShared { get }
  var isLockStep: Bool { get }
  func rest() throws(DeviceError)
  func begin() throws(DeviceError)
  /// Moves frames in the caller's thread, in lock-step, and returns how many.
  func advance() throws(DeviceError) -> Int
  /// Ends the take: the output is at zero, the statistics stand.
  func finish()
  func fault() -> DeviceError?
  func statistics() -> StreamStatistics?
}

/// A stream over a pair of PCMs, served by a thread of its own or, in lock-step, by its callers.
final class Duplex<PCMs: DuplexPCM & ~Copyable>: DuplexStream {
  let shared: DuplexShared
  let isLockStep: Bool

  private let holder: EngineHolder<PCMs>
  private let names: DuplexNames
  private let negotiations: [Negotiation]
  private let priority: Int?
  private let thread = Mutex<RealtimeThread?>(nil)
  private let state = Mutex(State())

  private struct State: Sendable {
    var isStarted = false
    var scheduling: Scheduling?
    var memoryLock: MemoryLock?
    var statistics: StreamStatistics?
  }

  /// Takes over an engine at rest; `serve` is the loop, which the compiler has seen with these PCMs.
  init(
    _ engine: consuming sending DuplexEngine<PCMs>, names: DuplexNames,
    negotiations: [Negotiation], priority: Int?,
    serve: @escaping @Sendable (inout DuplexEngine<PCMs>) -> Int32
  ) {
    let shared = engine.shared
    isLockStep = engine.setup.isLockStep
    self.shared = shared
    self.names = names
    self.negotiations = negotiations
    self.priority = priority
    holder = EngineHolder(engine, shared: shared, serve: serve)
  }

  deinit {
    shared.isEnding.store(true, ordering: .releasing)
    shared.wake()
    // The thread is joined with its value; the PCMs close with the engine.
    thread.withLock { $0 = nil }
  }

  func rest() throws(DeviceError) {
    finish()
    shared.reset()
    let code = holder.engine.withLock { $0.rest() }
    guard code >= 0 else { throw names.error(code, at: "prepare") }
    state.withLock { $0 = State(memoryLock: $0.memoryLock) }
  }

  func begin() throws(DeviceError) {
    guard !state.withLock({ $0.isStarted }) else { return }
    if isLockStep {
      let code = holder.engine.withLock { $0.begin() }
      guard code >= 0 else { throw names.error(code, at: "start") }
      state.withLock { $0.isStarted = true }
      return
    }
    let memoryLock = state.withLock { $0.memoryLock } ?? MemoryLock.lockProcess()
    let scheduling = try thread.withLock { (slot) throws(DeviceError) in
      let started = try RealtimeThread(
        name: "haprig-render", priority: priority, body: holder.run)
      let scheduling = started.scheduling
      slot = consume started
      return scheduling
    }
    state.withLock {
      $0.isStarted = true
      $0.memoryLock = memoryLock
      $0.scheduling = scheduling
    }
  }

  func advance() throws(DeviceError) -> Int {
    if let fault = fault() { throw fault }
    let moved = holder.engine.withLock { $0.advance() }
    guard moved >= 0 else {
      shared.fault.store(Int32(moved), ordering: .releasing)
      throw names.error(Int32(moved), at: "stream")
    }
    return moved
  }

  func finish() {
    guard state.withLock({ $0.isStarted }) else { return }
    shared.isEnding.store(true, ordering: .releasing)
    shared.wake()
    thread.withLock { $0 = nil }
    var statistics = holder.engine.withLock { engine in
      engine.pcms.drop()
      return engine.statistics(isThreaded: !engine.setup.isLockStep)
    }
    statistics.negotiations = negotiations
    state.withLock {
      statistics.scheduling = $0.scheduling
      statistics.memoryLock = $0.memoryLock
      $0.statistics = statistics
      $0.isStarted = false
    }
  }

  func fault() -> DeviceError? {
    let code = shared.fault.load(ordering: .acquiring)
    return code < 0 ? names.error(code, at: "stream") : nil
  }

  func statistics() -> StreamStatistics? {
    // The thread keeps the engine to itself until it is done.
    if shared.hasEnded.load(ordering: .acquiring) { finish() }
    return state.withLock { $0.statistics }
  }
}

struct DuplexNames: Sendable {
  let rig: String
  let playback: String
  let capture: String

  private var cards: String {
    playback == capture ? "'\(playback)'" : "'\(playback)' or '\(capture)'"
  }

  func error(_ code: Int32, at step: String) -> DeviceError {
    switch code {
    case -ENODEV:
      error(
        .unplugged, code,
        "\(cards) was unplugged while it was in use: plug it in again, and start the run again")
    case StreamFault.stalled:
      error(
        .stalled, code,
        "\(cards) moved no frame for a second: check its cable and its hub, or take a longer period"
      )
    case StreamFault.unpaced:
      error(
        .garbled, nil,
        "\(cards) takes frames much faster than its rate: it has no clock, so nothing can be "
          + "measured with it; name a card")
    case StreamFault.breaking:
      error(
        .stalled, nil,
        "\(cards) breaks off again as soon as it is started: take a longer 'period' and more "
          + "'periods'")
    case StreamFault.unread:
      error(
        .refused, nil, "the capture is full and nobody reads it: read it as the drive goes on")
    default:
      error(
        .garbled, code,
        "\(cards) failed at \(step): \(LibraryMessages.sentence(code)) (error \(-code)); "
          + "look at 'dmesg', and start the run again")
    }
  }

  private func error(_ code: DeviceError.Code, _ number: Int32?, _ message: String) -> DeviceError {
    DeviceError(code, device: rig, message: message, errno: number.map { -$0 })
  }
}

enum RenderThread {
  /// How far the loop's stack may reach, generously.
  private static let stackBytes = 65_536

  /// Brings the calling thread's stack into memory, and keeps libasound from printing on it.
  static func prepare() {
    LibraryMessages.silenceThisThread()
    withUnsafeTemporaryAllocation(byteCount: stackBytes, alignment: 16) { stack in
      for place in stride(from: 0, to: stack.count, by: 4096) {
        stack.storeBytes(of: 0, toByteOffset: place, as: UInt8.self)
      }
    }
  }
}
