// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import Foundation
import Units
import VirtualDevices

/// How much faster than real time a simulated rig lives, with three channels out and three in.
struct SimulationBenchmark {
  private static let rate = 48_000
  private static let seconds = 4

  /// Prints one row for each kind of actuator and size of block.
  func report() {
    print("simulated rig, 48 kHz, 3 out and 3 in, virtual time")
    for name in ["linX-170", "erm-200"] {
      for block in [64, 256, 1_024] {
        line("\(name), blocks of \(block)", drift: 0, block: block, plant: name)
      }
    }
    line("linX-170, blocks of 64, clocks 10 ppm apart", drift: 10e-6, block: 64, plant: "linX-170")
    print("")
  }

  /// The rig of the rows above, with a linear plant.
  func rig(block: Int) -> RigDescription {
    guard let plant = PlantParameters.named("linX-170") else { fatalError("there is no linX-170") }
    return description(plant, drift: 0, block: block)
  }

  /// Seconds that the simulation takes, while a tap looks at it where there is one.
  func time(block: Int, tap: (any SignalTap)? = nil) -> Double {
    guard let plant = PlantParameters.named("linX-170") else { fatalError("there is no linX-170") }
    let drive = sine(block: block)
    return best(of: 3) { _ = run(plant, drift: 0, block: block, drive, tap) }
  }

  private func line(_ title: String, drift: Double, block: Int, plant name: String) {
    guard let plant = PlantParameters.named(name) else { return }
    let drive = sine(block: block)
    var delivered = 0
    let shortest = best(of: 5) { delivered = run(plant, drift: drift, block: block, drive) }
    let times = Double(delivered) / Double(Self.rate) / shortest
    row(title, String(format: "%.0f x real time", times), "aim: 300 x")
  }

  /// Plays blocks and reads them back; how many frames came.
  private func run(
    _ plant: PlantParameters, drift: Double, block: Int, _ drive: [[Float]],
    _ tap: (any SignalTap)? = nil
  ) -> Int {
    do {
      let rig = try SimulatedRig(description(plant, drift: drift, block: block))
      try rig.drive.start()
      try rig.sensors.start()
      var room = [Float](repeating: 0, count: 3 * block)
      var delivered = 0
      tap?.begin()
      for frames in drive {
        _ = try rig.drive.write(frames.span)
        tap?.drive(frames.span)
        var space = room.mutableSpan
        let count = try rig.sensors.read(into: &space)
        tap?.capture(room.span.extracting(0..<3 * count))
        delivered += count
      }
      return delivered
    } catch {
      fatalError("the simulated rig stopped: \(error)")
    }
  }

  /// A tone of 170 Hz on every channel.
  private func sine(block: Int) -> [[Float]] {
    (0..<(Self.seconds * Self.rate / block)).map { number in
      (0..<block).flatMap { place in
        let turns = 170 * Double(number * block + place) / Double(Self.rate)
        return [Float](repeating: Float(0.5 * sin(2 * Double.pi * turns)), count: 3)
      }
    }
  }

  private func description(
    _ plant: PlantParameters, drift: Double, block: Int
  ) -> RigDescription {
    let simulation = SimulationDescription(
      plant: plant, drive: .init(latency: 5e-3, clockOffset: drift), capture: .init(latency: 3e-3),
      transportDelay: 1e-4)
    return RigDescription(
      name: "benchmark",
      drive: DriveDescription(
        device: .simulated(simulation), rate: .standard,
        channels: [.haptic: 1, .audio: 2, .reference: 3], fullScaleVolts: 4, periodFrames: block),
      capture: CaptureDescription(
        kind: .simulated,
        channels: [
          .init(
            name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 1, axis: "z"),
          .init(name: "audio", role: .audio, unit: .volt, input: 2),
          .init(name: "reference", role: .reference, unit: .volt, input: 3),
        ]),
      actuators: [
        .init(
          id: "a", model: "m", limits: .init(continuousVolts: 2, peakVolts: 4))
      ])
  }
}
