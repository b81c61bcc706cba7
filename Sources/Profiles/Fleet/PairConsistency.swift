private import Glibc
import Perception

/// How alike two actuators feel, on what both can do.
public struct PairConsistency: Sendable, Equatable {
  /// A pair with fewer points in common is not measured.
  public static let fewestPoints = 12

  /// The actuator that comes first.
  public let first: String
  /// The actuator that comes second.
  public let second: String
  /// Whether both were measured at the points, or what their profiles say is compared.
  public let basis: FeltGrid.Basis
  /// How many points both reach.
  public let commonPoints: Int
  /// Differences of level in dB, first less second; nil with too few points.
  public let level: ProfileVerification.Spread?
  /// Differences of frequency as the size of a ratio less one; nil with too few points.
  public let frequency: ProfileVerification.Spread?
  /// Both in just noticeable differences; nil with too few points.
  public let consistency: ProfileVerification.Spread?

  /// Whether there are enough points to tell.
  public var isMeasured: Bool { consistency != nil }

  /// Compares two profiles.
  ///
  /// On the 25 points of the grid, measured where both profiles hold measurements of it. A rotating
  /// mass is judged on points of the one curve that it can reach, by what the profiles say.
  public init(_ first: CalibrationProfile, _ second: CalibrationProfile) {
    let (a, b) = Self.grids(first, second)
    self.first = first.actuator.id
    self.second = second.actuator.id
    basis = a.basis == .measured && b.basis == .measured ? .measured : .predicted
    let common = zip(a.points, b.points).filter { $0.isInside && $1.isInside }
    commonPoints = common.count
    guard common.count >= Self.fewestPoints else {
      (level, frequency, consistency) = (nil, nil, nil)
      return
    }
    let levels = common.map { $0.level - $1.level }
    let ratios = common.map { $0.frequency / $1.frequency }
    level = ProfileVerification.Spread(of: levels)
    frequency = ProfileVerification.Spread(of: ratios.map { exp(abs(log($0))) - 1 })
    consistency = ProfileVerification.Spread(
      of: zip(levels, ratios).map {
        JustNoticeable.consistency(levelError: $0, frequencyRatio: $1)
      })
  }

  /// Every pair of a fleet, in the order of the profiles.
  public static func all(_ profiles: [CalibrationProfile]) -> [PairConsistency] {
    profiles.indices.flatMap { index in
      profiles[(index + 1)...].map { PairConsistency(profiles[index], $0) }
    }
  }

  private static func grids(
    _ first: CalibrationProfile, _ second: CalibrationProfile
  ) -> (FeltGrid, FeltGrid) {
    if let motor = [first, second].first(where: { $0.motorCurve != nil }) {
      let nodes = FeltGrid.nodes(onCurveOf: motor)
      return (FeltGrid(predicting: first, at: nodes), FeltGrid(predicting: second, at: nodes))
    }
    if let a = FeltGrid(measuredIn: first), let b = FeltGrid(measuredIn: second) { return (a, b) }
    return (FeltGrid(predicting: first), FeltGrid(predicting: second))
  }
}

extension ProfileVerification.Spread {
  /// The spread of errors of either sign; nil without any.
  ///
  /// The 95th percentile is the size that at least 95 % of the errors do not exceed.
  public init?(of errors: [Double]) {
    let sizes = errors.map { abs($0) }.sorted()
    guard let greatest = sizes.last else { return nil }
    let place = Int((0.95 * Double(sizes.count)).rounded(.up))
    self.init(
      rms: (sizes.reduce(0) { $0 + $1 * $1 } / Double(sizes.count)).squareRoot(),
      percentile95: sizes[max(0, place - 1)], greatest: greatest)
  }
}
