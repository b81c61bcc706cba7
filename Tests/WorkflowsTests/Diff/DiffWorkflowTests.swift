// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import ChangeDetection
import Glibc
import JSONText
import Profiles
import Reporting
import RunArchive
import ScratchFolder
import Testing
import Units

@testable import Workflows

/// Runs of the simulated rig beside each other, whose truth is known.
struct DiffWorkflowTests {
  private static let rigs =
    #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/rigs/"

  /// Plays a pattern on the simulated rig with some places of its file changed, and gives the run's folder.
  private static func run(
    _ scratch: borrowing ScratchFolder, seed: Int, repeats: Int = 3, pattern: String = "steps",
    changing changes: [String: String] = [:], profile: String? = nil, out: String = "runs"
  ) async throws -> String {
    var text = String(
      decoding: try RegularFile(path: rigs + "simulated-lra.yaml").bytes(limit: 1 << 20),
      as: UTF8.self)
    for (old, new) in changes.merging(["seed: 1": "seed: \(seed)"], uniquingKeysWith: { $1 }) {
      try #require(text.contains(old), "the rig file has no '\(old)'")
      text = text.replacing(old, with: new)
    }
    let folder = scratch.path + "/\(out)-\(seed)-\(changes.count)-\(repeats)"
    try Folder.make(folder)
    try AtomicFile.write(text, to: folder + "/rig.yaml")
    var order = RunOrder(
      [rigs + "patterns/\(pattern).ahap"], on: RigChoice(file: folder + "/rig.yaml"),
      folder: folder)
    order.repeats = repeats
    order.profile = profile
    let user = RigOperator(version: "9.9-test")
    return try await RunWorkflow(RunRequest(order, by: user), by: user).execute().folder
  }

  private static func diff(
    _ runs: [String], changing change: (inout DiffQuestion) -> Void = { _ in }
  ) throws -> DiffReport {
    var question = DiffQuestion(runs, in: try ArchiveLocation("/nowhere"))
    change(&question)
    let archive = question.archive
    return try DiffWorkflow(question) { try Archive(opening: archive) }.report()
  }

  private static func beyond(_ report: DiffReport) -> [DiffReport.Difference] {
    report.all.filter { $0.finding == .beyond }
  }

  @Test func `a later transport is found with its size, and what does not hang on it is not told`()
    async throws
  {
    let scratch = try ScratchFolder()
    let before = try await Self.run(scratch, seed: 1, repeats: 5)
    let after = try await Self.run(
      scratch, seed: 2, repeats: 5, changing: ["transport: 0.40 ms": "transport: 0.55 ms"])
    let report = try Self.diff([before, after])
    let beyond = Self.beyond(report)
    let transport = try #require(beyond.first { $0.key.name.kind == .latencyTransport })
    let found = try #require(transport.difference)
    #expect(abs(found.value - 150e-6) < 5e-6, "\(found)")
    #expect(transport.course == .worse && report.isWorse)
    // Levels, frequencies, clocks and noise are what they were.
    let untouched: Set<ReadingKind> = [
      .latencyElectrical, .drift, .noiseFloor, .responseRMS, .responsePeak, .responseFrequency,
      .intensityError, .sharpnessError, .intensityContrast, .eventsScored, .xruns, .overloads,
    ]
    let wrong = beyond.filter { untouched.contains($0.key.name.kind) }
    #expect(wrong.count <= 1, "\(wrong.map { ($0.key, $0.difference) })")
    #expect(report.pairs[0].common.contains { $0.hasPrefix("calibration of the sensor (") })
    #expect(report.pairs[0].differences.allSatisfy { $0.systematic == 0 })
    #expect(report.pairs[0].environment.map(\.key) == ["rig file"])
    // The response is the same but for its time, and that is taken off.
    let overlay = try #require(report.overlays.first)
    #expect(overlay.isWithoutTransport && overlay.takes.count == 2)
    let residual = try #require(overlay.residuals.first)
    #expect(residual.response < -30 && abs(residual.level) < 0.1, "\(residual)")
    #expect(residual.drive == -.infinity)
  }

  @Test func `a run beside itself differs in nothing, and twice in the same words`() async throws {
    let scratch = try ScratchFolder()
    let run = try await Self.run(scratch, seed: 1)
    let report = try Self.diff([run, run])
    #expect(!report.all.isEmpty && Self.beyond(report).isEmpty && !report.isWorse)
    #expect(report.all.allSatisfy { ($0.difference?.value ?? 0) == 0 })
    #expect(report.all.allSatisfy { $0.difference.map { $0.chance == 1 } ?? true })
    #expect(report.pairs[0].environment.isEmpty && report.pairs[0].notes.isEmpty)
    #expect(report.overlays.first?.residuals.first?.response == -.infinity)
    let again = try Self.diff([run, run])
    #expect(report.jsonText == again.jsonText)
    #expect(DiffPage(report).text == DiffPage(again).text)
    #expect(DiffText.table(report, showsAll: true) == DiffText.table(again, showsAll: true))
  }

  @Test func `runs of one rig are rarely told apart, with repeats and with single takes`()
    async throws
  {
    let scratch = try ScratchFolder()
    for repeats in [1, 3] {
      var runs: [String] = []
      for seed in 1...8 {
        runs.append(try await Self.run(scratch, seed: seed, repeats: repeats))
      }
      var told: [String] = []
      for pair in stride(from: 0, to: runs.count, by: 2) {
        let report = try Self.diff([runs[pair], runs[pair + 1]]) { $0.hasOverlays = false }
        let beyond = Self.beyond(report)
        if !beyond.isEmpty {
          told.append("seeds \(pair + 1), \(pair + 2): \(beyond.map { "\($0.key.name)" })")
        }
      }
      // Of four pairs at 5 % each, two or more are told once in 70 trials.
      #expect(told.count <= 1, "\(repeats) repeats: \(told)")
    }
  }

  @Test func `takes are laid by their own delays, whatever a rig's converters add`() async throws {
    let scratch = try ScratchFolder()
    let near = try await Self.run(scratch, seed: 1, repeats: 1)
    let far = try await Self.run(
      scratch, seed: 2, repeats: 1,
      changing: ["latency: 3.1 ms": "latency: 47.3 ms", "clock: 12 ppm": "clock: -60 ppm"])
    let report = try Self.diff([near, far])
    let overlay = try #require(report.overlays.first)
    let delays = overlay.takes.compactMap(\.electrical)
    #expect(delays.count == 2 && abs(delays[1] - delays[0] - 44.2e-3) < 0.2e-3, "\(delays)")
    #expect(abs(overlay.takes[1].drift + 60) < 0.5)
    let residual = try #require(overlay.residuals.first)
    // Half a frame at 170 Hz alone would leave -35 dB.
    #expect(residual.response < -40, "\(residual)")
  }

  @Test func `single takes are compared by what they state, and delays of one start are not told`()
    async throws
  {
    let scratch = try ScratchFolder()
    let run = try await Self.run(scratch, seed: 1)
    let report = try Self.diff(["\(run):steps:1", "\(run):steps:2"])
    #expect(
      report.sides.map(\.take) == [1, 2] && report.sides.map(\.pattern) == ["steps", "steps"])
    let delay = try #require(report.all.first { $0.key.name.kind == .latencyElectrical })
    #expect(delay.finding == .untold)
    #expect(
      delay.note == "latency.electrical scatters from take to take by more than one take states of "
        + "itself, and each side has one")
    #expect(report.all.allSatisfy { $0.first.count == 1 && $0.second.count == 1 })
    // A bound for the length of a run is no reading of it.
    #expect(try Self.diff([run, run]).all.allSatisfy { $0.key.name.kind != .xrunsPerHour })
    #expect(report.overlays.first?.takes.map(\.number) == [1, 2])
    // The sensor is the same one: what it is unsure by is no part of the difference.
    let level = try #require(report.all.first { $0.key.name.kind == .responseRMS })
    #expect(try #require(level.difference).uncertainty < 0.01 * level.first.mean)
  }

  @Test func `another sensor is said, and what it leaves unsure counts`() async throws {
    let scratch = try ScratchFolder()
    let first = try await Self.run(scratch, seed: 1)
    let second = try await Self.run(
      scratch, seed: 2, changing: ["date: 2025-03-14": "date: 2026-01-09"])
    let pair = try #require(try Self.diff([first, second]).pairs.first)
    #expect(pair.apart.contains("calibration of the sensor"))
    let level = try #require(pair.differences.first { $0.key.name.kind == .responseRMS })
    // 1 % on either side.
    #expect(level.systematic > 0.012 * level.first.mean, "\(level)")
    #expect(pair.environment.map(\.key).contains("sensor"))
  }

  @Test func `two profiles are laid over each other on the page, and one is not`() async throws {
    let scratch = try ScratchFolder()
    let sample = Self.rigs + "profiles/sim-coin-1.json"
    _ = try scratch.folder("profiles")
    let own = scratch.file("profiles/sim-coin-1.json")
    try AtomicFile.write(
      String(decoding: try RegularFile(path: sample).bytes(limit: 1 << 20), as: UTF8.self), to: own)
    // The same actuator on two levels 6 dB apart, both below what its ceiling would hold back.
    for (level, name) in [(18.0, "higher"), (12.0, "lower")] {
      _ = try FleetWorkflow.execute(
        folder: scratch.file("profiles"), reference: level, out: scratch.file(name))
    }
    let first = try await Self.run(
      scratch, seed: 1, profile: scratch.file("higher/sim-coin-1.json"))
    let second = try await Self.run(
      scratch, seed: 2, profile: scratch.file("lower/sim-coin-1.json"))
    let report = try Self.diff([first, second])
    #expect(report.profiles.map(\.side) == [0, 1])
    #expect(report.profiles.map(\.profile.laws.referenceLevel) == [18, 12])
    #expect(report.pairs[0].environment.map(\.key).contains("reference level"))
    // What was played is weaker, by 6 dB where the intensity is 1 and by less below it, and is told.
    let level = try #require(
      report.all.filter { $0.key.name.kind == .responseRMS }
        .max { $0.first.mean < $1.first.mean })
    let ratio = level.second.mean / level.first.mean
    #expect((-6.5 ... -2).contains(Decibels.of(amplitude: ratio)), "\(ratio)")
    #expect(level.finding == .beyond)
    let page = DiffPage(report).text
    #expect(page.contains("Profiles and actuators"))
    for plot in ["plot-sensitivity", "plot-ceiling"] {
      #expect(page.contains("id=\"\(plot)"), "\(plot)")
    }
    for label in ["A: sim-coin-1", "B: sim-coin-1"] { #expect(page.contains(label), "\(label)") }
    let same = try Self.diff([first, first])
    #expect(same.profiles.isEmpty && !DiffPage(same).text.contains("plot-sensitivity"))
  }

  @Test func `runs are found by folder, by name and by take, and near names are told`() async throws
  {
    let scratch = try ScratchFolder()
    let run = try await Self.run(scratch, seed: 1, repeats: 2)
    let parts = run.split(separator: "/")
    let (archive, id) = ("/" + parts.dropLast().joined(separator: "/"), String(parts.last ?? ""))
    let location = try ArchiveLocation(archive)
    #expect(try ComparedSide(id, in: location).latest.id == id)
    #expect(try ComparedSide(run + "/", in: location).latest.id == id)
    #expect(try ComparedSide("\(id):steps", in: location).pattern == "steps")
    func refusal(_ text: String) -> String {
      do {
        _ = try ComparedSide(text, in: location)
        return "found"
      } catch {
        return "\(error)"
      }
    }
    let wrong = String(id.dropLast()) + "x"
    #expect(refusal(wrong).hasSuffix("the nearest it has: \(id)"))
    #expect(
      refusal("\(id):stpes").hasSuffix("the run has no pattern 'stpes'; the nearest it has: steps"))
    #expect(refusal("\(id):steps:7").hasSuffix("has no take '7' in the run; it has 1, 2"))
    #expect(refusal("\(id):").contains("name a pattern behind the colon"))
    #expect(refusal("../\(id)").hasPrefix("there is no run"))
  }

  @Test func `recordings that are gone leave the readings, and are said`() async throws {
    let scratch = try ScratchFolder()
    let run = try await Self.run(scratch, seed: 1)
    for name in ScratchFolder.names(in: run) where name.hasSuffix(".flac") {
      #expect(unlink(run + "/" + name) == 0)
    }
    let report = try Self.diff([run, run])
    #expect(!report.all.isEmpty && report.overlays.isEmpty)
    #expect(report.absences.count == 1)
    #expect(report.absences[0].hasPrefix("no waveforms: the recordings of "))
  }

  @Test func `a filter that nothing answers to is refused`() async throws {
    let scratch = try ScratchFolder()
    let run = try await Self.run(scratch, seed: 1, repeats: 1)
    #expect(throws: InputError.self) {
      _ = try Self.diff([run, run]) { $0.reading = "no.such" }
    }
    let some = try Self.diff([run, run]) {
      $0.reading = "latency.*"
      $0.hasOverlays = false
    }
    #expect(some.all.allSatisfy { $0.key.name.description.hasPrefix("latency.") })
    #expect(throws: InputError.self) { _ = try Self.diff([run]) }
  }
}
