// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Bench
import Devices
import Perception
import ScratchFolder
import Testing
import Units
import VirtualDevices

/// What is looked at before the first take, on simulated rigs that are well and rigs that are not.
struct PlanSetupTests {
  private static let all = SetupChecks(
    noiseFloor: 0.1, gravity: MeasurementUnit.standardGravity.factor, temperature: 15...30,
    reference: true, response: true, diskSpace: true)

  /// Looks at a simulated rig.
  private static func look(
    _ checks: SetupChecks = all, kind: ActuatorKind = .lra, plant: String = "linX-170",
    simulation change: (inout SimulationDescription) -> Void = { _ in },
    rig alter: (inout RigDescription) -> Void = { _ in }, bytes: Int = 1000,
    stop: StopSignal = StopSignal()
  ) async throws -> PlanSetup.Outcome {
    var simulation = SimulationDescription(
      seed: 7, plant: try #require(PlantParameters.named(plant)),
      drive: .init(latency: 4e-3), capture: .init(latency: 2e-3), transportDelay: 0.4e-3)
    change(&simulation)
    var rig = Rigs.described(
      kind: kind, rate: SampleRate(hertz: 24_000), device: .simulated(simulation))
    rig.actuators[0].temperature = 23
    alter(&rig)
    let devices = try SimulatedRig(rig)
    let session = Session(
      rig: rig, output: devices.drive, input: devices.sensors, stop: stop, isPaced: false)
    let scratch = try ScratchFolder()
    return await PlanSetup(
      checks, builder: TakeBuilder(rig: rig, hasProbe: true), target: IntensityTarget()
    ).look(on: session, writing: (bytes, scratch.path))
  }

  /// The sentence of the only check that does not hold.
  private static func failure(
    _ outcome: PlanSetup.Outcome, _ check: SetupChecks.Check,
    at location: SourceLocation = #_sourceLocation
  ) throws -> String {
    let failed = outcome.findings.filter { !$0.holds }
    #expect(failed.map(\.check) == [check], "\(failed.map(\.sentence))", sourceLocation: location)
    return try #require(failed.first?.sentence, sourceLocation: location)
  }

  @Test func `a rig that is well passes every check, each with its sentence`() async throws {
    let outcome = try await Self.look()
    #expect(outcome.fault == nil)
    #expect(outcome.findings.map(\.check) == SetupChecks.Check.allCases.filter { $0 != .actuator })
    for finding in outcome.findings { #expect(finding.holds, "\(finding.sentence)") }
    let sentences = outcome.findings.map(\.sentence)
    #expect(sentences[2].hasPrefix("the noise floor is "))
    #expect(sentences[4].hasPrefix("the markers come back after 6.0"))
    #expect(sentences[5].contains("'one' on drive channel 1"))
    #expect(outcome.refusal(of: Rigs.described()) == nil)
  }

  @Test func `only what is asked for is looked at`() async throws {
    #expect(try await Self.look(SetupChecks()).findings.isEmpty)
    #expect(
      try await Self.look(SetupChecks(reference: true)).findings.map(\.check) == [.reference])
  }

  @Test func `a sensor that shakes is told with its noise`() async throws {
    var checks = Self.all
    checks.noiseFloor = 1e-6
    let sentence = try Self.failure(try await Self.look(checks), .noiseFloor)
    #expect(sentence.contains("may be 0.000001 m/s2") || sentence.contains("may be 1e-06 m/s2"))
    #expect(sentence.contains("find what shakes the rig"))
  }

  @Test(arguments: [
    (1.0, -9.80665, "upside down"), (0.5, 9.80665, "correct its mount"),
    (1, 96.17, "g are taken for m/s2"), (1, 1, "m/s2 are taken for g"),
  ])
  func `gravity tells units and mounting`(share: Double, expected: Double, words: String)
    async throws
  {
    let outcome = try await Self.look(
      SetupChecks(gravity: expected), simulation: { $0.sensor.gravity = share })
    #expect(try Self.failure(outcome, .gravity).contains(words))
  }

  @Test func `a temperature outside, or unknown, ends the run`() async throws {
    let cold = try await Self.look(rig: { $0.actuators[0].temperature = 14.9 })
    #expect(try Self.failure(cold, .temperature).contains("must be from 15 degC to 30 degC"))
    let unknown = try await Self.look(rig: { $0.actuators[0].temperature = nil })
    #expect(try Self.failure(unknown, .temperature).contains("gives no temperature of 'one'"))
  }

  @Test func `a reference that is not wired is told`() async throws {
    let outcome = try await Self.look(
      SetupChecks(reference: true), rig: { $0.drive.channels[.reference] = nil })
    #expect(try Self.failure(outcome, .reference).contains("no reference channel"))
  }

  @Test func `an actuator that does not move is told with its channel`() async throws {
    // A sensor on a wire that nothing comes through.
    let outcome = try await Self.look(
      SetupChecks(response: true),
      simulation: { simulation in
        if case .linear(var plant) = simulation.plant {
          plant.forceFactor = 1e-9
          simulation.plant = .linear(plant)
        }
      })
    let sentence = try Self.failure(outcome, .response)
    #expect(sentence.contains("'one' on drive channel 1 does not answer"))
  }

  @Test func `a motor without a probe is asked by a hum`() async throws {
    let outcome = try await Self.look(
      SetupChecks(response: true), kind: .erm, plant: "erm-200")
    #expect(outcome.findings.map(\.holds) == [true], "\(outcome.findings.map(\.sentence))")
  }

  @Test func `a disk without room is told before anything is written`() async throws {
    let outcome = try await Self.look(SetupChecks(diskSpace: true), bytes: 1 << 60)
    #expect(try Self.failure(outcome, .diskSpace).contains("make room"))
    let refusal = try #require(outcome.refusal(of: Rigs.described()))
    #expect(refusal.code == .setup)
    #expect(refusal.message.hasPrefix("the setup check 'disk-space' failed: "))
  }

  @Test func `a request to stop ends the checks`() async throws {
    let stop = StopSignal()
    stop.request(2)
    let outcome = try await Self.look(stop: stop)
    #expect(outcome.fault?.code == .interrupted)
  }
}
