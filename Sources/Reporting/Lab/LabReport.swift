// SPDX-License-Identifier: Apache-2.0

import Acceptance
package import ChangeDetection
package import GaugeStudy
private import Glibc
package import Units

/// What one plan says of all the rigs that it was played on: how well they agree, and which is off.
///
/// docs/GAUGE.md has the words.
package struct LabReport: Sendable {
  /// A reading of a pattern, on all rigs that have it.
  package struct Reading: Sendable {
    package let reading: String
    /// Empty for a reading of the whole run.
    package let pattern: String
    package let unit: MeasurementUnit
    package let consistency: RigConsistency
    /// What the scatter comes from, of the actuators that were on several rigs; of all where none was.
    package let analysis: GaugeAnalysis?
    // The chances up to which levels and scatter are told, found among all readings of a report.
    fileprivate(set) var levelBound = 0.0
    fileprivate(set) var scatterBound = 0.0

    package init(
      reading: String, pattern: String, unit: MeasurementUnit, consistency: RigConsistency,
      analysis: GaugeAnalysis?
    ) {
      self.reading = reading
      self.pattern = pattern
      self.unit = unit
      self.consistency = consistency
      self.analysis = analysis
    }

    package func isOff(_ rig: RigConsistency.Rig) -> Bool {
      rig.chance.map { $0 <= levelBound } ?? false
    }

    package func isUnsteady(_ rig: RigConsistency.Rig) -> Bool {
      rig.scatterChance.map { $0 <= scatterBound } ?? false
    }

    /// A spread as people read it: two digits of it.
    func rough(_ value: Double) -> String {
      guard value != 0, value.isFinite else { return Shown.size(value, unit) }
      let step = pow(10, (log10(abs(value))).rounded(.down) - 1)
      return Shown.size((value / step).rounded() * step, unit)
    }

    /// The ends of an interval as people read them; `nil` where all of it is finer than is of use.
    func ends(_ bounded: Bounded) -> (low: String, high: String)? {
      bounded.high < unit.finest ? nil : (rough(bounded.low), rough(bounded.high))
    }

    /// A level as people read it.
    func level(_ value: Double) -> String { Shown.bound(of: kind) + Shown.size(value, unit) }

    var kind: ReadingKind? { SeriesKey(rig: "", reading: reading).kind }

    var title: String {
      Shown.name(ofSeries: reading, by: Shown.phrase) + (pattern.isEmpty ? "" : " of \(pattern)")
    }

    /// The mean of the rigs' levels.
    var mean: Double {
      consistency.rigs.reduce(0) { $0 + $1.level } / Double(max(1, consistency.rigs.count))
    }

    /// The standard deviation of one rig's nights, and its interval; `nil` where no rig has two nights, and theirs is not told
    /// from what rigs or actuators differ by.
    package var within: Bounded? {
      analysis?.components.first { component in
        component.source == .repeat && !component.includes.contains { $0 != .day }
      }?.deviation
    }

    /// The standard deviation of any two rigs' measurements of one actuator; `nil` where no actuator was on two rigs, and
    /// what rigs add is not told from what actuators differ by.
    package var reproducibility: Bounded? {
      consistency.shared.isEmpty || consistency.rigs.count < 2 ? nil : analysis?.gauge
    }
  }

  /// A rig, and how much of what it measured is off.
  package struct Rig: Sendable {
    package let name: String
    package let actuators: [String]
    package let nights: Int
    package let newest: CalendarDay
    fileprivate(set) package var offCount = 0
    fileprivate(set) package var unsteadyCount = 0
    fileprivate(set) package var comparedCount = 0

    package init(name: String, actuators: [String], nights: Int, newest: CalendarDay) {
      self.name = name
      self.actuators = actuators
      self.nights = nights
      self.newest = newest
    }
  }

  package let plan: String
  package let days: ClosedRange<CalendarDay>
  /// What is off most comes first.
  package let rigs: [Rig]
  package let readings: [Reading]

  /// Of what is told as off, this share is so by chance.
  package static let rate = 0.05

  package init(
    plan: String, days: ClosedRange<CalendarDay>, rigs: [Rig], readings: [Reading]
  ) {
    self.plan = plan
    self.days = days
    let all = readings.flatMap(\.consistency.rigs)
    let level = FalseDiscovery.bound(of: all.compactMap(\.chance), rate: Self.rate)
    let scatter = FalseDiscovery.bound(of: all.compactMap(\.scatterChance), rate: Self.rate)
    let judged = readings.map { reading in
      var reading = reading
      (reading.levelBound, reading.scatterBound) = (level, scatter)
      return reading
    }
    self.readings = judged
    self.rigs = rigs.map { rig in
      var rig = rig
      for reading in judged {
        guard let own = reading.consistency.rigs.first(where: { $0.rig == rig.name }) else {
          continue
        }
        rig.comparedCount += own.chance == nil ? 0 : 1
        rig.offCount += reading.isOff(own) ? 1 : 0
        rig.unsteadyCount += reading.isUnsteady(own) ? 1 : 0
      }
      return rig
    }.sorted { ($1.offCount, $1.unsteadyCount, $0.name) < ($0.offCount, $0.unsteadyCount, $1.name) }
  }
}

extension LabReport {
  /// A reading of a rig that is off, or scatters more than the others.
  struct Finding {
    let reading: Reading
    let rig: RigConsistency.Rig
  }

  /// Levels that are off, the least likely first; then rigs that scatter more than the others.
  var findings: (off: [Finding], unsteady: [Finding]) {
    let all = readings.flatMap { reading in
      reading.consistency.rigs.map { Finding(reading: reading, rig: $0) }
    }
    return (
      all.filter { $0.reading.isOff($0.rig) }.sorted {
        ($0.rig.chance ?? 1) < ($1.rig.chance ?? 1)
      },
      all.filter { $0.reading.isUnsteady($0.rig) }
        .sorted { ($0.rig.scatterChance ?? 1) < ($1.rig.scatterChance ?? 1) }
    )
  }

  package var sentence: String {
    let compared = rigs.filter { $0.comparedCount > 0 }
    guard rigs.count > 1 else {
      return
        "Only \(rigs.first?.name ?? "no rig") has nights of \(plan): there is nothing to compare it with."
    }
    guard compared.count > 2 else {
      return
        "Two rigs differ, and nothing tells which of them is off: it takes a third that measures the same."
    }
    let off = rigs.filter { $0.offCount > 0 }
    guard !off.isEmpty else { return "No rig of \(compared.count) is off." }
    let words = off.prefix(6).map { "\($0.name) (\(Count.of($0.offCount, "reading")))" }
    return "Off beside the other rigs: \(Count.list(words, atMost: 6))"
      + (off.count > 6 ? " and \(off.count - 6) more." : ".")
  }

  /// What a reader must know before any number.
  package var notes: [String] {
    var notes: [String] = []
    if rigs.count > 1, readings.contains(where: { $0.consistency.shared.isEmpty }) {
      notes.append(
        "no actuator was measured on two rigs: a rig is compared together with what is mounted on it, and "
          + "reproducibility is not told. Mount one actuator on each rig in turn")
    }
    let apart = Set(readings.flatMap(\.consistency.apart)).sorted()
    if !apart.isEmpty {
      notes.append(
        "\(Count.list(apart, atMost: 6)): no actuator of the others was measured there, and "
          + "\(apart.count == 1 ? "it is" : "they are") not compared")
    }
    return notes
  }
}
