// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import ChangeDetection
import Devices
import Perception
import Reporting
import RunArchive
import Units

/// The readings of two sides, each with what its repeats tell.
struct SideComparison {
  let first: ComparedSide
  let second: ComparedSide
  let question: DiffQuestion

  func pair(side: Int) throws -> DiffReport.Pair {
    let shared = SharedMeasurement(first, second)
    // Where one side is of one pattern, nothing else of the other one is looked at.
    var question = question
    question.onlyPattern = first.pattern ?? second.pattern
    let (one, other) = (Quantities(first, question), Quantities(second, question))
    let (left, right) = (one.all(beside: other), other.all(beside: one))
    let differences = left.order.compactMap { key -> DiffReport.Difference? in
      guard let before = left.values[key], let after = right.values[key] else { return nil }
      return difference(key, before, after, shared)
    }
    return DiffReport.Pair(
      side: side, notes: notes(left, right), common: shared.common, apart: shared.apart,
      environment: EnvironmentDifference.between(
        good: first.runs.map { $0.record.compared }, bad: second.runs.map { $0.record.compared }),
      differences: differences, onlyFirst: left.order.filter { right.values[$0] == nil },
      onlySecond: right.order.filter { left.values[$0] == nil })
  }

  private func difference(
    _ key: DiffReport.Key, _ before: RepeatedValue, _ after: RepeatedValue,
    _ shared: SharedMeasurement
  ) -> DiffReport.Difference {
    let kind = key.name.kind
    guard !kind.isReckoned else {
      return DiffReport.Difference(
        key, from: before, to: after, difference: .exact(from: before, to: after))
    }
    var (before, after) = (before, after)
    if kind.unit == .count {
      // What happens by chance and is counted scatters as its count does.
      let poisson = ((before.mean + after.mean) / 2).squareRoot()
      (before.leastDeviation, after.leastDeviation) = (poisson, poisson)
    } else if kind.isReadInSteps {
      // Takes that fall on one step hide how they scatter.
      before.leastDeviation = before.uncertainty ?? 0
      after.leastDeviation = after.uncertainty ?? 0
    } else if before.count == 1, after.count == 1 {
      before.uncertainty = shared.withoutCommon(before, kind, first)
      after.uncertainty = shared.withoutCommon(after, kind, second)
    }
    let systematic =
      shared.isOneMeasurement
      ? 0
      : (before.systematic * before.systematic + after.systematic * after.systematic).squareRoot()
    let found = MeanDifference(
      from: before, to: after, systematic: systematic, statesAll: !kind.scattersBeyondStatement)
    return DiffReport.Difference(
      key, from: before, to: after, difference: found, systematic: systematic,
      note: note(kind, before, after, found))
  }

  private func note(
    _ kind: ReadingKind, _ before: RepeatedValue, _ after: RepeatedValue, _ found: MeanDifference?
  ) -> String? {
    guard found != nil else {
      return kind.scattersBeyondStatement
        ? "\(kind.rawValue) scatters from take to take by more than one take states of itself, and each "
          + "side has one"
        : "\(kind.rawValue) was read once on each side, without an uncertainty"
    }
    guard kind.movesFromStartToStart, first.runs.count == 1, second.runs.count == 1,
      min(first.latest.record.openings, second.latest.record.openings) == 1
    else { return nil }
    return
      "\(kind.rawValue) may move from one opening of the devices to the next, and one side opened "
      + "them once: its uncertainty does not hold that"
  }

  private func notes(_ left: Quantities.Found, _ right: Quantities.Found) -> [String] {
    let (a, b) = (first.latest.record, second.latest.record)
    var notes: [String] = []
    for (what, one, other) in [
      ("rigs", a.rig.name, b.rig.name), ("actuators", a.actuator.id, b.actuator.id),
      ("plans", a.plan.name, b.plan.name),
    ] where one != other {
      notes.append("the \(what) differ: \(one) and \(other)")
    }
    for (side, record) in [("first", a), ("second", b)] where record.run.status != .complete {
      notes.append("the \(side) run did not end well (\(record.run.status.rawValue))")
    }
    for key in Set(left.renewed + right.renewed).sorted(by: { $0.rawValue < $1.rawValue }) {
      notes.append(
        "\(key.rawValue) is not compared: the two runs were read under two definitions of it")
    }
    return notes
  }
}

extension RunRecord {
  /// In how many openings of the devices its takes were played.
  fileprivate var openings: Int {
    max(1, Set(patterns.flatMap(\.takes).compactMap(\.opening)).count)
  }

  /// What a run was made in, with the laws, the devices and the rig file.
  fileprivate var compared: [String: String] {
    var all = surroundings
    for mark in [Imported.mark, ReadingSeries.nightMark, ReadingSeries.jobMark] { all[mark] = nil }
    for (name, law) in run.laws { all["law \(name)"] = law }
    if let profile = all["profile"], let hash = profile.firstRange(of: "sha256 ") {
      all["profile"] = String(profile[..<hash.upperBound] + profile[hash.upperBound...].prefix(12))
    }
    if imported == nil { all["reference level"] = "\(run.referenceLevel) dB" }
    if let inputs, let file = header.files.first(where: { $0.name == inputs.rig }) {
      all["rig file"] = "sha256 \(file.sha256.prefix(12))"
    }
    let take = patterns.lazy.flatMap(\.takes).first
    for device in take?.stream?.negotiations ?? [] {
      all["device \(device.direction)"] =
        "\(device.cardName), \(device.pcm), \(Int(device.rate)) Hz, period \(device.periodFrames)"
    }
    return all
  }

  /// The account of what measured the acceleration.
  fileprivate var sensor: String? { header.environment["sensor"] }
}

/// What both sides were measured by: its part of the uncertainties is the same in both, and cancels.
struct SharedMeasurement {
  let common: [String]
  let apart: [String]
  /// Whether all that repeats do not show cancels.
  let isOneMeasurement: Bool
  private let sensitivity: Double

  init(_ first: ComparedSide, _ second: ComparedSide) {
    let (a, b) = (first.latest.record, second.latest.record)
    var (common, apart): ([String], [String]) = ([], [])
    let isOneRig = a.rig.name == b.rig.name
    func add(_ what: String, _ isSame: Bool, _ words: String? = nil) {
      isSame
        ? common.append(what + (words.map { " (\($0))" } ?? "")) : apart.append(what)
    }
    add("rig", isOneRig, a.rig.name)
    let isImported = a.imported != nil || b.imported != nil
    switch (a.sensor, b.sensor) {
    case (let one?, let other?): add("calibration of the sensor", one == other, one)
    case (nil, nil) where isOneRig && !isImported:
      common.append("sensor (the rig's; no certificate is recorded)")
    default: apart.append("calibration of the sensor, which a record does not tell")
    }
    // Profile and program may be what is compared: where they differ, the environment says so.
    if !isImported, a.run.calibration == b.run.calibration {
      common.append("profile (\(a.run.calibration.before(",")))")
    }
    if !isImported, a.run.software == b.run.software {
      common.append("program (\(a.run.software))")
    }
    isOneMeasurement = isOneRig && a.sensor == b.sensor && !isImported
    sensitivity = isOneMeasurement ? first.latest.sensitivityUncertainty ?? 0 : 0
    (self.common, self.apart) = (common, apart)
  }

  /// What a single value states of itself without the part that both sides share.
  fileprivate func withoutCommon(
    _ value: RepeatedValue, _ kind: ReadingKind, _ side: ComparedSide
  ) -> Double? {
    guard let stated = value.uncertainty, sensitivity > 0 else { return value.uncertainty }
    let shared = kind.uncertainty(ofSensitivity: sensitivity, value: value.mean)
    // A share that is as large as the whole was not a part of it.
    guard shared < stated else { return stated }
    return (stated * stated - shared * shared).squareRoot()
  }
}

extension String {
  fileprivate func before(_ sign: Character) -> String { String(prefix { $0 != sign }) }
}

extension ComparedRun {
  /// The relative standard uncertainty of the accelerometer, by the copy of the rig file in the run's folder.
  fileprivate var sensitivityUncertainty: Double? {
    guard let inputs = record.inputs,
      let rig = try? RigFolder(file: folder + "/" + inputs.rig).read().rig
    else { return nil }
    return rig.capture.channel(.acceleration)?.sensor?.relativeUncertainty
  }
}

extension ReadingKind {
  /// Whether it is read in steps about as wide as it states itself to be unsure.
  fileprivate var isReadInSteps: Bool { self == .responseRise }

  /// What a relative standard uncertainty of all accelerations makes of a value's; 0 of what does not hang on them.
  fileprivate func uncertainty(ofSensitivity relative: Double, value: Double) -> Double {
    switch self {
    case .responsePeak, .responseRMS: relative * abs(value)
    case .intensityError: Decibels.of(amplitude: 1 + relative)
    case .intensityJND: Decibels.of(amplitude: 1 + relative) / JustNoticeable.level.value
    default: 0
    }
  }
}

/// What was measured on one side, by quantity, repeats together.
private struct Quantities {
  struct Found {
    var order: [DiffReport.Key] = []
    var values: [DiffReport.Key: RepeatedValue] = [:]
    /// Kinds that were left out, for the other side means something else by them.
    var renewed: [ReadingKind] = []
  }

  private struct Place: Hashable {
    let name: ReadingName
    let pattern: String
    let event: Int?
  }

  private let side: ComparedSide
  private let measured: [(run: Int, reading: Reading)]
  private let channels: [Place: Set<String>]
  private let editions: Set<Int>

  init(_ side: ComparedSide, _ question: DiffQuestion) {
    self.side = side
    let all = side.readings(question).filter {
      // A bound says how long was looked, not what was seen.
      $0.reading.value != nil && $0.reading.name.kind != .xrunsPerHour
    }
    // What sums up the takes of a pattern would count them twice.
    let ofTakes = Set(all.filter { $0.reading.take != nil }.map { Self.place(of: $0.reading) })
    measured = all.filter {
      $0.reading.take != nil || !ofTakes.contains(Self.place(of: $0.reading))
    }
    var channels: [Place: Set<String>] = [:]
    for (_, reading) in measured {
      channels[Self.place(of: reading), default: []].insert(reading.channel ?? "")
    }
    self.channels = channels
    editions = Set(side.runs.map(\.record.edition))
  }

  private static func place(of reading: Reading) -> Place {
    Place(name: reading.name, pattern: reading.pattern ?? "", event: reading.event)
  }

  func all(beside other: Quantities) -> Found {
    var found = Found()
    var slots: [DiffReport.Key: Int] = [:]
    var all: [Repeats] = []
    let editions = editions.union(other.editions)
    let renewed = Set(
      ReadingKind.allCases.filter { kind in
        Set(editions.map { $0 < kind.definedSince }).count > 1
      })
    for (run, reading) in measured {
      let kind = reading.name.kind
      guard !renewed.contains(kind) else {
        if !found.renewed.contains(kind) { found.renewed.append(kind) }
        continue
      }
      let place = Self.place(of: reading)
      let isSeveral =
        max(channels[place]?.count ?? 0, other.channels[place]?.count ?? 0) > 1
      let key = DiffReport.Key(
        name: place.name, pattern: place.pattern, event: place.event,
        channel: isSeveral ? reading.channel : nil)
      let slot = slots[key] ?? all.count
      if slot == all.count {
        slots[key] = slot
        found.order.append(key)
        all.append(Repeats())
      }
      all[slot].values.append((cluster(of: reading, run), reading.value ?? 0))
      if let uncertainty = reading.uncertainty { all[slot].stated.append(uncertainty) }
    }
    found.values = slots.mapValues { all[$0].repeated }
    return found
  }

  /// The values of one quantity, each with the number of its repeat.
  private struct Repeats {
    var values: [(group: Int, value: Double)] = []
    var stated: [Double] = []

    var repeated: RepeatedValue {
      let sorted = values.indices.sorted { (values[$0].group, $0) < (values[$1].group, $1) }
      var means: [Double] = []
      var rest = sorted[...]
      while let first = rest.first {
        let same = rest.prefix { values[$0].group == values[first].group }
        means.append(
          same.count == 1 ? values[first].value : RepeatedValue(same.map { values[$0].value }).mean)
        rest = rest.dropFirst(same.count)
      }
      return RepeatedValue(means, uncertainty: stated.isEmpty ? nil : Statistics.median(stated))
    }
  }

  /// Values of one number are one repeat: a run of several; of delays an opening of the devices, where there are
  /// several; else a take.
  private func cluster(of reading: Reading, _ run: Int) -> Int {
    guard side.runs.count == 1 else { return run }
    let take = reading.take ?? 0
    guard reading.name.kind.movesFromStartToStart, side.latest.record.openings > 1,
      let pattern = side.latest.record.patterns.first(where: { $0.name == reading.pattern }),
      let opening = pattern.takes.first(where: { $0.number == take })?.opening
    else { return take }
    return opening
  }
}
