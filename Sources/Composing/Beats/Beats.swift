// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The beat of a sound: its tempo, and when its beats are.
///
/// After Ellis, Beat Tracking by Dynamic Programming, 2007. The tempo is where the rise of the sound is most like
/// itself, by its autocorrelation with a preference for 120 beats a minute; the beats are the moments of much rise
/// whose distances are nearest to it.
public struct Beats: Sendable, Equatable {
  /// Beats a minute.
  public let tempo: Double
  /// The beats in seconds, by time.
  public let times: [Double]

  /// The tempi that are looked for.
  public static let tempi = 40.0...240.0

  /// The least autocorrelation, of that of the curve with itself, that counts as a beat.
  private static let least = 0.35
  /// How much of a period's autocorrelation half of it must have to be the beat instead.
  private static let half = 0.85
  /// The tempo that is preferred, and how far from it, in octaves, a tempo is preferred by 4 dB less.
  private static let (usual, width) = (120.0, 1.0)
  /// How much a distance of e times the period costs, in deviations of the curve.
  private static let tightness = 100.0
  /// The length of a frame of the curve, in seconds: what is finer is put together.
  private static let frame = 5e-3
  /// How far from a peak of the rise its onset can be, in seconds.
  private static let reach = 0.04
  private static let fewest = 4

  /// Finds the beat of a sound, nil where it has none.
  ///
  /// - Parameters:
  ///   - rise: How much the sound rises, as the trace of the method `onsets` has it.
  ///   - step: The time between two values, in seconds.
  ///   - onsets: The moments of onsets in seconds, by time, which beats are put to.
  /// - Complexity: Linear in the length of the sound.
  public init?(rise: [Float], step: Double, onsets: [Double]) {
    guard onsets.count >= Self.fewest, step > 0, step <= 4 * Self.frame else { return nil }
    let pool = max(1, Int((Self.frame / step).rounded()))
    let length = step * Double(pool)
    guard let curve = Self.curve(rise, pool), let period = Self.period(of: curve, frame: length)
    else { return nil }
    let frames = Self.track(curve, period: period)
    let middle = length / 2
    let placed = Self.placed(frames.map { Double($0) * length + middle }, at: onsets)
    guard placed.count >= Self.fewest else { return nil }
    times = placed
    tempo = 60 / Self.slope(of: placed)
  }

  /// The curve in frames, smoothed, without its mean and in units of its deviation; nil where it is level.
  private static func curve(_ rise: [Float], _ pool: Int) -> [Double]? {
    var curve = stride(from: 0, to: rise.count, by: pool).map { first in
      Double(rise[first..<min(rise.count, first + pool)].max() ?? 0)
    }
    // Binomial over five frames: what is played by hand is not even to 5 ms.
    for _ in 0..<2 {
      curve = curve.indices.map { index in
        let (before, after) = (max(0, index - 1), min(curve.count - 1, index + 1))
        return (curve[before] + 2 * curve[index] + curve[after]) / 4
      }
    }
    let mean = curve.reduce(0, +) / Double(max(1, curve.count))
    let square = curve.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let deviation = (square / Double(max(1, curve.count))).squareRoot()
    guard deviation > 1e-6 else { return nil }
    return curve.map { ($0 - mean) / deviation }
  }

  /// The period in frames.
  private static func period(of curve: [Double], frame: Double) -> Double? {
    let shortest = Int((60 / tempi.upperBound / frame).rounded(.down))
    // At least three periods, else nothing repeats.
    let longest = min(Int((60 / tempi.lowerBound / frame).rounded(.up)), curve.count / 3)
    guard shortest >= 2, longest > shortest + 2 else { return nil }
    let likeness = (0...longest + 1).map { lag in
      lag < shortest - 1 ? 0 : Self.likeness(of: curve, lag)
    }
    let peaks = (shortest...longest).filter {
      likeness[$0] >= likeness[$0 - 1] && likeness[$0] > likeness[$0 + 1]
    }
    func preference(_ lag: Int) -> Double {
      let octaves = log2(60 / (Double(lag) * frame) / usual) / width
      return exp(-octaves * octaves / 2)
    }
    guard
      var best = peaks.max(by: {
        likeness[$0] * preference($0) < likeness[$1] * preference($1)
      }), likeness[best] >= least
    else { return nil }
    // An even row of hits is as like itself at two of its periods.
    while let finer = peaks.filter({ abs(2 * $0 - best) <= 3 }).max(by: {
      likeness[$0] < likeness[$1]
    }), likeness[finer] >= half * likeness[best] {
      best = finer
    }
    // The vertex of the parabola through the peak and its neighbours.
    let (before, own, after) = (likeness[best - 1], likeness[best], likeness[best + 1])
    let bend = before - 2 * own + after
    return Double(best) + (bend < 0 ? max(-0.5, min(0.5, (before - after) / (2 * bend))) : 0)
  }

  private static func likeness(of curve: [Double], _ lag: Int) -> Double {
    var sum = 0.0
    for index in lag..<curve.count { sum += curve[index] * curve[index - lag] }
    return sum / Double(curve.count - lag)
  }

  /// The row of frames with the most rise at the most even distances.
  private static func track(_ curve: [Double], period: Double) -> [Int] {
    let (nearest, farthest) = (max(1, Int(period / 2)), Int(2 * period))
    let costs = (0...farthest).map { distance in
      let octaves = log(Double(max(1, distance)) / period)
      return tightness * octaves * octaves
    }
    var scores = curve
    var earlier = [Int](repeating: -1, count: curve.count)
    for index in curve.indices {
      var most = 0.0
      for distance in nearest...farthest where distance <= index {
        let score = scores[index - distance] - costs[distance]
        if score > most { (most, earlier[index]) = (score, index - distance) }
      }
      scores[index] += most
    }
    // The last beat lies in the last period: of all rows the best.
    let end = max(0, curve.count - Int(period.rounded(.up)))
    var row: [Int] = []
    var at = scores.indices.dropFirst(end).max { scores[$0] < scores[$1] } ?? -1
    while at >= 0 {
      row.append(at)
      at = earlier[at]
    }
    row.reverse()
    // Before the first hit and behind the last there is no beat to feel.
    let strong = { (index: Int) in curve[index] > 0.5 }
    guard let first = row.firstIndex(where: strong), let last = row.lastIndex(where: strong) else {
      return []
    }
    return Array(row[first...last])
  }

  /// Beats at their onsets; those without one are moved as the others are in the median.
  private static func placed(_ beats: [Double], at onsets: [Double]) -> [Double] {
    var next = 0
    let moves = beats.map { beat -> Double? in
      while next + 1 < onsets.count, abs(onsets[next + 1] - beat) <= abs(onsets[next] - beat) {
        next += 1
      }
      let move = onsets[next] - beat
      return abs(move) <= reach ? move : nil
    }
    let known = moves.compactMap { $0 }.sorted()
    let usual = known.isEmpty ? 0 : known[known.count / 2]
    return zip(beats, moves).map { max(0, $0 + ($1 ?? usual)) }
  }

  /// The distance of beats, by least squares.
  private static func slope(of times: [Double]) -> Double {
    let middle = Double(times.count - 1) / 2
    var (sum, weight) = (0.0, 0.0)
    for (index, time) in times.enumerated() {
      let place = Double(index) - middle
      sum += place * time
      weight += place * place
    }
    return sum / weight
  }
}
