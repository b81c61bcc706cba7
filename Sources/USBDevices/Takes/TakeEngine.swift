import DeviceStreams
import Devices
import Synchronization

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

  /// Joins a half to the take, and makes a new one ready where it was in the latest already.
  func start(_ half: TakeHalves) throws(DeviceError)

  func isRunning(_ half: TakeHalves) -> Bool

  /// Takes a half out, and ends the take with the last one.
  func stop(_ half: TakeHalves)

  func begin() throws(DeviceError)

  func wait() throws(DeviceError)

  /// Has another device on the same virtual bus served whenever this one waits.
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
