// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Perception
import ScratchFolder
import Synchronization
import Testing
import Units
import VirtualDevices

/// Plans that open devices anew, in another order, with a control between.
struct RestartTests {
  /// A run on fakes: what was opened when, and what came of it.
  private static func run(
    _ plan: Plan, patterns: [String] = ["a", "b"], faultAt start: Int? = nil,
    control: Bool = false
  ) async throws -> (outcome: PlanRun.Outcome, calls: [String], files: [String]) {
    let rig = Rigs.described()
    let scratch = try ScratchFolder()
    let calls = Mutex<[String]>([])
    let builder = TakeBuilder(rig: rig, hasProbe: false)
    func session() -> Session {
      let fake = FakeRig(rig)
      return Session(
        rig: rig, output: fake.drive, input: fake.sensors, stop: fake.stop, isPaced: false)
    }
    let run = PlanRun(
      plan: plan, patterns: try patterns.map { try Rigs.pattern([AHAPText.tap(at: 0)], name: $0) },
      builder: builder, target: IntensityTarget(), folder: scratch.path)
    let controlRun =
      control
      ? ControlRun(
        PlanRun(
          plan: Plan(name: "control"),
          patterns: [try Rigs.pattern([AHAPText.tap(at: 0)], name: "a")], builder: builder,
          target: IntensityTarget(), folder: scratch.path, prefix: "control-"), on: session())
      : plan.control.map { _ in ControlRun(loopOf: rig) }
    let outcome = try await run.execute(
      opening: { number in
        calls.withLock { $0.append("open \(number)") }
        if number == start {
          throw DeviceError(.unplugged, device: "fake", message: "it is gone")
        }
        return session()
      }, control: controlRun,
      progress: { step in
        if case .began(let pattern, let take, _, _, _) = step {
          calls.withLock { $0.append("\(pattern)\(take)") }
        }
      })
    return (outcome, calls.withLock { $0 }, ScratchFolder.names(in: scratch.path))
  }

  @Test func `devices are opened anew between the repeats, and takes say in which opening`()
    async throws
  {
    let (outcome, calls, _) = try await Self.run(Plan(name: "x", repeats: 3, restarts: 2))
    #expect(
      calls == ["open 1", "a1", "b1", "open 2", "a2", "b2", "open 3", "a3", "b3"])
    #expect(outcome.patterns.map(\.name) == ["a", "b"])
    #expect(outcome.patterns.map { $0.takes.map(\.opening) } == [[1, 2, 3], [1, 2, 3]])
    #expect(outcome.patterns.map { $0.takes.map(\.place) } == [[1, 3, 5], [2, 4, 6]])
    let restarts = outcome.readings.first { $0.name.kind == .latencyJitterRestarts }
    #expect(restarts?.count == 3)
    #expect(outcome.patterns[0].takes[0].markers?.count == 2)
  }

  @Test func `whatever the order was, the record keeps that of the plan`() async throws {
    let plan = Plan(name: "x", repeats: 2, order: .shuffled, seed: 3)
    let (outcome, calls, _) = try await Self.run(plan, patterns: ["a", "b", "c"])
    #expect(outcome.patterns.map(\.name) == ["a", "b", "c"])
    #expect(outcome.patterns.allSatisfy { $0.takes.map(\.number) == [1, 2] })
    #expect(calls.dropFirst() != ["a1", "a2", "b1", "b2", "c1", "c2"])
    // The places tell the order again.
    let played = outcome.patterns.flatMap { pattern in
      pattern.takes.map { (place: $0.place ?? 0, name: "\(pattern.name)\($0.number)") }
    }.sorted { $0.place < $1.place }.map(\.name)
    #expect(played == Array(calls.dropFirst()))
    #expect(
      outcome.readings.filter { $0.take != nil }.compactMap(\.pattern).reduce(into: [String]()) {
        if $0.last != $1 { $0.append($1) }
      } == ["a", "b", "c"])
    #expect(
      outcome.figures.map { "\($0.pattern)\($0.take)" } == ["a1", "a2", "b1", "b2", "c1", "c2"])
  }

  @Test func `devices that do not open again end the run and leave what came before`() async throws
  {
    let (outcome, calls, _) = try await Self.run(
      Plan(name: "x", repeats: 3, restarts: 2), faultAt: 2)
    #expect(calls == ["open 1", "a1", "b1", "open 2"])
    #expect(outcome.fault?.code == .unplugged)
    #expect(outcome.patterns.map { $0.takes.count } == [1, 1])
    #expect(outcome.readings.contains { $0.pattern == "b" && $0.value != nil })
  }

  @Test func `devices that do not open at all are an error`() async throws {
    await #expect(throws: DeviceError.self) {
      try await Self.run(Plan(name: "x"), faultAt: 1)
    }
  }

  @Test func `a control has its own names, files and repeats`() async throws {
    let plan = Plan(name: "x", repeats: 2, control: ControlPlan(.rig("other.yaml"), every: 2))
    let (outcome, calls, files) = try await Self.run(plan, control: true)
    #expect(calls == ["open 1", "a1", "a2", "b1", "b2"])
    #expect(outcome.controlPatterns.map(\.name) == ["a"])
    #expect(outcome.controlPatterns.map { $0.takes.map(\.number) } == [[1, 2]])
    #expect(
      files.filter { $0.hasPrefix("control-") } == [
        "control-a-1-drive.flac", "control-a-1-response.flac", "control-a-2-drive.flac",
        "control-a-2-response.flac",
      ])
    let control = outcome.readings.filter(\.name.isControl)
    #expect(control.contains { $0.name.description == "control.latency.electrical" })
    #expect(Set(control.compactMap(\.take)) == [1, 2])
    // The product's own readings stay its own.
    let own = outcome.readings.filter { !$0.name.isControl && $0.name.kind == .latencyElectrical }
    #expect(own.count == 4)
    #expect(outcome.patterns.flatMap(\.takes).count == 4)
  }

  @Test func `the electrical loop of the same rig can be the control`() async throws {
    let plant = try #require(PlantParameters.named("linX-170"))
    let rig = Rigs.described(
      device: .simulated(
        SimulationDescription(
          seed: 7, plant: plant, drive: .init(latency: 4e-3), capture: .init(latency: 2e-3))))
    let devices = try SimulatedRig(rig)
    let session = Session(
      rig: rig, output: devices.drive, input: devices.sensors, stop: StopSignal(),
      isPaced: false)
    let run = PlanRun(
      plan: Plan(name: "x", repeats: 2, control: ControlPlan(.loop, every: 1)),
      patterns: [try Rigs.pattern([AHAPText.tap(at: 0)])],
      builder: TakeBuilder(rig: rig, hasProbe: false), target: IntensityTarget(), folder: nil)
    let outcome = try await run.execute(
      opening: { _ in session }, control: ControlRun(loopOf: rig))
    let control = outcome.readings.filter(\.name.isControl)
    #expect(
      control.map(\.name.description) == [
        "control.latency.electrical", "control.drift", "control.latency.electrical",
        "control.drift",
      ])
    #expect(control.map(\.take) == [1, 1, 2, 2])
    #expect(control.allSatisfy { $0.pattern == nil })
    for reading in control where reading.name.kind == .latencyElectrical {
      #expect(abs(try #require(reading.value) - 6e-3) < 1e-6)
    }
    #expect(outcome.controlPatterns.isEmpty)
  }

  @Test func `a loop that cannot be trusted gives no number`() async throws {
    // The fake tells of an xrun in its first frames.
    let plan = Plan(name: "x", control: ControlPlan(.loop))
    let (outcome, _, _) = try await Self.run(plan)
    let control = outcome.readings.filter(\.name.isControl)
    #expect(control.map(\.value) == [nil, nil])
    #expect(control.allSatisfy { $0.verdict == .notMeasured })
    #expect(control[0].note?.contains("an xrun") == true)
    #expect(outcome.fault == nil)
  }

  @Test func `the share of the run grows from nothing to all of it`() async throws {
    let rig = Rigs.described()
    let fake = FakeRig(rig)
    let session = Session(
      rig: rig, output: fake.drive, input: fake.sensors, stop: fake.stop, isPaced: false)
    let run = PlanRun(
      plan: Plan(name: "x", repeats: 2),
      patterns: [try Rigs.pattern([AHAPText.tap(at: 0)]), try Rigs.pattern([AHAPText.tap(at: 2)])],
      builder: TakeBuilder(rig: rig, hasProbe: false), target: IntensityTarget(), folder: nil)
    let shares = Mutex<[Double]>([])
    _ = try await run.execute(session) { step in
      if case .playing(_, _, let overall) = step { shares.withLock { $0.append(overall) } }
    }
    let seen = shares.withLock { $0 }
    #expect(seen == seen.sorted())
    #expect(try #require(seen.first) < 0.3)
    #expect(seen.last == 1)
  }
}
