import Devices

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
