private import Glibc
import Perception

/// Moves what an actuator cannot reach to what it can, and keeps the order of things.
///
/// First the level is kept and the frequency moved toward the resonance, by half a just noticeable
/// difference at most; then what is still too strong is compressed, from 6 dB below the ceiling on.
/// All along, more intensity stays more level, and more sharpness more frequency:
/// - the move m, in nepers, begins where the level enters the last 6 dB and is full at the ceiling; it
///   is held to fall by at most 0.8 a neper of frequency (its upper envelope of that slope), so that
///   the moved frequency still rises by 0.2;
/// - the ceiling that counts is the lowest between the moved frequency and the furthest that it may be
///   moved to: it never falls while intensity rises;
/// - the compressed level ends at the ceiling for intensity 1 and rises strictly up to it.
struct GamutMapping: Sendable {
  /// How far below the ceiling compression begins, in dB.
  static let knee = 6.0
  /// The furthest move: half a just noticeable difference of frequency, 9 %.
  static let furthest = log(1 + JustNoticeable.frequency) / 2
  /// How steeply a move may fall along frequency.
  private static let slope = 0.8
  /// A move is made in full where it wins this much level, in dB.
  private static let worthwhile = 1.0

  /// Logarithms of frequency, rising: the nodes between which everything is straight.
  private let nodes: [Double]
  /// The ceiling at the nodes, in dB above threshold.
  private let ceilings: [Double]
  /// The furthest move at each node, limits of slope not yet kept.
  private let reaches: [Double]
  /// The ceiling that a level is compared with at each node, to tell whether to move.
  private let holds: [Double]
  private let resonance: Double
  private let highestLevel: Double

  /// Prepares the mapping between two frequencies.
  ///
  /// - Parameters:
  ///   - ceiling: The highest level in dB above threshold at a frequency in hertz.
  ///   - nodes: Frequencies in hertz at which the ceiling bends.
  ///   - band: The frequencies that are asked for, in hertz.
  ///   - resonance: The frequency toward which to move, in hertz.
  ///   - highestLevel: The highest level that is asked for, in dB above threshold.
  init(
    ceiling: (Double) -> Double, nodes: [Double], band: ClosedRange<Double>, resonance: Double,
    highestLevel: Double
  ) {
    let (low, high) = (log(band.lowerBound), log(band.upperBound))
    let margin = Self.furthest + 0.02
    var logs = (0...Self.steps).map {
      low - margin + (high - low + 2 * margin) * Double($0) / Double(Self.steps)
    }
    let pole = log(max(1e-3, resonance))
    for node in nodes.map({ log($0) }) + [pole] where node > logs[0] && node < logs[Self.steps] {
      logs.append(node)
    }
    logs.sort()
    let levels = logs.map { ceiling(exp($0)) - Self.margin }
    self.nodes = logs
    self.ceilings = levels
    self.resonance = pole
    self.highestLevel = highestLevel
    reaches = logs.indices.map { index in
      let distance = abs(pole - logs[index])
      let end = min(Self.furthest, distance)
      let toward = logs[index] + (pole > logs[index] ? end : -end)
      let gain = Self.value(at: toward, logs, levels) - levels[index]
      let reach = min(Self.furthest, Self.slope * distance)
      return reach * min(1, max(0, gain / Self.worthwhile))
    }
    let reaches = self.reaches
    holds = logs.indices.map { index in
      let reach = Self.envelope(of: reaches, logs, at: logs[index], toward: pole)
      return Self.lowest(
        of: levels, logs, from: logs[index], to: logs[index] + (pole > logs[index] ? reach : -reach)
      )
    }
  }

  private static let steps = 96
  /// What straight lines between nodes may be above the ceiling, in dB: 0.06 beside a Q of 30.
  private static let margin = 0.1

  /// The frequency in hertz and the level in dB above threshold that stand for what is asked.
  func map(frequency: Double, level: Double) -> (frequency: Double, level: Double) {
    let place = log(frequency)
    let direction = resonance > place ? 1.0 : -1.0
    let moves = nodes.indices.map { index in
      reaches[index] * min(1, max(0, (level - holds[index] + Self.knee) / Self.knee))
    }
    let move = Self.envelope(of: moves, nodes, at: place, toward: resonance)
    let reach = Self.envelope(of: reaches, nodes, at: place, toward: resonance)
    let ceiling = Self.lowest(
      of: ceilings, nodes, from: place + direction * move,
      to: place + direction * max(move, reach))
    return (
      move == 0 ? frequency : exp(place + direction * move),
      Self.compress(level, ceiling: ceiling, highest: highestLevel)
    )
  }

  /// The ceiling in dB above threshold at a frequency in hertz.
  func ceiling(at frequency: Double) -> Double { Self.value(at: log(frequency), nodes, ceilings) }

  /// A level under a ceiling: untouched up to 6 dB below it, at the ceiling for the highest.
  ///
  /// With t counted from the knee in its width and T the highest level's t, g(t) = (1 - exp(-b t)) /
  /// (1 - exp(-b T)), where b = 1 - exp(-b T) makes the slope 1 at the knee. Where the highest level
  /// is below the ceiling nothing is compressed.
  static func compress(_ level: Double, ceiling: Double, highest: Double) -> Double {
    let start = ceiling - knee
    let full = (highest - start) / knee
    guard level > start, full > 1 else { return level }
    let bend = Self.bend(full)
    let t = (level - start) / knee
    // Next to the identity the quotient is 0/0.
    guard bend > 1e-6 else { return min(level, ceiling) }
    return start + knee * expm1(-bend * t) / expm1(-bend * full)
  }

  /// The solution b > 0 of b = 1 - exp(-b T), for T > 1.
  private static func bend(_ full: Double) -> Double {
    // Newton's steps from 1, where the function is convex and above 0.
    var b = 1.0
    for _ in 0..<60 {
      let e = exp(-b * full)
      let step = (b - 1 + e) / (1 - full * e)
      b -= step
      if abs(step) < 1e-15 { break }
    }
    return b
  }

  private static func value(at x: Double, _ nodes: [Double], _ values: [Double]) -> Double {
    Interpolation(of: x, in: nodes).value(values)
  }

  /// The upper envelope of limited slope: max over y before x of values(y) - slope (x - y).
  private static func envelope(
    of values: [Double], _ nodes: [Double], at x: Double, toward pole: Double
  ) -> Double {
    guard x != pole else { return 0 }
    var highest = value(at: x, nodes, values)
    for (node, value) in zip(nodes, values) where pole > x ? node < x : node > x {
      highest = max(highest, value - slope * abs(x - node))
    }
    return highest
  }

  /// The lowest value between two places.
  private static func lowest(
    of values: [Double], _ nodes: [Double], from a: Double, to b: Double
  ) -> Double {
    var lowest = min(value(at: a, nodes, values), value(at: b, nodes, values))
    for (node, value) in zip(nodes, values) where node > min(a, b) && node < max(a, b) {
      lowest = min(lowest, value)
    }
    return lowest
  }
}
