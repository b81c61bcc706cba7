// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Actuators
package import ChangeDetection
package import Profiles
package import Units

/// Runs beside each other: what differs by more than chance, and their waveforms and profiles laid over each other.
package struct DiffReport: Sendable {
  /// The share of what is told that may be so by chance.
  package static let rate = 0.05

  /// What the others are compared with, and then those.
  package let sides: [Side]
  /// The first side beside each of the others, in their order.
  package let pairs: [Pair]
  /// Takes laid over each other, by pattern.
  package let overlays: [Overlay]
  /// The profiles of the sides, where they are not all the same one.
  package let profiles: [SideProfile]
  /// What the actuators answered to an impulse, where two sides or more tell it.
  package let impulses: [SideImpulse]
  /// What of the pictures is missing, sentence by sentence.
  package let absences: [String]

  package init(
    sides: [Side], pairs: [Pair], overlays: [Overlay] = [], profiles: [SideProfile] = [],
    impulses: [SideImpulse] = [], absences: [String] = []
  ) {
    self.sides = sides
    self.pairs = Self.judged(pairs)
    self.overlays = overlays
    self.profiles = profiles
    self.impulses = impulses
    self.absences = absences
  }

  /// One run as the report names it.
  package struct Run: Sendable, Equatable {
    package let id: String
    package let record: Account

    package init(_ id: String, _ record: RunRecord) {
      self.id = id
      self.record = Account(
        began: record.header.date,
        rig: record.rig.name, actuator: record.actuator.id, plan: record.plan.name,
        software: record.run.software,
        profile: String(record.run.calibration.prefix { $0 != "," }),
        takes: record.patterns.reduce(0) { $0 + $1.takes.count }, verdict: record.verdict,
        status: record.run.status, isImported: record.imported != nil)
    }

    /// What is told of its record.
    package struct Account: Sendable, Equatable {
      package let began: String
      package let rig: String
      package let actuator: String
      package let plan: String
      package let software: String
      package let profile: String
      package let takes: Int
      package let verdict: Verdict
      package let status: RunRecord.Status
      package let isImported: Bool
    }
  }

  /// One side: a run, some takes of it, or the runs of a baseline.
  package struct Side: Sendable, Equatable {
    /// `A`, `B`, ...
    package let label: String
    package let runs: [Run]
    package let pattern: String?
    package let take: Int?
    package let isBaseline: Bool

    package init(
      label: String, runs: [Run], pattern: String? = nil, take: Int? = nil,
      isBaseline: Bool = false
    ) {
      self.label = label
      self.runs = runs
      self.pattern = pattern
      self.take = take
      self.isBaseline = isBaseline
    }
  }

  /// What is compared.
  package struct Key: Sendable, Hashable {
    package let name: ReadingName
    /// The pattern; empty for a reading of the whole run.
    package let pattern: String
    package let event: Int?
    /// The channel, where the quantity was read from several.
    package let channel: String?

    package init(name: ReadingName, pattern: String, event: Int? = nil, channel: String? = nil) {
      self.name = name
      self.pattern = pattern
      self.event = event
      self.channel = channel
    }
  }

  package enum Finding: String, Sendable, CaseIterable {
    case beyond = "more than chance"
    case within = "within chance"
    case untold = "cannot be told"
  }

  /// What a difference is for the product.
  package enum Course: String, Sendable, CaseIterable {
    case worse
    case better
    /// Neither way is the better one.
    case changed
  }

  /// One reading on both sides.
  package struct Difference: Sendable {
    package let key: Key
    package let first: RepeatedValue
    package let second: RepeatedValue
    /// `nil` where nothing tells how either side scatters.
    package let difference: MeanDifference?
    /// The standard uncertainty in it that repeats do not make smaller, 0 where all of it cancels.
    package let systematic: Double
    /// Why it cannot be told, or what its uncertainty does not hold.
    package let note: String?
    /// The least false discovery rate at which it is told, among all readings compared.
    package fileprivate(set) var rate: Double?

    package init(
      _ key: Key, from first: RepeatedValue, to second: RepeatedValue,
      difference: MeanDifference?, systematic: Double = 0, note: String? = nil
    ) {
      self.key = key
      self.first = first
      self.second = second
      self.difference = difference
      self.systematic = systematic
      self.note = note
    }

    package var unit: MeasurementUnit { key.name.kind.unit }

    package var finding: Finding {
      guard let rate else { return .untold }
      return rate <= DiffReport.rate ? .beyond : .within
    }

    /// What it is for the product; `nil` unless it is more than chance.
    package var course: Course? {
      guard finding == .beyond else { return nil }
      let direction = BetterDirection(reading: key.name.description)
      guard direction != .steady else { return .changed }
      switch direction.course(from: first.mean, to: second.mean) {
      case .worse: return .worse
      case .better: return .better
      case .same: return .changed
      }
    }

    /// Whether it asks for something: a steady reading that moved does, summer does not.
    package var isForTheWorse: Bool {
      guard let course, course != .better else { return false }
      return !SeriesKey(rig: "", reading: key.name.description).isOfSurroundings
    }
  }

  /// The first side beside another one.
  package struct Pair: Sendable {
    /// The other side's place among the sides.
    package let side: Int
    /// What has to be said before anything else: other rigs, plans, actuators.
    package let notes: [String]
    /// What is the same on both sides, so that its part of the uncertainty cancels.
    package let common: [String]
    /// What is not, or not known to be: its part of the uncertainty counts.
    package let apart: [String]
    package let environment: [EnvironmentDifference]
    package fileprivate(set) var differences: [Difference]
    /// What was measured on one side only.
    package let onlyFirst: [Key]
    package let onlySecond: [Key]

    package init(
      side: Int, notes: [String], common: [String], apart: [String],
      environment: [EnvironmentDifference], differences: [Difference], onlyFirst: [Key] = [],
      onlySecond: [Key] = []
    ) {
      self.side = side
      self.notes = notes
      self.common = common
      self.apart = apart
      self.environment = environment
      self.differences = differences
      self.onlyFirst = onlyFirst
      self.onlySecond = onlySecond
    }
  }

  /// Takes of one pattern on one time axis.
  package struct Overlay: Sendable {
    package struct Take: Sendable {
      package let side: Int
      package let run: String
      package let number: Int
      /// What the take was shifted by, in seconds: the delay of drive and capture; `nil` where none is known.
      package let electrical: Double?
      /// How much faster its capture counts than its drive, in ppm.
      package let drift: Double
      /// From drive to motion, in seconds; `nil` where it was not measured.
      package let transport: Double?

      package init(
        side: Int, run: String, number: Int, electrical: Double?, drift: Double, transport: Double?
      ) {
        self.side = side
        self.run = run
        self.number = number
        self.electrical = electrical
        self.drift = drift
        self.transport = transport
      }
    }

    /// A take less the first side's, both aligned.
    package struct Residual: Sendable {
      package let side: Int
      /// The effective value of the difference over the first side's, in dB; minus infinity of equal ones.
      package let response: Double
      /// The same while nothing is driven: what noise alone leaves.
      package let noise: Double?
      /// The effective value of the response over the first side's, in dB.
      package let level: Double
      /// The difference of the drives over the first side's drive, in dB; minus infinity of equal ones.
      package let drive: Double?

      package init(side: Int, response: Double, noise: Double?, level: Double, drive: Double?) {
        self.side = side
        self.response = response
        self.noise = noise
        self.level = level
        self.drive = drive
      }
    }

    package let pattern: String
    package let takes: [Take]
    /// Whether each take's own transport was taken off too.
    package let isWithoutTransport: Bool
    package let figure: TakeFigure
    package let residuals: [Residual]

    package init(
      pattern: String, takes: [Take], isWithoutTransport: Bool, figure: TakeFigure,
      residuals: [Residual]
    ) {
      self.pattern = pattern
      self.takes = takes
      self.isWithoutTransport = isWithoutTransport
      self.figure = figure
      self.residuals = residuals
    }
  }

  package struct SideProfile: Sendable {
    package let side: Int
    package let profile: CalibrationProfile

    package init(side: Int, profile: CalibrationProfile) {
      self.side = side
      self.profile = profile
    }
  }

  package struct SideImpulse: Sendable {
    package let side: Int
    package let impulse: RunRecord.Impulse

    package init(side: Int, impulse: RunRecord.Impulse) {
      self.side = side
      self.impulse = impulse
    }
  }
}

extension DiffReport {
  /// Judges all differences together, and puts what asks for most first.
  private static func judged(_ pairs: [Pair]) -> [Pair] {
    var pairs = pairs
    let chances = pairs.flatMap { $0.differences.compactMap { $0.difference?.chance } }
    var rates = FalseDiscovery.rates(of: chances)[...]
    for pair in pairs.indices {
      for place in pairs[pair].differences.indices
      where pairs[pair].differences[place].difference != nil {
        pairs[pair].differences[place].rate = rates.removeFirst()
      }
      // The order of the readings stays within what asks for as much.
      let differences = pairs[pair].differences
      let ranks = differences.map { $0.rank }
      pairs[pair].differences = differences.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }
        .map { differences[$0] }
    }
    return pairs
  }

  /// Whether anything is for the worse and more than chance.
  package var isWorse: Bool { pairs.contains { $0.differences.contains(where: \.isForTheWorse) } }

  package var all: [Difference] { pairs.flatMap(\.differences) }
}

extension DiffReport.Difference {
  fileprivate var rank: Int {
    switch (finding, course) {
    case (.beyond, .worse): 0
    case (.beyond, .changed): 1
    case (.beyond, _): 2
    case (.within, _): 3
    case (.untold, _): 4
    }
  }
}
