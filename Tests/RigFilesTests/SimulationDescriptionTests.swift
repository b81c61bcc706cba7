// SPDX-License-Identifier: Apache-2.0

import Devices
import RigFiles
import Testing

struct SimulationDescriptionTests {
  private func simulation(_ replacing: String = "", with text: String = "") throws
    -> SimulationDescription
  {
    let device = try rig(rigFile(replacing, with: text, of: simulated)).drive.device
    guard case .simulated(let simulation) = device else {
      throw Failure.notSimulated
    }
    return simulation
  }

  private enum Failure: Error {
    case notSimulated
  }

  @Test func `what is not written has its default`() throws {
    let coin = try #require(PlantParameters.named("coinZ-170"))
    #expect(
      try simulation() == SimulationDescription(plant: coin, drive: .init(latency: 5e-3)))
  }

  @Test func `all of it is read in SI units`() throws {
    let simulation = try simulation(
      "drive: {latency: 5 ms}",
      with: """
        seed: 18446744073709551615
          clock: real
          drive: {latency: 5 ms, jitter: 0.02 ms, clock: -12 ppm, bits: 16, noise: 20 mV}
          capture: {latency: 3 ms}
          sensor: {noise: 100 ug/rtHz, bandwidth: 5 kHz, full-scale: 16 g, gravity: -1.0, \
        cross-axis: 3 %}
          sound: {latency: 1.5 ms, gain: 0.5 Pa, noise: 1 mV}
          transport: 0.4 ms
          faults:
            - {kind: xrun, at: 1.2 s, for: 20 ms}
            - {kind: unplug, at: 3 s}
        """)
    #expect(simulation.seed == .max)
    #expect(simulation.clock == .real)
    #expect(
      simulation.drive
        == .init(latency: 5e-3, jitter: 0.02e-3, clockOffset: -12e-6, bits: 16, noiseVolts: 20e-3))
    #expect(simulation.capture == .init(latency: 3e-3))
    #expect(abs(simulation.sensor.noiseDensity - 100 * 9.80665e-6) < 1e-15)
    #expect(simulation.sensor.bandwidth == 5000)
    #expect(abs(simulation.sensor.fullScale - 16 * 9.80665) < 1e-9)
    #expect(simulation.sensor.gravity == -1)
    #expect(simulation.sensor.crossAxis == 0.03)
    #expect(simulation.sound == .init(latency: 1.5e-3, gain: 0.5, noise: 1e-3))
    #expect(simulation.transportDelay == 0.4e-3)
    #expect(
      simulation.faults == [
        .init(kind: .xrun, time: 1.2, duration: 20e-3), .init(kind: .unplug, time: 3),
      ])
  }

  @Test(arguments: PlantParameters.catalogue.map(\.name))
  func `every plant of the catalogue has its name`(name: String) throws {
    let kind = name.hasPrefix("erm") ? "erm" : "lra"
    let text = try rigFile("plant: coinZ-170", with: "plant: \(name)", of: simulated)
      .replacing("model: coin\n", with: "model: coin\n  kind: \(kind)\n")
    guard case .simulated(let simulation) = try rig(text).drive.device else {
      throw Failure.notSimulated
    }
    #expect(simulation.plant == PlantParameters.named(name))
  }

  @Test func `a plant that begins with another changes only what it writes`() throws {
    let simulation = try simulation(
      "plant: coinZ-170",
      with: "plant: {from: coinZ-170, resonance: 172 Hz, mount-mass: 50 g, hardening: 5 %}")
    guard case .linear(var expected) = PlantParameters.named("coinZ-170") else {
      throw Failure.notSimulated
    }
    expected.resonance = 172
    expected.mountMass = 0.05
    expected.hardening = 0.05
    #expect(simulation.plant == .linear(expected))
  }

  @Test func `a linear plant can be written whole`() throws {
    let simulation = try simulation(
      "plant: coinZ-170",
      with: """
        plant:
            resonance: 150 Hz
            quality: 12
            resistance: 8 ohm
            inductance: 0.2 mH
            moving-mass: 1.5 g
            travel: 0.8 mm
            force-factor: 0.5 N/A
            force-factor-loss: 20 %
        """)
    #expect(
      simulation.plant
        == .linear(
          .init(
            resonance: 150, quality: 12, resistance: 8, inductance: 0.2e-3, movingMass: 1.5e-3,
            travel: 0.8e-3, forceFactor: 0.5, forceFactorLoss: 0.2)))
  }

  @Test func `a rotating plant is known by its keys`() throws {
    let text = try rigFile(
      "plant: coinZ-170",
      with: """
        plant: {rated-speed: 150 Hz, rated-voltage: 3 V, resistance: 10 ohm, spin-up: 50 ms, \
        static-moment: 2.0 g*mm, start-voltage: 0.4 V}
        """, of: simulated
    ).replacing("model: coin\n", with: "model: coin\n  kind: erm\n")
    guard case .simulated(let simulation) = try rig(text).drive.device else {
      throw Failure.notSimulated
    }
    #expect(
      simulation.plant
        == .rotating(
          .init(
            ratedSpeed: 150, ratedVolts: 3, resistance: 10, spinUpTime: 0.05, staticMoment: 2e-6,
            startVolts: 0.4)))
  }

  @Test func `a quantity outside its bounds says what it must be`() {
    expectError("17:20", "'latency' is '-5.2 ms': it must be from 0 s to 1 s") {
      try simulation("latency: 5 ms", with: "latency: -5.2 ms")
    }
    expectError("17:18", "'clock' is '2 %': it must be from") {
      try simulation("latency: 5 ms", with: "clock: 2 %")
    }
    expectError("17:17", "'bits' is '33': it must be from 0 to 32") {
      try simulation("latency: 5 ms", with: "bits: 33")
    }
  }

  @Test func `a plant that is not in the catalogue is compared with those that are`() {
    expectError("16:10", "(did you mean 'coinZ-170'?): use coinZ-170, erm-150") {
      try simulation("coinZ-170", with: "coin-170")
    }
    expectError("16:17", "'linx' is not a plant of the catalogue: use") {
      try simulation("coinZ-170", with: "{from: linx}")
    }
  }

  @Test func `a plant needs all its numbers`() {
    expectError("16:10", "a linear plant needs 'quality': write for example 'quality: 9'") {
      try simulation("coinZ-170", with: "{resonance: 170 Hz}")
    }
    expectError("16:10", "a rotating plant needs 'rated-voltage'") {
      try simulation("coinZ-170", with: "{rated-speed: 170 Hz}")
    }
    expectError("16:28", "'spin-up' is not a key of a linear plant: use from, resonance") {
      try simulation("coinZ-170", with: "{from: coinZ-170, spin-up: 60 ms}")
    }
  }

  @Test func `a static moment has a unit of its own`() {
    expectError("16:41", "'1.0 g' is not a static moment: write for example '1.0 g*mm'") {
      try simulation("coinZ-170", with: "{from: erm-200, static-moment: 1.0 g}")
    }
    expectError("16:41", "it must be above 0 and at most 1 kg*m") {
      try simulation("coinZ-170", with: "{from: erm-200, static-moment: 0 g*mm}")
    }
  }

  @Test func `a motor of another kind than the plant is refused`() {
    expectError("12:3", "but the simulated plant is a rotating motor: write 'kind: erm'") {
      try simulation("coinZ-170", with: "erm-200")
    }
    expectError("12:3", "of kind erm, but the simulated plant is a linear motor") {
      try simulation("model: coin\n", with: "model: coin\n  kind: erm\n")
    }
  }

  @Test func `a fault has a kind and a time`() {
    expectError("18:19", "'boom' is not a kind of fault: use xrun, drop, unplug") {
      try simulation("{latency: 5 ms}", with: "{}\n  faults: [{kind: boom, at: 1 s}]")
    }
    expectError("18:12", "a fault needs 'at': write for example 'at: 1.2 s'") {
      try simulation("{latency: 5 ms}", with: "{}\n  faults: [{kind: drop}]")
    }
    expectError("18:39", "'for' is '0 s': it must be above 0 s") {
      try simulation("{latency: 5 ms}", with: "{}\n  faults: [{kind: drop, at: 1 s, for: 0 s}]")
    }
  }
}
