// SPDX-License-Identifier: Apache-2.0

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

  /// How what was sent and what was captured is kept.
  public enum Recordings: Sendable, Hashable, CaseIterable {
    /// FLAC of 24 bits, each channel to its own scale.
    case packed
    /// WAV of 32-bit floating point, every sample as it came.
    case float
    /// Not at all.
    case none
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
  /// How what was sent and what was captured is kept as sound files.
  public var recordings: Recordings

  /// Makes a plan.
  public init(
    name: String, patterns: [String] = [], repeats: Int = 1, restarts: Int = 0,
    order: Order = .asWritten, seed: UInt64 = 1, actuator: String? = nil,
    profile: PlanProfile? = nil, setup: SetupChecks? = nil, control: ControlPlan? = nil,
    limits: [Limit] = [], requirements: [Requirement] = [],
    expectedFailures: [ExpectedFailure] = [], notes: [String] = [], probe: Bool = true,
    recordings: Recordings = .packed
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
    self.recordings = recordings
  }
}

extension Plan {
  /// The plan as a record keeps it: enough to judge the readings again.
  public var json: JSONValue { Self.form.json(self) }

  static let form = JSONForm(
    {
      name, patterns, repeats, restarts, order, seed, actuator, profile, setup, control, probe,
      recordings, limits, requirements, expectedFailures, notes in
      Plan(
        name: name, patterns: patterns, repeats: repeats, restarts: restarts, order: order,
        seed: seed, actuator: actuator, profile: profile, setup: setup, control: control,
        limits: limits, requirements: requirements, expectedFailures: expectedFailures,
        notes: notes, probe: probe, recordings: recordings)
    },
    ("name", \.name, .string), ("patterns", \.patterns, .list(.string)),
    ("repeats", \.repeats, .integer(atLeast: 1)),
    ("restarts", \.restarts, .integer(atLeast: 0).or(0)), ("order", \.order, .word.or(.asWritten)),
    ("seed", \.seed, .seed), ("actuator", \.actuator, .optional(.string)),
    ("profile", \.profile, .optional(PlanProfile.form)),
    ("setup", \.setup, .optional(SetupChecks.form)),
    ("control", \.control, .optional(ControlPlan.form)), ("probe", \.probe, .bool),
    ("recordings", \.recordings, .recordings.absent(for: .packed)),
    ("limits", \.limits, .list(Limit.form)),
    ("required", \.requirements, .list(Requirement.form).or([])),
    ("expectFailure", \.expectedFailures, .list(ExpectedFailure.form).or([])),
    ("notes", \.notes, .texts))
}

extension JSONForm<Plan.Recordings> {
  /// `true`, `false` or `"float"`, as plans write it.
  fileprivate static var recordings: Self {
    Self { field throws(RunRecordError) in
      if field.node.string == "float" { return .float }
      guard let isKept = field.node.bool else { throw field.mismatch("true, false or 'float'") }
      return isKept ? .packed : .none
    } _: {
      $0 == .float ? .string("float") : .bool($0 == .packed)
    }
  }
}

/// What a plan plays, take by take: the order, the restarts, the control between.
public struct PlanSchedule: Sendable, Equatable {
  /// One thing to do.
  public enum Step: Sendable, Equatable {
    /// A pattern by its place in the plan, its repeat from 1, and the opening of the devices, from 1.
    case take(pattern: Int, number: Int, opening: Int)
    /// The control, from 1.
    case control(round: Int)
  }

  /// What is done, in order.
  public let steps: [Step]

  /// Lays out a plan.
  ///
  /// The repeats are shared among `restarts` + 1 openings of the devices as evenly as can be, the
  /// earlier ones taking what is left over, and each opening plays every pattern. No opening stays
  /// without a take: a plan of fewer repeats restarts less often. A shuffled order is drawn for each
  /// opening, and repeats are numbered as they are played. Equal plans give equal steps.
  public init(_ plan: Plan, patternCount: Int) {
    var random = SplitMix(state: plan.seed)
    var played = [Int](repeating: 0, count: patternCount)
    let openings = min(plan.restarts, plan.repeats - 1) + 1
    var steps: [Step] = []
    var (takes, rounds) = (0, 0)
    for opening in 0..<openings {
      let repeats = plan.repeats / openings + (opening < plan.repeats % openings ? 1 : 0)
      var order = (0..<patternCount).flatMap { [Int](repeating: $0, count: repeats) }
      if plan.order == .shuffled { random.shuffle(&order) }
      for pattern in order {
        if let control = plan.control,
          takes == 0 || control.every.map({ takes.isMultiple(of: $0) }) == true
        {
          rounds += 1
          steps.append(.control(round: rounds))
        }
        played[pattern] += 1
        steps.append(.take(pattern: pattern, number: played[pattern], opening: opening + 1))
        takes += 1
      }
    }
    self.steps = steps
  }

  /// How many takes there are, the control's not counted.
  public var takeCount: Int {
    steps.count { if case .take = $0 { true } else { false } }
  }

  /// How often the control is measured.
  public var controlRounds: Int { steps.count - takeCount }
}
