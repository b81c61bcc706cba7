// SPDX-License-Identifier: Apache-2.0

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
  /// The first one after a start is left out: a converter may take a while to begin.
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
  @_noAllocation @_noLocks
  mutating func broke(at time: Int64) {
    isPaced = false
    lastMove = (time, time)
    drive.breakLine()
    capture.breakLine()
  }

  /// Notes that the capture lost frames without a break: its clock's line begins anew.
  @_noAllocation @_noLocks
  mutating func lostCapture() {
    xruns += 1
    capture.breakLine()
  }

  /// Notes by how much a restart may have placed either side wrong, in nanoseconds; a frame comes on top.
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

/// Fits a device's rate to pairs of frame and time as they come, in a fixed amount of memory.
///
/// Of every 64 pairs the one that came least late counts: lateness has one sign, so its minimum is
/// steadier than its mean. Through these goes a line by least squares, lateness against time; where the
/// stream broke, each part has an offset of its own and all share the slope.
struct ClockObserver {
  private static var groupSize: Int { 64 }
  /// Looks after a start that do not count: a card's first frames come sooner or later than all others.
  private static var settlingLooks: Int { 8 }

  private let rate: Double
  private var firstFrame = 0
  private var firstTime: Int64 = 0
  private var isEmpty = true
  private var looksToSettle = settlingLooks
  private var seenInGroup = 0
  private var bestTime = 0.0
  private var bestLateness = 0.0
  /// This part's sums: of 1, t, t^2, lateness, t * lateness, lateness^2.
  private var n = 0.0
  private var sumT = 0.0
  private var sumTT = 0.0
  private var sumL = 0.0
  private var sumTL = 0.0
  private var sumLL = 0.0
  /// The finished parts' sums about their means.
  private var pairs = 0.0
  private var parts = 0.0
  private var spreadTT = 0.0
  private var spreadTL = 0.0
  private var spreadLL = 0.0

  init(rate: Double) { self.rate = rate }

  /// Takes a pair; *render thread*, wait-free.
  @_noAllocation @_noLocks
  mutating func observe(frame: Int, time: Int64) {
    guard looksToSettle == 0 else {
      looksToSettle -= 1
      return
    }
    if isEmpty {
      (firstFrame, firstTime, isEmpty) = (frame, time, false)
    }
    let t = Double(frame - firstFrame) / rate
    let lateness = Double(time - firstTime) * 1e-9 - t
    if seenInGroup == 0 || lateness < bestLateness {
      (bestTime, bestLateness) = (t, lateness)
    }
    seenInGroup += 1
    if seenInGroup == Self.groupSize { closeGroup() }
  }

  /// Begins another part: the frames after a break have another offset.
  @_noAllocation @_noLocks
  mutating func breakLine() {
    looksToSettle = Self.settlingLooks
    seenInGroup = 0
    guard n >= 2 else {
      clearPart()
      return
    }
    pairs += n
    parts += 1
    spreadTT += sumTT - sumT * sumT / n
    spreadTL += sumTL - sumT * sumL / n
    spreadLL += sumLL - sumL * sumL / n
    clearPart()
  }

  /// The rate, as soon as three counted pairs show a scatter.
  func result() -> StreamStatistics.ClockRate? {
    var whole = self
    whole.breakLine()
    guard whole.pairs > whole.parts + 1, whole.spreadTT > 0 else { return nil }
    let slope = whole.spreadTL / whole.spreadTT
    let rest = max(0, whole.spreadLL - slope * whole.spreadTL)
    let variance = rest / (whole.pairs - whole.parts - 1) / whole.spreadTT
    return StreamStatistics.ClockRate(
      ppm: (1 / (1 + slope) - 1) * 1e6, uncertainty: variance.squareRoot() * 1e6,
      pairCount: Int(whole.pairs))
  }

  @_noAllocation @_noLocks
  private mutating func closeGroup() {
    seenInGroup = 0
    n += 1
    sumT += bestTime
    sumTT += bestTime * bestTime
    sumL += bestLateness
    sumTL += bestTime * bestLateness
    sumLL += bestLateness * bestLateness
  }

  @_noAllocation @_noLocks
  private mutating func clearPart() {
    n = 0
    sumT = 0
    sumTT = 0
    sumL = 0
    sumTL = 0
    sumLL = 0
  }
}
