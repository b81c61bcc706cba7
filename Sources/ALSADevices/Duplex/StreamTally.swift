import Devices

/// What the engine counts of one take, in a fixed amount of memory.
struct StreamTally {
  private let setup: DuplexSetup
  private(set) var startTime: Int64 = 0
  private var endTime: Int64 = 0
  private var threadStart: Int64 = 0
  private var threadEnd: Int64 = 0
  /// Whether the card's stamps are believed, and how many impossible ones came.
  private var believesStamps: Bool
  private var impossible = 0
  private var lastStamp: (playback: Int64, capture: Int64) = (0, 0)
  /// Whether frames moved since the start, so that it can be told when the next ones are due.
  private var isPaced = false
  private var bins: [24 of Int] = .init(repeating: 0)
  private var largest: Int64 = 0
  private var drive: ClockObserver
  private var capture: ClockObserver

  var xruns = 0
  var suspensions = 0
  var spurious = 0
  var timeouts = 0
  /// Starts in a row after which no frame moved.
  var vainStarts = 0
  /// When either side last moved a frame.
  var lastMove: (playback: Int64, capture: Int64) = (0, 0)
  var start = StreamStatistics.Start.lockStep
  var lastNow: Int64 = 0
  /// The largest sum of squared doubts of a restart's two sides, in nanoseconds squared.
  private var restartDoubt = 0.0

  init(setup: DuplexSetup) {
    self.setup = setup
    believesStamps = setup.hasStamps && !setup.isLockStep
    drive = ClockObserver(rate: setup.rate)
    capture = ClockObserver(rate: setup.rate)
  }

  mutating func began(at time: Int64) {
    startTime = time
    endTime = time
    lastMove = (time, time)
  }

  /// Notes when the thread that serves began or ended to, with its processor time.
  @_noAllocation @_noLocks
  mutating func thread(from time: Int64) { threadStart = time }

  @_noAllocation @_noLocks
  mutating func ended(at time: Int64, threadTime: Int64) {
    endTime = time
    threadEnd = threadTime
  }

  /// Notes a wake-up with news, by how much it came after a side had a period to be moved.
  ///
  /// The first one after a start is left out: a converter may take a while to begin. *Render thread*.
  @_noAllocation @_noLocks
  mutating func woke(at time: Int64, due: Int64) {
    defer { isPaced = true }
    guard isPaced else { return }
    let lateness = time > due ? time - due : 0
    largest = lateness > largest ? lateness : largest
    let microseconds = lateness / 1000
    let bin = Int64.bitWidth - microseconds.leadingZeroBitCount
    bins[bin < 23 ? bin : 23] += 1
  }

  /// Takes a look at one side's position, and returns the time that is believed.
  ///
  /// *Render thread*.
  @_noAllocation @_noLocks
  mutating func note(
    _ direction: Direction, position: Int, stamp: Int64, now: Int64
  ) -> Int64 {
    let time = believed(direction, stamp: stamp, now: now)
    switch direction {
    case .playback: drive.observe(frame: position, time: time)
    case .capture: capture.observe(frame: position, time: time)
    }
    return time
  }

  /// A stamp that can be true, or the program's own time.
  ///
  /// Impossible: none, before the start, earlier than the one before, or in the future. After eight
  /// of them no stamp is believed any more.
  @_noAllocation @_noLocks
  private mutating func believed(_ direction: Direction, stamp: Int64, now: Int64) -> Int64 {
    guard believesStamps else { return now }
    let last = direction == .playback ? lastStamp.playback : lastStamp.capture
    guard stamp > 0, stamp >= startTime, stamp >= last, stamp <= now else {
      impossible += 1
      if impossible >= 8 { believesStamps = false }
      return now
    }
    if direction == .playback { lastStamp.playback = stamp } else { lastStamp.capture = stamp }
    return stamp
  }

  /// Notes that the stream broke: wake-ups and clocks begin anew.
  ///
  /// *Render thread*.
  @_noAllocation @_noLocks
  mutating func broke(at time: Int64) {
    isPaced = false
    lastMove = (time, time)
    drive.breakLine()
    capture.breakLine()
  }

  /// Notes by how much a restart may have placed either side wrong, in nanoseconds; a frame comes on top.
  ///
  /// *Render thread*.
  @_noAllocation @_noLocks
  mutating func restarted(doubt first: Int64, and second: Int64) {
    let frame = 1e9 / setup.rate
    let (one, other) = (Double(first) + frame, Double(second) + frame)
    let sum = one * one + other * other
    restartDoubt = sum > restartDoubt ? sum : restartDoubt
  }

  func statistics(clipped: Int, isThreaded: Bool) -> StreamStatistics {
    var statistics = StreamStatistics()
    statistics.start = start
    statistics.xruns = xruns
    statistics.suspensions = suspensions
    // Each doubt is the end of what is equally likely on either side.
    statistics.restartUncertainty =
      restartDoubt > 0 ? (restartDoubt / 3).squareRoot() * 1e-9 : nil
    statistics.spuriousWakeups = spurious
    statistics.timeouts = timeouts
    statistics.clippedSamples = clipped
    statistics.duration = Double(endTime - startTime) * 1e-9
    guard isThreaded else { return statistics }
    if statistics.duration > 0 {
      statistics.cpuShare = Double(threadEnd - threadStart) * 1e-9 / statistics.duration
    }
    statistics.jitter = JitterHistogram(
      counts: bins.indices.map { bins[$0] }, largest: Double(largest) * 1e-9)
    statistics.timestamps =
      if !setup.hasStamps {
        .program(reason: "the card's time stamps are not by the raw monotonic clock")
      } else if believesStamps {
        .kernel
      } else {
        .program(reason: "\(impossible) of the card's time stamps were impossible")
      }
    statistics.driveRate = drive.result()
    statistics.captureRate = capture.result()
    return statistics
  }
}
