// SPDX-License-Identifier: Apache-2.0

import Actuators
private import Glibc
import Perception

/// How alike two actuators feel, on what both can do.
public struct PairConsistency: Sendable, Equatable {
  /// With fewer points of the grid in common, a pair is judged on points of its own region.
  public static let fewestPoints = 12

  /// Which points two actuators are compared at.
  public enum Place: Sendable, Equatable {
    /// The points of the grid that both reach.
    case grid
    /// Points spread over all that both reach: frequencies in hertz.
    case region(ClosedRange<Double>)
    /// Points of the curve of a rotating mass that both reach.
    case curve
  }

  /// The actuator that comes first.
  public let first: String
  /// The actuator that comes second.
  public let second: String
  /// Whether both were measured at the points, or what their profiles say is compared.
  public let basis: FeltGrid.Basis
  /// How many points of the grid, or of the curve of a rotating mass, both reach.
  public let commonPoints: Int
  /// Where they are compared.
  public let place: Place
  /// Differences of level in dB, first less second; nil where both reach too little.
  public let level: ProfileVerification.Spread?
  /// Differences of frequency as the size of a ratio less one; nil where both reach too little.
  public let frequency: ProfileVerification.Spread?
  /// Both in just noticeable differences; nil where both reach too little.
  public let consistency: ProfileVerification.Spread?
  /// The expanded uncertainty (k = 2) of a difference of level, in dB, by both profiles' budgets.
  public let uncertainty: Double
  /// The rms of the differences of level in dB at the same points without profiles, each driven by its
  /// own safe full scale; nil where both reach too little, and with a rotating mass.
  public let uncalibrated: Double?

  /// Whether there is enough that both reach to tell.
  public var isMeasured: Bool { consistency != nil }

  /// Compares two profiles.
  ///
  /// On the 25 points of the grid, measured where both profiles hold measurements of it. Two resonators
  /// that reach little at the same sharpness have few of those in common: with fewer than
  /// `fewestPoints`, 25 points are spread over the region that both reach. A rotating mass is judged on
  /// points of the one curve that it can reach. Off the grid, what the profiles say is compared.
  public init(_ first: CalibrationProfile, _ second: CalibrationProfile) {
    let (a, b) = Self.grids(first, second)
    self.first = first.actuator.id
    self.second = second.actuator.id
    var common = zip(a.points, b.points).filter { $0.isInside && $1.isInside }
    var basis = a.basis == .measured && b.basis == .measured ? FeltGrid.Basis.measured : .predicted
    var place = first.motorCurve == nil && second.motorCurve == nil ? Place.grid : .curve
    commonPoints = common.count
    if common.count < Self.fewestPoints, place == .grid,
      let region = CommonRegion(first, second)
    {
      place = .region(region.frequencies)
      basis = .predicted
      common = Array(
        zip(
          FeltGrid(predicting: first, at: region.nodes).points,
          FeltGrid(predicting: second, at: region.nodes).points))
    }
    (self.basis, self.place) = (basis, place)
    let budgets = [first.uncertainty.expanded, second.uncertainty.expanded]
    uncertainty = 20 * log10(1 + hypot(budgets[0], budgets[1]))
    guard common.count >= Self.fewestPoints else {
      (level, frequency, consistency, uncalibrated) = (nil, nil, nil, nil)
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
    let plain = common.compactMap { point, _ -> Double? in
      guard let a = first.uncalibratedLevel(point), let b = second.uncalibratedLevel(point) else {
        return nil
      }
      return a - b
    }
    uncalibrated = ProfileVerification.Spread(of: plain)?.rms
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

extension CalibrationProfile {
  /// What the actuator would do for a point without its profile: the square of intensity times its safe
  /// full scale, at the frequency of the law; nil for a rotating mass.
  fileprivate func uncalibratedLevel(_ point: FeltGrid.Point) -> Double? {
    guard motorCurve == nil, point.intensity > 0 else { return nil }
    let frequency = laws.sharpness.frequency(of: point.sharpness)
    let volts =
      point.intensity * point.intensity
      * actuator.limits.safeFullScale(fullScaleVolts: .infinity, isTone: true)
    let response =
      feedForward.leakFactor(at: frequency) / feedForward.response(at: frequency).magnitude
    return laws.contour.sensationLevel(acceleration: volts * response, at: frequency)
  }
}

/// How alike all actuators of a fleet feel: the worst of its pairs.
public struct FleetConsistency: Sendable, Equatable {
  /// The rms difference of level that no pair is to exceed, in dB.
  public static let levelGoal = 1.0

  /// How many pairs reach enough in common to tell.
  public let measuredPairs: Int
  /// How many pairs there are.
  public let pairs: Int
  /// The greatest rms difference of level of a pair, in dB; nil where none is measured.
  public let level: Double?
  /// The greatest difference of frequency of a pair at one point, as a ratio less one.
  public let frequency: Double?

  /// Sums pairs up.
  public init(_ pairs: [PairConsistency]) {
    self.pairs = pairs.count
    measuredPairs = pairs.count(where: \.isMeasured)
    level = pairs.compactMap(\.level?.rms).max()
    frequency = pairs.compactMap(\.frequency?.greatest).max()
  }

  /// Whether every measured pair keeps the goal; nil where none is measured.
  public var meetsGoal: Bool? { level.map { $0 <= Self.levelGoal } }
}

/// What two actuators both reach, and 25 points spread over it.
struct CommonRegion {
  /// From the lowest frequency to the highest, in hertz.
  let frequencies: ClosedRange<Double>
  /// Five sharpnesses evenly over the region, and at each five intensities up to what both reach there.
  let nodes: [(intensity: Double, sharpness: Double)]

  /// Finds the widest stretch of sharpness over which both reach the weakest intensity of the grid.
  ///
  /// Nil where it is narrower than a just noticeable difference of frequency.
  init?(_ first: CalibrationProfile, _ second: CalibrationProfile) {
    let maps = [first, second].map { DriveMap(profile: $0, fullScaleVolts: .infinity) }
    let weakest = FeltGrid.intensities[0]
    func isCommon(_ intensity: Double, _ sharpness: Double) -> Bool {
      maps.allSatisfy {
        $0.command(intensity: intensity, sharpness: sharpness).mapping.isInside
      }
    }
    var (stretch, longest) = (0..<0, 0..<0)
    for step in 0...Self.steps {
      guard isCommon(weakest, Self.sharpness(step)) else { continue }
      stretch = stretch.upperBound == step ? stretch.lowerBound..<step + 1 : step..<step + 1
      if stretch.count > longest.count { longest = stretch }
    }
    guard let low = longest.first, let high = longest.last, low < high else { return nil }
    let law = first.laws.sharpness
    let ends = [low, high].map { law.frequency(of: Self.sharpness($0)) }.sorted()
    guard log(ends[1] / ends[0]) >= JustNoticeable.nepers else { return nil }
    frequencies = ends[0]...ends[1]
    let (from, to) = (Self.sharpness(low), Self.sharpness(high))
    nodes = (0...4).flatMap { column in
      let sharpness = from + (to - from) * Double(column) / 4
      var (reached, missed) = (weakest, 1.0)
      if isCommon(missed, sharpness) { reached = missed }
      for _ in 0..<8 where reached < missed {
        let middle = (reached + missed) / 2
        if isCommon(middle, sharpness) { reached = middle } else { missed = middle }
      }
      return (0...4).map { (weakest + (reached - weakest) * Double($0) / 4, sharpness) }
    }
  }

  private static let steps = 64

  private static func sharpness(_ step: Int) -> Double { Double(step) / Double(steps) }
}
