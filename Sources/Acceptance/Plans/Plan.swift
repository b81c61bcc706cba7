/// Patterns, repeats and limits to run on a rig.
public struct Plan: Sendable, Equatable {
  /// The order in which takes are played.
  public enum Order: String, Sendable, Hashable, CaseIterable {
    /// Pattern by pattern, each with its repeats.
    case asWritten = "as-written"
    /// By chance, from the plan's seed.
    case shuffled
  }

  /// The plan's name, as records carry it.
  public var name: String
  /// Files and folders of patterns, relative to the plan's folder.
  public var patterns: [String]
  /// How often each pattern is played.
  public var repeats: Int
  /// How often the devices are closed and opened anew between the repeats.
  public var restarts: Int
  /// The order in which takes are played.
  public var order: Order
  /// The seed of whatever a run draws by chance.
  public var seed: UInt64
  /// The actuator that is driven, by its id; `nil` for the rig's only one.
  public var actuator: String?
  /// The profiles that actuators are driven by; `nil` leaves it to the command line.
  public var profile: PlanProfile?
  /// What is looked at before the first take; `nil` for nothing.
  public var setup: SetupChecks?
  /// What is measured besides, so that a rig that moved is told from a product that did.
  public var control: ControlPlan?
  /// What the readings must satisfy.
  public var limits: [Limit]
  /// Readings that have to be measured, whatever their values are.
  public var requirements: [Requirement]
  /// Readings that are known to fail.
  public var expectedFailures: [ExpectedFailure]
  /// What a reader of the record has to know.
  public var notes: [String]
  /// Whether each take begins with a sweep that identifies the actuator.
  public var probe: Bool
  /// Whether what was sent and what was captured is kept as sound files.
  public var keepsRecordings: Bool

  /// Makes a plan.
  public init(
    name: String, patterns: [String] = [], repeats: Int = 1, restarts: Int = 0,
    order: Order = .asWritten, seed: UInt64 = 1, actuator: String? = nil,
    profile: PlanProfile? = nil, setup: SetupChecks? = nil, control: ControlPlan? = nil,
    limits: [Limit] = [], requirements: [Requirement] = [],
    expectedFailures: [ExpectedFailure] = [], notes: [String] = [], probe: Bool = true,
    keepsRecordings: Bool = true
  ) {
    precondition(repeats > 0, "a plan repeats at least once, not \(repeats) times")
    precondition(restarts >= 0, "a plan restarts no less than never, not \(restarts) times")
    self.name = name
    self.patterns = patterns
    self.repeats = repeats
    self.restarts = restarts
    self.order = order
    self.seed = seed
    self.actuator = actuator
    self.profile = profile
    self.setup = setup
    self.control = control
    self.limits = limits
    self.requirements = requirements
    self.expectedFailures = expectedFailures
    self.notes = notes
    self.probe = probe
    self.keepsRecordings = keepsRecordings
  }
}
