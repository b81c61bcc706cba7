// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing
import Units
import VirtualDevices

/// One seed, one capture.
struct RepeatabilityTests {
  private func noisy(seed: UInt64) -> SimulatedFixture {
    var bench = SimulatedFixture()
    bench.simulation.seed = seed
    bench.simulation.drive = .init(latency: 1e-3, jitter: 1e-4, noiseVolts: 1e-3)
    bench.simulation.capture = .init(latency: 1e-3, jitter: 1e-4, noiseVolts: 1e-3)
    bench.simulation.sensor = .init()
    bench.capture = [
      SimulatedFixture.acceleration, SimulatedFixture.reference, SimulatedFixture.current,
    ]
    return bench
  }

  private func saw(_ frame: Int) -> Double { Double(frame % 300) / 300 - 0.5 }

  @Test(arguments: [0, 1, UInt64.max])
  func `the same seed gives the same bytes`(seed: UInt64) throws {
    let takes = try (0..<2).map { _ in try noisy(seed: seed).play(frames: 1_500, signal: saw) }
    #expect(takes[0] == takes[1], "seed \(seed)")
  }

  @Test(arguments: [(48_000.0, 0.0), (48_000, 150e-6), (48_000, -150e-6), (44_100, 80e-6)])
  func `blocks of any size give the same bytes`(rate: Double, offset: Double) throws {
    var bench = noisy(seed: 5)
    bench.rate = SampleRate(hertz: rate)
    bench.simulation.capture.clockOffset = offset
    let whole = try capture(bench, frames: 2_000, block: 2_000)
    #expect(whole.count == 2_000 * bench.capture.count)
    for block in [1, 7, 64, 333] {
      let parts = try capture(bench, frames: 2_000, block: block)
      let first = zip(whole, parts).enumerated().first { $1.0 != $1.1 }?.offset
      #expect(
        parts.count == whole.count && first == nil, "blocks of \(block): sample \(first ?? 0)")
    }
  }

  /// Everything a take delivers, written and read in blocks of a size.
  private func capture(_ bench: SimulatedFixture, frames: Int, block: Int) throws -> [Float] {
    let rig = try bench.open()
    try rig.drive.start()
    try rig.sensors.start()
    var received: [Float] = []
    for first in stride(from: 0, to: frames, by: block) {
      try send(rig.drive, first..<min(frames, first + block), saw)
      received += try read(rig.sensors, frames: block)
    }
    try rig.drive.stop()
    while case let more = try read(rig.sensors, frames: block), !more.isEmpty { received += more }
    return received
  }

  @Test func `another seed gives other noise`() throws {
    let one = try noisy(seed: 1).play(frames: 500) { _ in 0 }
    let other = try noisy(seed: 2).play(frames: 500) { _ in 0 }
    let same = zip(one.channels[1], other.channels[1]).count { $0 == $1 }
    #expect(same < 5, "\(same) of 500 samples of seeds 1 and 2 are equal")
  }

  @Test func `another take of one rig gives other noise`() throws {
    let rig = try noisy(seed: 1).open()
    let takes = try (0..<2).map { _ in
      try playTake(rig.drive, rig.sensors, frames: 500) { _ in 0 }.channels[1]
    }
    let same = zip(takes[0], takes[1]).count { $0 == $1 }
    #expect(same < 5, "\(same) of 500 samples of two takes are equal")
  }

  @Test func `the channels' noises share nothing`() throws {
    var bench = SimulatedFixture()
    var second = SimulatedFixture.reference
    (second.name, second.input) = ("second", 3)
    bench.capture = [SimulatedFixture.reference, second]
    bench.simulation.capture.noiseVolts = 1
    let heard = try bench.play(frames: 8_000) { _ in 0 }.channels
    let product = zip(heard[0], heard[1]).reduce(0) { $0 + Double($1.0 * $1.1) } / 8_000
    // The standard error of the correlation is 1 / sqrt(8,000) = 0.011.
    #expect(abs(product) < 0.05, "seed 1: correlation \(product)")
  }

  @Test func `a drive of another kind is refused`() throws {
    var description = SimulatedFixture().description
    description.drive.device = .file(FileDescription(stimulus: "a.wav"))
    let error = #expect(throws: DeviceError.self) { try SimulatedRig(description) }
    #expect(error?.code == .refused)
  }
}
