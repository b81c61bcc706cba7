import Devices
import Glibc
import Synchronization

/// What the engine's thread and the ports see of each other: atomics and queues.
///
/// The engine waits for nobody; a port takes a lock that no other thread holds for long.
final class DuplexShared: Sendable {
  /// The ports' ends of the queues; the engine's are its own.
  let drive: Guarded<DriveWriter>
  let capture: Guarded<CaptureReader>
  let driveClock = ClockCell()
  let captureClock = ClockCell()

  /// The request to stop that ends the run: the loop looks at it by itself.
  private let stop: StopSignal
  private let stopFlag: StopFlag

  let isEnding = Atomic<Bool>(false)
  /// The drive is zero until the next start.
  let isSilenced = Atomic<Bool>(false)
  /// The card plays zeros only, since it was silenced.
  let isHushed = Atomic<Bool>(false)
  let isDriveEnded = Atomic<Bool>(false)
  let isCaptureWanted = Atomic<Bool>(false)
  /// Drive frames that the port took.
  let sent = Atomic<Int>(0)
  let driven = Atomic<Int>(0)
  let played = Atomic<Int>(0)
  /// Why the loop ended; 0 while it runs.
  let fault = Atomic<Int32>(0)
  let hasEnded = Atomic<Bool>(false)

  private let wakeUp: WakePipe?

  init(
    drive: consuming sending DriveWriter, capture: consuming sending CaptureReader,
    wakeUp: WakePipe? = nil,
    stop: StopSignal = StopSignal()
  ) {
    self.drive = Guarded(drive)
    self.capture = Guarded(capture)
    self.wakeUp = wakeUp
    self.stop = stop
    stopFlag = stop.flag
  }

  /// Whether the card is to be given zeros: somebody silenced the drive, or asked to stop.
  var isQuiet: Bool {
    @_noAllocation @_noLocks
    get { stopFlag.isSet ? true : isSilenced.load(ordering: .acquiring) }
  }

  func wake() { wakeUp?.signal() }

  /// Makes all ready for another take; while no loop runs.
  func reset() {
    isEnding.store(false, ordering: .releasing)
    isSilenced.store(false, ordering: .releasing)
    isHushed.store(false, ordering: .releasing)
    isDriveEnded.store(false, ordering: .releasing)
    isCaptureWanted.store(false, ordering: .releasing)
    hasEnded.store(false, ordering: .releasing)
    sent.store(0, ordering: .releasing)
    driven.store(0, ordering: .releasing)
    played.store(0, ordering: .releasing)
    fault.store(0, ordering: .releasing)
    driveClock.clear()
    captureClock.clear()
    _ = drive.withLock { $0.takeEvents() }
    capture.withLock { $0.clear() }
  }
}
