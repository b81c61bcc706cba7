// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import Glibc
import Synchronization

/// One device's takes: begins and ends them for the two ports, and serves the engine.
///
/// On a real bus the engine has a thread of its own for each take; on a virtual one it is served in place,
/// by whoever has to wait. Letting go of the stream in the middle of a take ends it: the output is at zero, and the
/// thread has ended.
final class TakeStream<Engine: TakeEngine & ~Copyable>: TakeService {
  /// How often a port on a real bus looks whether the engine's thread moved frames, in microseconds: a small part of
  /// any queue, and far longer than a look takes.
  private static var lookInterval: UInt32 { 500 }

  let rig: String
  let drives: Bool
  let shared: TakeShared
  let isVirtual: Bool
  private let loop: TakeLoop<Engine>
  private let pairing = Guarded(TakePairing())
  private let runner = Guarded(Runner())
  private let isBegun = Atomic<Bool>(false)
  /// Another device's stream whose time passes with this one's; on a real bus each has a thread.
  private let companion = Guarded(Companion())

  /// The thread of a take, and how it was scheduled; that stays when it has ended.
  private struct Runner: ~Copyable {
    var thread: RealtimeThread?
    var scheduling: Scheduling?
  }

  private struct Companion: Sendable {
    weak var stream: (any TakeService)?
  }

  init(_ engine: consuming sending Engine, isVirtual: Bool) {
    rig = engine.rig
    drives = engine.drives
    shared = engine.shared
    self.isVirtual = isVirtual
    loop = TakeLoop(engine)
  }

  deinit {
    shared.isEndWanted.store(true, ordering: .releasing)
    join()
    loop.shutOff()
  }

  var clockRate: StreamStatistics.ClockRate? { loop.engine.withLock { $0.clockRate } }

  func start(_ half: TakeHalves) throws(DeviceError) {
    guard pairing.withLock({ $0.start(half) }) else { return }
    finish()
    // What a take that never began left in the queue.
    loop.engine.withLock { $0.drainDrive() }
    shared.reset()
  }

  func isRunning(_ half: TakeHalves) -> Bool { pairing.withLock { $0.isRunning(half) } }

  func stop(_ half: TakeHalves) {
    if pairing.withLock({ $0.stop(half) }) { finish() }
  }

  func begin() throws(DeviceError) {
    guard
      isBegun.compareExchange(
        expected: false, desired: true, ordering: .acquiringAndReleasing
      ).exchanged
    else { return }
    if isVirtual {
      try loop.guarded { engine throws(DeviceError) in try engine.begin() }
      return
    }
    try runner.withLock { (runner) throws(DeviceError) in
      let started = try RealtimeThread(name: "haprig-usb", priority: Scheduling.renderPriority) {
        [loop] in loop.run()
      }
      runner.scheduling = started.scheduling
      runner.thread = consume started
    }
  }

  var hasBegun: Bool { isBegun.load(ordering: .acquiring) }

  func wait() throws(DeviceError) {
    if let fault = shared.fault { throw fault }
    guard isVirtual else {
      usleep(Self.lookInterval)
      return
    }
    try loop.guarded { engine throws(DeviceError) in try engine.step(microseconds: 1000) }
    companion.withLock(\.stream)?.keepUp()
  }

  func accompany(_ other: any TakeService) { companion.withLock { $0.stream = other } }

  func keepUp() {
    guard isVirtual, hasBegun, shared.fault == nil else { return }
    try? loop.guarded { engine throws(DeviceError) in try engine.step(microseconds: 0) }
  }

  func statistics() -> StreamStatistics? {
    var statistics = StreamStatistics()
    statistics.timestamps = .program(reason: "the end of a USB transfer, read when it was told")
    statistics.scheduling = runner.withLock { $0.scheduling }
    loop.engine.withLock { engine in
      let (times, rate) = (engine.latency, engine.clockRate)
      statistics.transfers = StreamStatistics.Transfers(
        output: times.output, input: times.input, pollingInterval: engine.polling.interval)
      statistics.statements = [engine.statement].compactMap(\.self)
      statistics.captureRate = rate
      // Without a start of its own one clock makes both streams; else the drive's is the host's.
      statistics.start = engine.start ?? .linked
      statistics.driveRate =
        engine.start == nil ? rate : rate.map { .host(pairCount: $0.pairCount) }
    }
    return statistics
  }

  private func finish() {
    shared.isEndWanted.store(true, ordering: .releasing)
    join()
    if isVirtual, isBegun.load(ordering: .acquiring), shared.fault == nil {
      // The fault, if one is found here, is noted for whoever asks: the take is over.
      try? loop.guarded { engine throws(DeviceError) in try engine.end() }
    }
    isBegun.store(false, ordering: .releasing)
  }

  private func join() {
    let running = runner.withLock { $0.thread.take() }
    _ = consume running
  }
}

/// An engine under its lock, as the thread of a take and the stream that started it both hold it.
///
/// The thread holds no more than this: whoever lets go of the stream ends the take.
final class TakeLoop<Engine: TakeEngine & ~Copyable>: Sendable {
  let engine: Guarded<Engine>
  let shared: TakeShared

  init(_ engine: consuming sending Engine) {
    shared = engine.shared
    self.engine = Guarded(engine)
  }

  func run() {
    try? guarded { engine throws(DeviceError) in
      try engine.begin()
      while !shared.isEndWanted.load(ordering: .acquiring) { try engine.step(microseconds: 1000) }
      try engine.end()
    }
    shared.hasEnded.store(true, ordering: .releasing)
  }

  /// Does something with the engine; a fault brings the output to zero and is kept.
  func guarded(
    _ body: (inout Engine) throws(DeviceError) -> Void
  ) throws(DeviceError) {
    do throws(DeviceError) {
      try engine.withLock { (engine) throws(DeviceError) in
        do throws(DeviceError) { try body(&engine) } catch {
          _ = engine.shutOff()
          throw error
        }
      }
    } catch {
      shared.fail(error)
      throw error
    }
  }

  func shutOff() {
    engine.withLock { engine in
      if engine.isRunning { _ = engine.shutOff() }
    }
  }
}

/// What moves frames between queues and a device over USB: one take after another.
///
/// For one thread. `step` does what can be done and waits at most as long as it is told; whatever goes wrong
/// is thrown, and `shutOff` then brings the output to zero.
protocol TakeEngine: ~Copyable, SendableMetatype {
  var rig: String { get }
  var drives: Bool { get }
  var shared: TakeShared { get }
  var isRunning: Bool { get }
  var latency: (output: JitterHistogram, input: JitterHistogram) { get }
  var polling: USBPolling { get }
  /// The device's clock against the host's, as far as it was followed; `nil` where the host's is the device's.
  var clockRate: StreamStatistics.ClockRate? { get }
  /// How the capture's frame 0 was laid on the drive's where each has a clock of its own, the drive the host's;
  /// `nil` for one clock.
  var start: StreamStatistics.Start? { get }
  var statement: StreamStatistics.Statement? { get }

  mutating func begin() throws(DeviceError)

  /// Does what can be done now, then waits at most so long.
  mutating func step(microseconds: Int) throws(DeviceError)

  mutating func end() throws(DeviceError)

  /// Brings the output to zero after a fault; true where the device took it.
  mutating func shutOff() -> Bool

  mutating func drainDrive()
}

extension TakeEngine where Self: ~Copyable {
  var start: StreamStatistics.Start? { nil }
  var statement: StreamStatistics.Statement? { nil }
}

protocol TakeService: AnyObject, Sendable {
  var rig: String { get }
  var drives: Bool { get }
  var shared: TakeShared { get }

  func start(_ half: TakeHalves) throws(DeviceError)

  func isRunning(_ half: TakeHalves) -> Bool

  func stop(_ half: TakeHalves)

  func begin() throws(DeviceError)

  func wait() throws(DeviceError)

  func accompany(_ other: any TakeService)

  /// Does what can be done at this moment, without waiting; a fault is kept for whoever uses the device.
  func keepUp()

  var clockRate: StreamStatistics.ClockRate? { get }

  func statistics() -> StreamStatistics?
}

extension TakeService {
  func advance(frames: Int) { shared.sent.add(frames, ordering: .releasing) }
}

/// What the ports and the engine of a device share: queues, counters, and requests.
final class TakeShared: Sendable {
  let drive: Guarded<DriveWriter>
  let capture: Guarded<CaptureReader>
  /// The device's frame and the host's time.
  let clock = ClockCell()
  let sent = Atomic<Int>(0)
  let driven = Atomic<Int>(0)
  /// Frames whose time is over on the device, as far as is known.
  let played = Atomic<Int>(0)
  /// Asked for by a caller: zero from now on.
  let isSilenced = Atomic<Bool>(false)
  let isHushed = Atomic<Bool>(false)
  /// Asked for by a caller: nothing follows what was sent.
  let isDriveEnded = Atomic<Bool>(false)
  /// Asked for by a caller: end the take.
  let isEndWanted = Atomic<Bool>(false)
  let hasEnded = Atomic<Bool>(false)
  let stop: StopSignal
  private let failure = Guarded<DeviceError?>(nil)

  init(
    drive: consuming sending DriveWriter, capture: consuming sending CaptureReader, stop: StopSignal
  ) {
    self.drive = Guarded(drive)
    self.capture = Guarded(capture)
    self.stop = stop
  }

  var fault: DeviceError? { failure.withLock { $0 } }

  /// Notes why the take broke; the first reason stays.
  func fail(_ error: DeviceError) {
    failure.withLock { $0 = $0 ?? error }
    hasEnded.store(true, ordering: .releasing)
  }

  func reset() {
    _ = drive.withLock { $0.takeEvents() }
    capture.withLock { $0.clear() }
    clock.clear()
    failure.withLock { $0 = nil }
    sent.store(0, ordering: .relaxed)
    driven.store(0, ordering: .relaxed)
    played.store(0, ordering: .relaxed)
    isSilenced.store(false, ordering: .relaxed)
    isHushed.store(false, ordering: .relaxed)
    isDriveEnded.store(false, ordering: .relaxed)
    isEndWanted.store(false, ordering: .relaxed)
    hasEnded.store(false, ordering: .releasing)
  }
}
