public import JSONText
import Units

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

extension Plan {
  /// The plan as a record keeps it: enough to judge the readings again.
  public var json: JSONValue {
    .object(present: [
      "name": .string(name),
      "patterns": .array(patterns.map(JSONValue.string)),
      "repeats": .integer(repeats),
      "restarts": restarts > 0 ? .integer(restarts) : nil,
      "order": order == .asWritten ? nil : .string(order.rawValue),
      "seed": .seed(seed),
      "actuator": actuator.map(JSONValue.string),
      "profile": profile?.json,
      "setup": setup?.json,
      "control": control?.json,
      "probe": .bool(probe),
      "recordings": .bool(keepsRecordings),
      "limits": .array(limits.map(\.json)),
      "required": requirements.isEmpty ? nil : .array(requirements.map(\.json)),
      "expectFailure": expectedFailures.isEmpty ? nil : .array(expectedFailures.map(\.json)),
      "notes": .filled(notes),
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    let repeats = try field["repeats"]
    guard try repeats.integer() > 0 else {
      throw repeats.error("\(repeats.path) must be at least 1")
    }
    let restarts = try field.member("restarts")
    if let restarts, try restarts.integer() < 0 {
      throw restarts.error("\(restarts.path) must be at least 0")
    }
    let limits = try field["limits"].list(Limit.init)
    let requirements = try field.member("required")?.list(Requirement.init) ?? []
    let expected = try field.member("expectFailure")?.list(ExpectedFailure.init) ?? []
    self.init(
      name: try field["name"].string(), patterns: try field["patterns"].strings(),
      repeats: try repeats.integer(), restarts: try restarts?.integer() ?? 0,
      order: try field.member("order")?.word(Order.self) ?? .asWritten,
      seed: try field["seed"].seed(), actuator: try field.member("actuator")?.string(),
      profile: try field.member("profile", PlanProfile.init),
      setup: try field.member("setup", SetupChecks.init),
      control: try field.member("control", ControlPlan.init),
      limits: limits, requirements: requirements, expectedFailures: expected,
      notes: try field.member("notes")?.strings() ?? [], probe: try field["probe"].bool(),
      keepsRecordings: try field.member("recordings")?.bool() ?? true)
  }
}

extension Limit {
  /// The limit in numbers: `below`, `above` or `within` with `marginal` and `unit`, or `bands`; `calibrated` where it
  /// holds of calibrated runs alone.
  public var json: JSONValue {
    let (shape, value, marginal): (String, JSONValue?, Double?) =
      switch bound {
      case .below(let value, let marginal): ("below", .finite(value), marginal)
      case .above(let value, let marginal): ("above", .finite(value), marginal)
      case .within(let value, let marginal): ("within", .finite(value), marginal)
      case .syncBands: ("bands", .string(Self.syncBandsName), nil)
      }
    return .object(present: [
      "reading": .string(reading.description),
      shape: value,
      "marginal": marginal.flatMap(JSONValue.finite),
      "unit": .string(reading.kind.unit.rawValue),
      "required": .bool(required),
      "patterns": .filled(patterns),
      "calibrated": isCalibratedOnly ? .bool(true) : nil,
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      try ReadingName(field["reading"]), try Self.bound(field),
      required: try field["required"].bool(),
      patterns: try field.member("patterns")?.strings() ?? [],
      isCalibratedOnly: try field.member("calibrated")?.bool() ?? false)
  }

  private static let syncBandsName = "sync"

  private static func bound(_ field: RecordField) throws(RunRecordError) -> Bound {
    let marginal = try field.member("marginal")?.number()
    if let limit = try field.member("below") {
      return .below(try limit.number(), marginal: marginal)
    }
    if let limit = try field.member("above") {
      return .above(try limit.number(), marginal: marginal)
    }
    if let limit = try field.member("within") {
      return .within(try limit.number(), marginal: marginal)
    }
    guard let bands = try field.member("bands"), try bands.string() == syncBandsName else {
      throw field.error(
        "\(field.path) has no bound: give it one of 'below', 'above', 'within' or 'bands': 'sync'")
    }
    return .syncBands
  }
}
