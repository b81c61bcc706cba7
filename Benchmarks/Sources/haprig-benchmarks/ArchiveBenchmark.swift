// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import ChangeDetection
import Foundation
import RunArchive
import Units

/// A year of nightly runs on 20 rigs in the index of an archive: how fast it fills and answers.
///
/// Five runs a night of 276 readings, each a series of its own: ten million readings, ten million points.
/// `HAPRIG_ARCHIVE` names a PostgreSQL database to measure instead of a temporary SQLite file,
/// `HAPRIG_ARCHIVE_NIGHTS` how many nights, 365 where it does not.
struct ArchiveBenchmark {
  private let nights: Int
  private let rigs = 20
  private let repeats = 5
  private let patterns = (0..<12).map { "pattern-\($0)" }
  private let kinds = Array(ReadingKind.allCases.prefix(23))
  private let server: String?

  init() {
    let environment = ProcessInfo.processInfo.environment
    nights = environment["HAPRIG_ARCHIVE_NIGHTS"].flatMap { Int($0) } ?? 365
    server = environment["HAPRIG_ARCHIVE"]
  }

  func report() {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "haprig-bench-archive-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let path = folder.path()
      let location =
        try server.map { try ArchiveLocation($0, reports: path) } ?? ArchiveLocation(path)
      try measure(location, folder: folder)
    } catch {
      print("  not measured: \(error)")
    }
    print()
  }

  private func measure(_ location: ArchiveLocation, folder: URL) throws {
    let archive = try Archive(opening: location)
    let readings = nights * rigs * repeats * patterns.count * kinds.count
    print("an archive of \(readings) readings on \(server == nil ? "SQLite" : "PostgreSQL")")
    let clock = ContinuousClock()
    let filled = try clock.measure { try fill(archive) }.inSeconds
    row("filling", "\(Int(Double(readings) / filled)) readings/s", "\(Int(filled)) s in all")
    let file = folder.appending(path: ArchiveLocation.indexFile).path()
    if let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int {
      row("size", "\(size / 1_000_000) MB", "\(size / readings) bytes a reading")
    }
    let one = try clock.measure { try archive.add([entry(night: nights, rig: 3, take: 0)]) }
    row("one more run", milliseconds(one.inSeconds), "")
    let again = try Archive(opening: location)
    let key = SeriesKey(
      rig: "rig-7", actuator: "actuator-7", pattern: patterns[4], reading: kinds[3].rawValue)
    let last = CalendarDay(number: Self.firstDay + nights)
    let month = CalendarDay(number: last.number - 30)...last
    let week = CalendarDay(number: last.number - 6)...last
    try view("series of one reading, all nights") { try again.series(for: key).count }
    try view("latest verdict of each rig") { try again.latestRuns().count }
    try view("list of the latest 100 runs") {
      try again.runs(matching: RunFilter(limit: 100)).count
    }
    try view("list of all runs of a rig") {
      try again.runs(matching: RunFilter(rig: "rig-7")).count
    }
    try view("a page of 50 runs, with what its list can be narrowed to") {
      try again.page(RunQuery()).total
    }
    try view("the same of failed runs with a text, by the plan's name") {
      var query = RunQuery()
      query.verdicts = [.fail, .pass]
      query.text = "rig-7"
      query.sort = .plan
      query.offset = 100
      return try again.page(query).total
    }
    try view("all series keys of a rig") { try again.seriesKeys(rig: "rig-7").count }
    try view("environment of all runs of a rig") {
      try again.environment(of: RunFilter(rig: "rig-7")).count
    }
    try view("one property of the environment of all runs of a rig") {
      try again.environment("kernel", of: RunFilter(rig: "rig-7", plan: "nightly")).count
    }
    try view("history of one reading: series, changes, trend") {
      let series = try again.nights(rig: "rig-7", plan: "nightly") { $0 == key }
      return series.map { SeriesHistory($0).nightly.nights.count }.first ?? 0
    }
    try view("environment of all runs of a week") {
      try again.environment(of: RunFilter(days: week)).count
    }
    try view("readings of one run") { try again.readings(of: id(night: 9, rig: 7, take: 2)).count }
    try view("all series of a rig, a month") {
      try again.series(rig: "rig-7", plan: "nightly", days: month).count
    }
    try view("all series of a rig, all runs") {
      try again.series(rig: "rig-7", plan: "nightly").count
    }
    try view("all series of a rig, all nights") {
      try again.nights(rig: "rig-7", plan: "nightly").count
    }
    try view("history of all series of a rig: changes, trends") {
      try again.nights(rig: "rig-7", plan: "nightly").map { SeriesHistory($0).points.count }.count
    }
    try view("opening: which runs are missing?") { try again.refresh().added }
  }

  /// The first time, and of five more the best, by the clock and by this process's share of the processor.
  private func view(_ name: String, _ body: () throws -> Int) throws {
    let clock = ContinuousClock()
    var rows = 0
    let first = try clock.measure { rows = try body() }.inSeconds
    var shortest = Double.infinity
    var busy = Double.infinity
    for _ in 0..<5 {
      let before = Self.processorSeconds
      shortest = min(shortest, try clock.measure { rows = try body() }.inSeconds)
      busy = min(busy, Self.processorSeconds - before)
    }
    row(
      name, milliseconds(shortest),
      "processor \(milliseconds(busy)), first \(milliseconds(first)), \(rows) rows, aim 100 ms")
  }

  private static var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  private func milliseconds(_ seconds: Double) -> String { "\((seconds * 1e4).rounded() / 10) ms" }

  private func fill(_ archive: Archive) throws {
    var batch: [RunEntry] = []
    for night in 0..<nights {
      for rig in 0..<rigs {
        for take in 0..<repeats { batch.append(try entry(night: night, rig: rig, take: take)) }
      }
      if batch.count >= 400 {
        try archive.add(batch)
        batch = []
      }
    }
    try archive.add(batch)
  }

  private static let firstDay = 20_454

  private func id(night: Int, rig: Int, take: Int) -> String { "run-\(night)-\(rig)-\(take)" }

  private func entry(night: Int, rig: Int, take: Int) throws -> RunEntry {
    let started = Moment(seconds: (Self.firstDay + night) * 86_400 + 3600 * take + 60 * rig)
    var readings: [Reading] = []
    readings.reserveCapacity(patterns.count * kinds.count)
    for pattern in patterns {
      for kind in kinds {
        readings.append(
          Reading(
            kind, pattern: pattern, take: 1, channel: "z",
            value: Double(readings.count) + Double((night * 31 + take * 7) % 97) / 97,
            uncertainty: 0.01, count: 12))
      }
    }
    let record = RunRecord(
      header: .init(
        date: started.description, host: "bench", duration: 60, folder: "",
        environment: [
          "kernel": "6.1.\(night / 60)", "alsa-lib": "1.2.8", "revision": "revision-\(night)",
          "firmware": "1.\(night / 90)",
        ]),
      run: .init(
        status: .complete, software: "haprig", seed: 1, laws: [:], referenceLevel: 30,
        calibration: "profile-\(rig)"),
      rig: .init(
        name: "rig-\(rig)", device: "simulated", rate: 48_000, fullScaleVolts: 4, driveChannels: [:]
      ),
      actuator: .init(
        id: "actuator-\(rig)", model: "model", kind: .lra,
        limits: .init(continuousVolts: 2, peakVolts: 4)),
      plan: Plan(name: "nightly"), patterns: [], readings: readings,
      verdict: (night + rig) % 9 == 0 ? .marginal : .pass)
    let name = id(night: night, rig: rig, take: take)
    return try RunEntry(record: record, id: name, hash: ContentHash(of: name))
  }
}
