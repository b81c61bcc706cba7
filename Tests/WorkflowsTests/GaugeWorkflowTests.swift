// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import GaugeStudy
import LiveRuns
import RunArchive
import ScratchFolder
import Synchronization
import Testing

@testable import Reporting
@testable import Workflows

/// A study on simulated rigs, whose differences are written in their files.
struct GaugeWorkflowTests {
  private static let rigs =
    #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/rigs/"

  private let scratch: ScratchFolder
  private let folder: String

  init() throws {
    scratch = try ScratchFolder()
    folder = scratch.path
    try scratch.write(
      """
      name: plan
      patterns: [\(Self.rigs)patterns/taps-isolated.ahap]
      limits: []
      recordings: false
      """, to: "plan.yaml")
    try write(actuators: ["a", "b"], days: 2)
    try writeRig(frequency: 170)
  }

  private func write(actuators: [String], days: Int, mounts: Int = 2, repeats: Int = 2) throws {
    try scratch.write(
      """
      name: tiny
      plan: plan.yaml
      actuators: [\(actuators.joined(separator: ", "))]
      rigs: [bench]
      days: \(days)
      mounts: \(mounts)
      repeats: \(repeats)
      readings: [{reading: latency.transport, tolerance: 1 ms}, response.frequency]
      """, to: "study.yaml")
  }

  /// A rig whose actuator has a resonance of its own.
  private func writeRig(name: String = "bench", frequency: Double, faults: String = "") throws {
    try scratch.write(
      """
      name: \(name)
      drive:
        device: simulated
        rate: 48 kHz
        channels: {haptic: 1, reference: 2}
        full-scale: 3.6 V
      capture:
        device: simulated
        channels:
          z: {role: acceleration, axis: z, input: 1, full-scale: 0.6 V, sensitivity: 10.2 mV/g}
          reference: {role: reference, input: 2, full-scale: 5 V}
      actuator: {id: dut, model: coinZ, limits: {continuous: 2.5 Vrms, peak: 3.6 V}}
      simulation:
        plant: {from: coinZ-170, resonance: \(frequency) Hz}
        drive: {latency: 5.2 ms, jitter: 0.02 ms}
        capture: {latency: 3.1 ms, jitter: 0.02 ms}
        sensor: {noise: 40 ug/rtHz}
        transport: 0.40 ms
        faults: [\(faults)]
      """, to: "rig.yaml")
  }

  private var location: ArchiveLocation {
    get throws { try ArchiveLocation(folder + "/archive") }
  }

  /// Answers to requests one after the other, and then nobody any more.
  ///
  /// `before` is told of each request by its number from 0, `after` of each repeat that is done.
  private func workflow(
    _ answers: [String], on day: String = "2026-11-24",
    before: @escaping @Sendable (Int) -> Void = { _ in },
    after: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> GaugeWorkflow {
    let asked = Mutex(0)
    let user = RigOperator(
      version: "9.9-test",
      listener: { if case .notice(.done, let text) = $0 { after(text) } },
      hands: { _ in
        let number = asked.withLock { count in
          count += 1
          return count - 1
        }
        before(number)
        return number < answers.count ? answers[number] : nil
      })
    let order = RunOrder([], on: RigChoice(file: folder + "/rig.yaml"), folder: folder + "/archive")
    try Folder.make(folder + "/archive")
    return GaugeWorkflow(
      try StudyFile(file: folder + "/study.yaml"), order, in: try location,
      today: try #require(CalendarDay(day)), by: user)
  }

  private func report() throws -> GaugeReport {
    let archive = try Archive(opening: location)
    return try StudyProgress(StudyFile(file: folder + "/study.yaml").study, in: archive)
      .report(from: archive)
  }

  @Test func `a study goes on where it was left, by the archive alone`() async throws {
    let first = try await workflow(["", "q"]).execute()
    #expect(!first.open.isEmpty)
    #expect(first.progress.doneMounts == 1)
    // Another process, which knows of nothing: three mounts are left today.
    let second = try await workflow(["", "", ""]).execute()
    #expect(second.open.isEmpty)
    #expect(second.progress.doneMounts == 4)
    let again = try await workflow(["", ""]).execute()
    #expect(again.open.isEmpty)
    #expect(again.progress.doneMounts == 4)
    let next = try await workflow(["", "", "", ""], on: "2026-11-26").execute()
    #expect(next.progress.doneMounts == 8)
    // The days of the study are over.
    let error = try await #require(throws: (any Error).self) {
      try await workflow([""], on: "2026-11-27").execute()
    }
    #expect("\(error)".contains("the study's 2 days on 'bench' are over"))
    let report = try report()
    #expect(report.runs == 16)
    #expect(report.notes.isEmpty)
    let transport = try #require(report.readings.first)
    let analysis = try #require(transport.analysis)
    #expect(analysis.observations.count == 16)
    // The sensor has no certificate: its own delay is in it.
    #expect(abs(analysis.mean - 0.4e-3) < 0.05e-3)
    // Simulated runs are drawn anew: they do scatter.
    #expect(analysis.gauge.value > 0)
    // The same seed is the same order, and the same runs.
    #expect(Set(analysis.observations.map(\.value)).count == 16)
  }

  @Test func `a piece is recorded under its own id, and the record scores the same`() async throws {
    _ = try await workflow([""]).execute()
    let archive = try Archive(opening: location)
    let runs = try archive.runs()
    #expect(runs.count == 2)
    for run in runs {
      #expect(["a", "b"].contains(run.actuator))
      #expect(run.plan == "gauge-tiny")
      let environment = try archive.environment(of: RunFilter(ids: [run.id]))[0].environment
      #expect(environment["gauge.study"] == "tiny")
      #expect(environment["gauge.day"] == "2026-11-24")
      #expect(environment["gauge.mount"] == "1")
      #expect(environment["gauge.described"] == "dut")
    }
    #expect(
      Set(try runs.compactMap { try archive.record(of: $0)?.header.environment["gauge.repeat"] })
        == ["1", "2"])
  }

  @Test func `a run of a study with its recordings scores the same`() async throws {
    try scratch.write(
      "name: plan\npatterns: [\(Self.rigs)patterns/taps-isolated.ahap]\nlimits: []\n",
      to: "plan.yaml")
    try write(actuators: ["a", "b"], days: 1, mounts: 2, repeats: 1)
    _ = try await workflow([""]).execute()
    let run = try #require(try Archive(opening: location).runs().first)
    let user = RigOperator(version: "9.9-test")
    #expect(try ScoreWorkflow.execute(folder: folder + "/archive/" + run.id, by: user).isSame)
  }

  @Test func `runs of a study are in no night of the plan that they play`() async throws {
    var order = RunOrder(
      [folder + "/plan.yaml"], on: RigChoice(file: folder + "/rig.yaml"),
      folder: folder + "/archive")
    order.repeats = 1
    let user = RigOperator(version: "9.9-test")
    _ = try await RunWorkflow(RunRequest(order, by: user), by: user).execute()
    func history() throws -> String {
      try HistoryReader(
        Archive(opening: location), HistoryQuestion(rig: "bench", plan: "plan")
      ).report().jsonText
    }
    let before = try history()
    _ = try await workflow([""]).execute()
    #expect(try history() == before)
  }

  @Test func `what is skipped stays open, and other answers are asked again`() async throws {
    let outcome = try await workflow(["x", "s", "s", "s", "s"]).execute()
    #expect(!outcome.open.isEmpty)
    #expect(outcome.progress.doneMounts == 0)
    #expect(outcome.progress.open(on: "bench", outcome.today)?.count == 4)
  }

  @Test func `a script mounts without a question, and not too often`() async throws {
    for _ in 0..<2 { _ = try await workflow([]).execute(mount: "b") }
    let third = try await #require(throws: (any Error).self) {
      try await workflow([]).execute(mount: "b")
    }
    #expect("\(third)".contains("b was mounted on bench as often as the study asks for today"))
    let unknown = try await #require(throws: (any Error).self) {
      try await workflow([]).execute(mount: "c")
    }
    #expect("\(unknown)".contains("has no actuator 'c': it has a, b"))
  }

  @Test func `another rig than the study's is refused`() async throws {
    try writeRig(name: "other", frequency: 170)
    let error = try await #require(throws: (any Error).self) { try await workflow([""]).execute() }
    #expect("\(error)".contains("the study 'tiny' is of bench"))
  }

  private static let unplugged = "{kind: unplug, at: 0.3 s}"

  @Test func `a run that failed is asked for again, in the same mount`() async throws {
    try writeRig(frequency: 170, faults: Self.unplugged)
    // The second request is that of the failed run: somebody plugs the rig in again.
    let outcome = try await workflow(
      ["", "", "q"], before: { if $0 == 1 { try? writeRig(frequency: 170) } }
    ).execute()
    #expect(outcome.progress.doneMounts == 1)
    let report = try report()
    #expect(report.failedRuns == 1)
    #expect(report.runs == 2)
    #expect(report.notes.contains { $0.contains("1 run did not end well and is left out") })
    #expect(report.cells.flatMap(\.days).flatMap(\.mounts) == [2])
  }

  @Test func `a mount that was given up keeps its runs, and is done anew`() async throws {
    try write(actuators: ["a"], days: 1, mounts: 1, repeats: 3)
    let outcome = try await workflow(
      ["", "s", ""], before: { if $0 == 1 { try? writeRig(frequency: 170) } },
      after: { text in
        if text.hasPrefix("a, mount 1, repeat 2") {
          try? writeRig(frequency: 170, faults: Self.unplugged)
        }
      }
    ).execute()
    #expect(outcome.open.isEmpty)
    let report = try report()
    #expect(report.cells[0].days[0].mounts == [2, 3])
    #expect(report.runs == 5)
    #expect(report.isComplete)
  }

  @Test func `what the rigs' files differ by is what the components say`() async throws {
    try write(actuators: ["a", "b", "c"], days: 1, mounts: 3, repeats: 2)
    // True resonances: actuators 160, 170 and 180 Hz; mounts at -2, 0 and 2 Hz about them.
    for mount in [-2.0, 0, 2] {
      for (index, actuator) in ["a", "b", "c"].enumerated() {
        try writeRig(frequency: 160 + 10 * Double(index) + mount)
        _ = try await workflow([]).execute(mount: actuator)
      }
    }
    let reading = try #require(try report().readings.last)
    #expect(reading.name.kind == .responseFrequency)
    let analysis = try #require(reading.analysis)
    let deviations = Dictionary(
      uniqueKeysWithValues: analysis.components.map { ($0.source, $0.deviation) })
    let mount = try #require(deviations[.mount])
    let actuator = try #require(deviations[.actuator])
    // The sample deviations of what was injected are 2 and 10 Hz; the interval has to hold them.
    #expect((mount.low...mount.high).contains(2), "\(mount)")
    #expect((actuator.low...actuator.high).contains(10), "\(actuator)")
    #expect(reading.largest?.component.source == .mount)
    #expect(reading.sentence.contains("look at the mount first"), "\(reading.sentence)")
  }
}
