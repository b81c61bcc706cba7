// SPDX-License-Identifier: Apache-2.0

/// Numbers the scans of a buffer by their time stamps, so that those that are missing show.
///
/// The kernel passes over scans that find its buffer full, and says nothing of it: only the stamps tell. They
/// are late at times, by whatever the computer did, but never early for long. So scans are missing only
/// where four in a row come late by more than half a period; each of them may be late by any time otherwise. Sensors'
/// clocks are off by percents: the period is at first the median of sixteen steps, then the way of the phase over the
/// last 512 scans. A scan is given when the three after it have come, the first ones after seventeen; before
/// some sixty have come a long gap may be counted wrong by one.
public struct ScanCounter: Sendable {
  private static let lookahead = 4
  private static let firstLook = 17
  /// The share of a scan's lateness that moves the phase, which it does by at most a quarter of a period.
  private static let gain = 0.25
  /// Scans from one mark of the phase to the next, and how many marks are kept.
  private static let markInterval = 16
  private static let markCount = 33

  private let nominal: Double
  private var period: Double
  private var origin: Int64?
  /// Scans without a number yet, and their stamps in nanoseconds after the first.
  private var waiting: [(scan: ScanLayout.Scan, stamp: Int64)] = []
  /// When the next scan is to come, in nanoseconds after the first; `nil` before the period is known.
  private var expected: Double?
  private var index = 0
  private var count = 0
  private var marks: [(index: Int, expected: Double)] = []

  /// Makes a counter of scans at about a rate.
  public init(sampleRate: Double) {
    nominal = 1e9 / sampleRate
    period = nominal
  }

  /// A scan and its number, from 0.
  public struct Counted: Sendable, Hashable {
    /// The scan.
    public var scan: ScanLayout.Scan
    /// Its number; those that are missing were counted.
    public var index: Int
  }

  /// Takes the next scan, whose stamp is needed; gives those whose number is known now.
  public mutating func note(_ scan: ScanLayout.Scan) -> [Counted] {
    guard let stamp = scan.timestamp else { return [] }
    let first = origin ?? stamp
    origin = first
    waiting.append((scan, stamp.subtractingReportingOverflow(first).partialValue))
    if expected == nil {
      guard waiting.count == Self.firstLook else { return [] }
      start()
    }
    var counted: [Counted] = []
    while waiting.count >= Self.lookahead { counted.append(next()) }
    return counted
  }

  private mutating func start() {
    let steps = zip(waiting.dropFirst(), waiting).map {
      $0.stamp.subtractingReportingOverflow($1.stamp).partialValue
    }
    follow(Double(steps.sorted()[steps.count / 2]))
    expected = (0..<Self.lookahead).map { lateness(of: $0, after: 0) }.min()
  }

  private mutating func next() -> Counted {
    let due = expected ?? 0
    let least = (0..<Self.lookahead).map { lateness(of: $0, after: due) }.min() ?? 0
    // A stamp of another clock may be anything: what no count can hold is a jump that is refused later.
    let missing = min(1e12, max(0, (least / period).rounded()))
    let late = lateness(of: 0, after: due) - missing * period
    let moved = min(period / 4, max(-period / 4, late))
    let number = index + Int(missing)
    let after = due + (missing + 1) * period + Self.gain * moved
    index = number + 1
    expected = after
    count += 1
    if count.isMultiple(of: Self.markInterval) { mark(after) }
    return Counted(scan: waiting.removeFirst().scan, index: number)
  }

  private mutating func mark(_ expected: Double) {
    marks.append((index, expected))
    if marks.count > Self.markCount { marks.removeFirst() }
    guard let oldest = marks.first, oldest.index < index else { return }
    follow((expected - oldest.expected) / Double(index - oldest.index))
  }

  /// Takes a period that was seen; stamps that a driver gives by the handful show none.
  private mutating func follow(_ seen: Double) {
    if abs(seen / nominal - 1) < 0.25 { period = seen }
  }

  /// How much later than at one scan a period a waiting scan came, the first of them due at a time.
  private func lateness(of place: Int, after due: Double) -> Double {
    Double(waiting[place].stamp) - due - Double(place) * period
  }
}
