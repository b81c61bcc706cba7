// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Synchronization

/// One stream in both directions: what is at the card, what is at the queues, and how it went.
///
/// `DuplexEngine+Serving.swift` is its work. One owner at a time: the thread that serves it, or whoever
/// holds its lock.
struct DuplexEngine<PCMs: DuplexPCM & ~Copyable>: ~Copyable {
  var pcms: PCMs
  let setup: DuplexSetup
  let shared: DuplexShared
  var drive: DriveSide
  var capture: CaptureSide
  var tally: StreamTally
  /// Where each side stood at the latest look, and when.
  var seenPlayback = SeenPosition()
  var seenCapture = SeenPosition()
  /// What a capture that lost nothing says of its delay before it starts; in lock-step.
  var restingDelay = 0

  init(
    pcms: consuming PCMs, setup: DuplexSetup, drive: consuming DriveSide,
    capture: consuming CaptureSide
  ) {
    self.pcms = pcms
    self.setup = setup
    shared = drive.shared
    self.drive = drive
    self.capture = capture
    tally = StreamTally(setup: setup)
  }
}

/// A position of a side's clock and the time it was there.
struct SeenPosition {
  var frame: Int
  var time: Int64
  /// By how much the time may be wrong, in nanoseconds.
  var doubt: Int64

  @_noAllocation @_noLocks
  init(frame: Int = 0, time: Int64 = 0, doubt: Int64 = 0) {
    self.frame = frame
    self.time = time
    self.doubt = doubt
  }
}

extension DuplexEngine where PCMs: ~Copyable {
  /// Stops the PCMs and makes them ready for a take: where they are gone, this says so.
  mutating func rest() -> Int32 {
    tally = StreamTally(setup: setup)
    drive.clear()
    drive.reset(lead: 0)
    capture.reset(origin: 0)
    return pcms.prepare()
  }

  /// Starts a take: silence in the card, then both sides.
  ///
  /// The capture's frame 0 is laid on the drive's by the times of their starts.
  mutating func begin() -> Int32 {
    if setup.isLockStep { restingDelay = pcms.captureDelay() }
    let silence = prefill()
    guard silence >= 0 else { return Int32(silence) }
    let start = pcms.start()
    guard start.code >= 0 else { return start.code }
    let (playback, isStampPlayback) = startTime(.playback, start)
    let (captured, isStampCapture) = startTime(.capture, start)
    tally.began(at: captured < playback ? captured : playback)
    var ahead = 0
    if !setup.isLockStep, !setup.isLinked {
      ahead = setup.frames(playback - captured)
      let spread = start.playbackTo - start.playbackFrom + start.captureTo - start.captureFrom
      let isStamped = isStampPlayback && isStampCapture
      tally.start = .unlinked(
        offset: Double(playback - captured) * 1e-9,
        uncertainty: (isStamped ? 0.5 / setup.rate : Double(spread) * 0.5e-9) / 3.0.squareRoot(),
        reason: isStamped
          ? "by the stamps of both starts: how long a converter takes to begin is not in them"
          : "by the program's clock around both starts: the card does not say when it began")
    } else if setup.isLinked {
      tally.start = .linked
    }
    drive.reset(lead: silence)
    capture.reset(origin: silence + ahead)
    seenPlayback = SeenPosition(frame: 0, time: playback)
    seenCapture = SeenPosition(frame: 0, time: captured)
    return 0
  }

  func statistics(isThreaded: Bool) -> StreamStatistics {
    tally.statistics(clipped: drive.clipped, isThreaded: isThreaded)
  }
}

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
