// SPDX-License-Identifier: Apache-2.0

package import Acceptance
package import GaugeStudy
import Units

/// What a gauge study says: of each reading how much of its scatter is the measurement's, and where
/// that comes from.
package struct GaugeReport: Sendable {
  package struct Value: Sendable {
    package let run: String
    /// The repeat of its mount, from 1.
    package let number: Int
    package let observation: Observation

    package init(run: String, number: Int, observation: Observation) {
      self.run = run
      self.number = number
      self.observation = observation
    }
  }

  package struct Reading: Sendable {
    package let name: ReadingName
    /// Empty for a reading of the whole run.
    package let pattern: String
    /// The width of the tolerance, in the reading's unit.
    package let tolerance: Double?
    package let values: [Value]
    /// `nil` where the values cannot tell anything.
    package let analysis: GaugeAnalysis?

    package init(name: ReadingName, pattern: String, tolerance: Double?, values: [Value]) {
      self.name = name
      self.pattern = pattern
      self.tolerance = tolerance
      self.values = values
      analysis = GaugeAnalysis(values.map(\.observation))
    }

    var unit: MeasurementUnit { name.kind.unit }
    var title: String { Shown.phrase(name) + (pattern.isEmpty ? "" : " of \(pattern)") }
  }

  package struct Day: Sendable {
    package let day: String
    /// The complete repeats of each mount.
    package let mounts: [Int]

    package init(day: String, mounts: [Int]) {
      self.day = day
      self.mounts = mounts
    }
  }

  /// What was done with an actuator on a rig.
  package struct Cell: Sendable {
    package let rig: String
    package let actuator: String
    package let days: [Day]
    /// Days of the study that have not begun.
    package let openDays: Int

    package init(rig: String, actuator: String, days: [Day], openDays: Int) {
      self.rig = rig
      self.actuator = actuator
      self.days = days
      self.openDays = openDays
    }

    /// How many of the mounts that a study asks for are done.
    package func done(of study: Study) -> Int {
      days.reduce(0) { sum, day in
        sum + min(study.mounts, day.mounts.count { $0 >= study.repeats })
      }
    }
  }

  package let study: Study
  package let cells: [Cell]
  package let readings: [Reading]
  package let runs: Int
  package let failedRuns: Int
  /// Runs of actuators or rigs that the study's file does not name.
  package let strays: Int

  package init(
    study: Study, cells: [Cell], readings: [Reading], runs: Int, failedRuns: Int = 0,
    strays: Int = 0
  ) {
    self.study = study
    self.cells = cells
    self.readings = readings
    self.runs = runs
    self.failedRuns = failedRuns
    self.strays = strays
  }
}

extension GaugeReport {
  var doneMounts: Int {
    cells.reduce(0) { $0 + $1.done(of: study) }
  }

  var isComplete: Bool { doneMounts == study.mountCount }

  package var verdict: Verdict { Verdict.worst(readings.map(\.verdict)) }

  /// The sentence on top: of one reading its own, of several how many are good, and the worst
  /// one's.
  package var sentence: String {
    guard readings.count > 1,
      let worst = readings.max(by: {
        ($0.verdict.weight, $0.share ?? 0) < ($1.verdict.weight, $1.share ?? 0)
      })
    else { return readings.first?.sentence ?? "Nothing was measured yet." }
    let good = readings.count { $0.verdict == .pass }
    return "\(good) of \(readings.count) readings are measured well. The farthest from it is "
      + "\(worst.title): \(worst.sentence)"
  }

  /// What a reader must know before any number: what is missing, and what was left out.
  package var notes: [String] {
    var notes: [String] = []
    if !isComplete, runs > 0 {
      notes.append(
        "\(doneMounts) of \(study.mountCount) mounts are done: the numbers are of what there is, "
          + "and their intervals say how little that is")
    }
    if failedRuns > 0 {
      notes.append(
        "\(Count.of(failedRuns, "run")) did not end well and "
          + "\(failedRuns == 1 ? "is" : "are") left out"
      )
    }
    if strays > 0 {
      notes.append(
        "\(Count.of(strays, "run")) of actuators or rigs that the study's file does not name "
          + "\(strays == 1 ? "is" : "are") left out")
    }
    return notes
  }
}

extension GaugeReport.Reading {
  /// Up to 10 % is good, above 30 % not good enough: the AIAG's bounds, for the share of the
  /// tolerance or, without one, of the study's variation.
  private static let (good, usable) = (0.1, 0.3)

  /// Six standard deviations of the gauge over the tolerance.
  var toleranceRatio: Bounded? {
    tolerance.flatMap { width in analysis?.gauge.scaled(by: 6 / width) }
  }

  /// What the verdict is about.
  var share: Double? { toleranceRatio?.value ?? analysis?.studyVariation?.value }

  package var verdict: Verdict {
    guard let share else { return .notMeasured }
    return share <= Self.good ? .pass : share <= Self.usable ? .marginal : .fail
  }

  package var word: String { analysis == nil ? "not measured" : verdict.gaugeWord }

  /// The source that has the largest share of the gauge's variance; `nil` where there is none at
  /// all.
  var largest: (component: GaugeAnalysis.Component, share: Double)? {
    guard let analysis, analysis.gauge.value > 0 else { return nil }
    let own = analysis.components.filter { $0.source != .actuator }
    return own.max { $0.deviation.value < $1.deviation.value }.map { component in
      let quotient = component.deviation.value / analysis.gauge.value
      return (component, quotient * quotient)
    }
  }

  package var sentence: String {
    guard let analysis else {
      return values.isEmpty
        ? "Nothing was measured yet."
        : "From \(Count.of(values.count, "value")) nothing can be told yet: nothing was repeated."
    }
    var sentences: [String] = []
    if let classes = analysis.classes {
      let count = Int(min(classes.value, 1e6))
      let range = "95 %: \(Self.whole(classes.low)) to \(Self.whole(classes.high))"
      sentences.append(
        count < 2
          ? "The bench cannot tell these actuators apart (\(range) classes)"
          : "The bench tells \(count) classes of these actuators (\(range))")
    }
    if let ratio = toleranceRatio {
      sentences.append(
        "the measurement takes \(Shown.percent(ratio.value, decimals: 0)) of the tolerance")
    }
    if let (component, share) = largest {
      sentences.append(
        "\(component.source.phrase) \(Shown.percent(share, decimals: 0)) of the measurement's "
          + "variance: \(component.source.advice)")
    } else {
      sentences.append("nothing scatters at all: look whether this reading can change")
    }
    let text = sentences.joined(separator: "; ")
    return text.capitalised + "."
  }

  private static func whole(_ value: Double) -> String {
    value < 1e6 ? "\(Int(value))" : "over a million"
  }

  /// What the design leaves open, and what speaks against the numbers.
  package var notes: [String] {
    guard let analysis else { return [] }
    var notes: [String] = []
    for component in analysis.components where !component.includes.isEmpty {
      notes.append(
        "\(component.source.rawValue) includes "
          + component.includes.map(\.rawValue).joined(separator: ", ")
          + ": the design cannot tell them apart")
    }
    if !analysis.confounded.isEmpty {
      notes.append(
        "\(analysis.confounded.map(\.rawValue).joined(separator: ", ")): too little was done to "
          + "tell it from the others; its scatter is in theirs")
    }
    for source in analysis.absent {
      notes.append(
        source == .mount
          ? "remount: each actuator was mounted once, so its scatter is in theirs"
          : "\(source.rawValue): one level alone, so nothing is known of it")
    }
    for component in analysis.components where component.variance < 0 {
      notes.append(
        "\(component.source.rawValue): the estimated variance is below 0 and counts as 0; it is "
          + "smaller than what the others scatter")
    }
    if let note = analysis.scaleNote { notes.append(note) }
    return notes
  }

  /// What two single values differ by at most in 95 of 100 pairs: 1.96 times the root of 2, as ISO
  /// 5725 rounds it.
  static let pair = 2.8

  /// Of an untouched mount, of one that is made anew on the same rig and day, and of another rig on
  /// another day.
  var limits: [(words: String, value: Double)] {
    guard let analysis else { return [] }
    func deviation(_ sources: [Source]) -> Double {
      analysis.components.filter { sources.contains($0.source) }
        .reduce(0) { $0 + $1.deviation.value * $1.deviation.value }.squareRoot()
    }
    let remounted = analysis.components.contains { $0.source == .mount }
    let limits: [(words: String, value: Double)?] = [
      ("Repeatability limit, the mount untouched", Self.pair * deviation([.repeat])),
      remounted
        ? ("The same, mounted anew", Self.pair * deviation([.repeat, .mount])) : nil,
      ("Reproducibility limit, all of the measurement", Self.pair * analysis.gauge.value),
    ]
    return limits.compactMap(\.self)
  }
}

extension Verdict {
  /// The verdict on a gauge.
  var gaugeWord: String {
    switch self {
    case .pass: "good"
    case .marginal: "usable"
    case .fail: "not good enough"
    case .notMeasured: "not judged"
    }
  }
}

extension Source {
  /// The beginning of a sentence that goes on with a share.
  var phrase: String {
    switch self {
    case .actuator: "the actuators are"
    case .rig: "the rigs' difference is"
    case .actuatorByRig: "what rigs make of single actuators is"
    case .day: "the change from day to day is"
    case .actuatorByDay: "the change of single actuators from day to day is"
    case .mount: "remounting is"
    case .repeat: "repeating without a touch is"
    }
  }

  var advice: String {
    switch self {
    case .actuator: "nothing is to be done"
    case .rig: "compare the rigs' sensors and wiring first"
    case .actuatorByRig: "look at what holds the actuators on each rig"
    case .day: "look at temperature and warming up"
    case .actuatorByDay: "look at how each actuator is kept and warmed up"
    case .mount: "look at the mount first"
    case .repeat: "more takes a run bring it down"
    }
  }
}
