/// Patterns, repeats and limits to run on a rig.
public struct Plan: Sendable, Equatable {
  /// The plan's name, as records carry it.
  public var name: String
  /// Files and folders of patterns, relative to the plan's folder.
  public var patterns: [String]
  /// How often each pattern is played.
  public var repeats: Int
  /// The seed of whatever a run draws by chance.
  public var seed: UInt64
  /// What the readings must satisfy.
  public var limits: [Limit]
  /// Whether each take begins with a sweep that identifies the actuator.
  public var probe: Bool
  /// Whether what was sent and what was captured is kept as sound files.
  public var keepsRecordings: Bool

  /// Makes a plan.
  public init(
    name: String, patterns: [String] = [], repeats: Int = 1, seed: UInt64 = 1,
    limits: [Limit] = [], probe: Bool = true, keepsRecordings: Bool = true
  ) {
    precondition(repeats > 0, "a plan repeats at least once, not \(repeats) times")
    self.name = name
    self.patterns = patterns
    self.repeats = repeats
    self.seed = seed
    self.limits = limits
    self.probe = probe
    self.keepsRecordings = keepsRecordings
  }

  /// The plan of a run that names patterns and no plan: the rig answers, nothing is lost or clipped,
  /// sound comes in time.
  ///
  /// What the rig could show it must show: a reference that is wired owes an electrical latency, a
  /// probe a transport latency.
  public static func standard(hasReference: Bool, hasProbe: Bool) -> Plan {
    Plan(
      name: "standard",
      limits: [
        Limit(
          ReadingName(.latencyElectrical), .within(0.1, marginal: 0.05), required: hasReference),
        Limit(
          ReadingName(.latencyTransport), .within(0.1, marginal: 0.05),
          required: hasReference && hasProbe),
        Limit(ReadingName(.syncAudioHaptic), .syncBands, required: false),
        Limit(ReadingName(.dropouts), .below(0, marginal: nil)),
        Limit(ReadingName(.xruns), .below(0, marginal: nil)),
        Limit(ReadingName(.overloads), .below(0, marginal: nil)),
      ])
  }
}
