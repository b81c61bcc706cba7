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
