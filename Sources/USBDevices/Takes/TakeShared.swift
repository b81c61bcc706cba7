import Devices
import Synchronization

/// What the ports and the engine of a device share: queues, counters, and requests.
final class TakeShared: Sendable {
  /// The ports' ends of the queues.
  let drive: Guarded<DriveWriter>
  let capture: Guarded<CaptureReader>
  /// The device's frame and the host's time.
  let clock = ClockCell()
  /// Drive frames that the caller gave.
  let sent = Atomic<Int>(0)
  /// Drive frames that went to the device.
  let driven = Atomic<Int>(0)
  /// Frames whose time is over on the device, as far as is known.
  let played = Atomic<Int>(0)
  /// Asked for by a caller: zero from now on.
  let isSilenced = Atomic<Bool>(false)
  /// The device took the request.
  let isHushed = Atomic<Bool>(false)
  /// Asked for by a caller: nothing follows what was sent.
  let isDriveEnded = Atomic<Bool>(false)
  /// Asked for by a caller: end the take.
  let isEndWanted = Atomic<Bool>(false)
  /// The take is over, well or not.
  let hasEnded = Atomic<Bool>(false)
  /// The request to stop the program.
  let stop: StopSignal
  private let failure = Guarded<DeviceError?>(nil)

  init(
    drive: consuming sending DriveWriter, capture: consuming sending CaptureReader, stop: StopSignal
  ) {
    self.drive = Guarded(drive)
    self.capture = Guarded(capture)
    self.stop = stop
  }

  /// Why the take broke, if it did.
  var fault: DeviceError? { failure.withLock { $0 } }

  /// Notes why the take broke; the first reason stays.
  func fail(_ error: DeviceError) {
    failure.withLock { $0 = $0 ?? error }
    hasEnded.store(true, ordering: .releasing)
  }

  /// Makes all ready for a take, while nothing runs.
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
