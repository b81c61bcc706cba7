import Devices

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
  ///
  /// *Render thread*.
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
