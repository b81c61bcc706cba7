import Devices

/// What the engine counts of one take, in a fixed amount of memory.
struct StreamAccount {
  private let setup: DuplexSetup
  private(set) var startTime: Int64 = 0
  private var endTime: Int64 = 0
  private var threadStart: Int64 = 0
  private var threadEnd: Int64 = 0
  /// Whether the card's stamps are believed, and how many impossible ones came.
  private var believesStamps: Bool
  private var impossible = 0
  private var lastStamp: (playback: Int64, capture: Int64) = (0, 0)
  private var lastWake: Int64 = 0
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

  init(setup: DuplexSetup) {
    self.setup = setup
    believesStamps = setup.hasStamps && !setup.isLockStep
    drive = ClockObserver(rate: setup.rate)
    capture = ClockObserver(rate: setup.rate)
  }

  /// Notes the first start of a take.
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

  /// Notes a wake-up with news.
  ///
  /// *Render thread*.
  @_noAllocation @_noLocks
  mutating func woke(at time: Int64) {
    defer { lastWake = time }
    guard lastWake > 0 else { return }
    let off = time - lastWake - setup.periodTime
    let deviation = off < 0 ? -off : off
    largest = deviation > largest ? deviation : largest
    let microseconds = deviation / 1000
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
    lastWake = 0
    lastMove = (time, time)
    drive.breakLine()
    capture.breakLine()
  }

  /// Everything, as a record keeps it.
  func statistics(clipped: Int, isThreaded: Bool) -> StreamStatistics {
    var statistics = StreamStatistics()
    statistics.start = start
    statistics.xruns = xruns
    statistics.suspensions = suspensions
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
