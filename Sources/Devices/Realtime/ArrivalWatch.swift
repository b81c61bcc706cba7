// SPDX-License-Identifier: Apache-2.0

/// Says whether frames come at the rate that was agreed, by the host's clock.
///
/// A card that a player or a server has set to another rate is heard too high or too low, and a PCM without a clock
/// gives whatever is asked of it. The farther a rate is off, the sooner that is known. What has come since a moment is
/// off, in seconds of sound, by
///
///     x = frames / rate - time,
///
/// and the rate is another one where |x| > 0.02 time + 5 ms + 2 u. Here u is the longest time between two arrivals
/// since that moment, or the longest sound that came at once, if that is longer: as late or as early can frames be
/// that come at their rate. So a deviation d is known after (5 ms + 2 u) / (d - 0.02), looked at every 10 ms, and one
/// below 0.02 never. Too few frames may also be a source that a busy machine holds up now and then: they have to be too
/// few for a second at least, in each quarter of it.
public struct ArrivalWatch: Sendable {
  /// What has come until a moment.
  private struct Mark {
    let time: Double
    /// By how much more sound has come than time has passed, in seconds.
    let ahead: Double
    /// The longest time between arrivals, or the longest sound at once, since the mark before.
    let unevenness: Double
  }

  private let rate: Double
  private var start: Double?
  private var last = 0.0
  private var frames = 0
  private var unevenness = 0.0
  /// The moments that are looked back at, the newest last.
  private var marks: [Mark] = []

  /// What two clocks may differ by, and what is no deviation yet, in seconds.
  private static let (tolerance, least) = (0.02, 5e-3)
  /// A source that was just started may give what it has kept, in seconds: so long nothing is said.
  private static let settling = 0.5
  /// How long frames have to be too few, in seconds.
  ///
  /// That is longer than a source may stall (`ListenLoop`). A quarter of the longest is as long as a source has to be
  /// in time between two hold-ups.
  private static let lasting = 1.0...4.0
  /// How far moments are apart that are looked back at, and how far back, in seconds.
  private static let (step, memory) = (0.01, 8.0)

  /// Watches for a rate in hertz.
  public init(rate: Double) { self.rate = rate }

  /// Takes frames that came at a time in seconds; gives the rate, in hertz and to some percent, where it is another.
  public mutating func take(_ count: Int, at time: Double) -> Double? {
    guard let start else {
      // What came first waited for somebody to listen.
      (self.start, last) = (time, time)
      return nil
    }
    frames += count
    unevenness = max(unevenness, time - last, Double(count) / rate)
    last = time
    guard time - (marks.last?.time ?? start + Self.settling) >= Self.step else { return nil }
    let now = Mark(
      time: time, ahead: Double(frames) / rate - (time - start), unevenness: unevenness)
    var most = unevenness
    for mark in marks.reversed() {
      most = max(most, mark.unevenness)
      let (passed, gained) = (now.time - mark.time, now.ahead - mark.ahead)
      if abs(gained) > Self.tolerance * passed + Self.least + 2 * most,
        gained > 0 || isLasting(from: mark, to: now)
      {
        return rate * max(0, 1 + gained / passed)
      }
    }
    if marks.count >= Int(Self.memory / Self.step) { marks.removeFirst() }
    marks.append(now)
    unevenness = 0
    return nil
  }

  /// Whether frames were too few between two moments for long enough, in each quarter of that time.
  private func isLasting(from first: Mark, to last: Mark) -> Bool {
    let quarter = (last.time - first.time) / 4
    guard Self.lasting.contains(4 * quarter) else { return false }
    let ends = (1...3).map { part in
      marks.first { $0.time >= first.time + Double(part) * quarter } ?? last
    }
    return zip([first] + ends, ends + [last]).allSatisfy { begin, end in
      end.ahead - begin.ahead < -Self.tolerance * (end.time - begin.time)
    }
  }

  /// Forgets what came before a break.
  public mutating func interrupt() {
    start = nil
    frames = 0
    unevenness = 0
    marks.removeAll(keepingCapacity: true)
  }
}
