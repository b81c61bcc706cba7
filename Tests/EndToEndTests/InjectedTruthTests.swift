// SPDX-License-Identifier: Apache-2.0

import ForeignPlant
import Foundation
import JSONText
import Testing

/// What a program injects from outside comes back through the whole chain, as surely as is stated.
@Suite(.disabled(if: ForeignPlant.obstacle != nil, Comment(rawValue: ForeignPlant.obstacle ?? "")))
struct InjectedTruthTests {
  private static let pattern = """
    {"Version": 1.0, "Pattern": [
      {"Event": {"Time": 0.0, "EventType": "HapticTransient", "EventParameters": [
        {"ParameterID": "HapticIntensity", "ParameterValue": 0.7},
        {"ParameterID": "HapticSharpness", "ParameterValue": 0.6}]}},
      {"Event": {"Time": 0.012, "EventDuration": 0.05, "EventType": "AudioContinuous",
        "EventParameters": [{"ParameterID": "AudioVolume", "ParameterValue": 1.0}]}},
      {"Event": {"Time": 0.4, "EventDuration": 0.5, "EventType": "HapticContinuous",
        "EventParameters": [
          {"ParameterID": "HapticIntensity", "ParameterValue": 0.6},
          {"ParameterID": "HapticSharpness", "ParameterValue": 0.7}]}}
    ]}

    """

  /// A linear plant of one resonance without a coil's delay.
  private static func plant(_ parameters: String...) -> ForeignPlant {
    var plant = ForeignPlant("linX-170", "linear=1", "inductance=0", "cross-axis=0")
    plant.parameters += parameters
    return plant
  }

  private func run(
    _ plant: ForeignPlant, repeats: Int, in bench: Workbench, out: String = "out"
  ) throws -> Record {
    try bench.write(try plant.rigFile(), to: "rig.yaml")
    try bench.write(Self.pattern, to: "p.ahap")
    let ending = try bench.haprig(
      "run", "p.ahap", "--rig", "rig.yaml", "--repeats", "\(repeats)", "--archive", out)
    #expect([0, 1].contains(ending.code), "\(ending.errors)")
    return try bench.record(in: out)
  }

  /// Each value within twice its uncertainty but one in twenty, none beyond four, and the mean near.
  private func expect(
    _ record: Record, _ name: String, is truth: Double, bias: Double,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let readings = record.readings(name)
    try #require(!readings.isEmpty, sourceLocation: sourceLocation)
    var errors: [Double] = []
    for reading in readings {
      let value = try #require(
        reading["value"]?.number, "\(name): \(reading["note"]?.string ?? "")",
        sourceLocation: sourceLocation)
      let uncertainty = try #require(
        reading["uncertainty"]?.number, sourceLocation: sourceLocation)
      errors.append(value - truth)
      #expect(
        abs(value - truth) <= 4 * uncertainty, "\(name) \(value) ± \(uncertainty), truth \(truth)",
        sourceLocation: sourceLocation)
    }
    let mean = errors.reduce(0, +) / Double(errors.count)
    #expect(abs(mean) < bias, "\(name): \(mean)", sourceLocation: sourceLocation)
  }

  @Test(arguments: [(-83.7, 3.21734), (0, 0.00311), (41.3, 17.77719)])
  func `delays of parts of a frame and drift come back`(
    clock: (drift: Double, delay: Double)
  ) throws {
    let plant = Self.plant(
      "drift=\(clock.drift)", "capture-delay=\(clock.delay)", "drive-delay=1.13",
      "transport=0.43219", "sound-delay=2.51177", "seed=11")
    let truth = try plant.truth()
    let record = try run(plant, repeats: 3, in: Workbench())
    let stretch = 1 + clock.drift * 1e-6
    try expect(record, "latency.electrical", is: truth.electrical * stretch, bias: 1e-6)
    try expect(record, "drift", is: clock.drift, bias: 0.5)
    try expect(record, "latency.transport", is: truth.delay * stretch, bias: 1e-6)
    // The pattern asks for the sound 12 ms after the tap: that is no error.
    try expect(
      record, "sync.audioHaptic", is: (truth.delay - 2.51177e-3) * stretch, bias: 1e-6)
    try expect(record, "latency.event", is: truth.delay * stretch, bias: 2e-6)
  }

  @Test func `jitter from start to start comes back, and none where there is none`() throws {
    for (jitter, seed) in [(0.05, 5), (0.004, 6), (0, 7)] {
      let plant = Self.plant("capture-delay=2.1", "jitter=\(jitter)", "seed=\(seed)")
      let record = try run(plant, repeats: 8, in: Workbench())
      let reading = try record.reading("latency.jitter")
      let value = try #require(reading["value"]?.number)
      let uncertainty = try #require(reading["uncertainty"]?.number)
      #expect(
        abs(value - jitter * 1e-3) <= 2 * uncertainty, "\(jitter) ms: \(value) \(uncertainty)")
      #expect(jitter > 0 || value < 1e-6)
    }
  }

  @Test(arguments: [1.25, 0.8])
  func `a level that is wrong by a factor is wrong by its decibels`(factor: Double) throws {
    let plant = Self.plant("capture-delay=2.1", "seed=3")
    let right = try run(plant, repeats: 1, in: Workbench()).readings("intensity.error")
    let wrong = try run(plant.with("amplifier-gain=\(factor)"), repeats: 1, in: Workbench())
      .readings("intensity.error")
    #expect(right.count == 2 && wrong.count == 2)
    for (one, other) in zip(right, wrong) {
      let (before, after) = (
        try #require(one["value"]?.number), try #require(other["value"]?.number)
      )
      let uncertainty = (one["uncertainty"]?.number ?? 0) + (other["uncertainty"]?.number ?? 0)
      let truth = 20 * log10(factor)
      #expect(abs(after - before - truth) <= uncertainty, "\(after - before) \(truth)")
      #expect(abs(after - before - truth) < 0.02)
    }
  }
}
