// SPDX-License-Identifier: Apache-2.0

import DeviceConformance
import Devices
import Testing
import Units
import VirtualDevices

/// The simulated rig against the contract of the ports, on both clocks.
struct SimulatedConformanceTests {
  private static let traits: DeviceConformance.Traits = [.repeatable, .loopedBack]

  private static func bench(_ clock: SimulationDescription.Clock) -> SimulatedFixture {
    var bench = SimulatedFixture()
    bench.simulation.clock = clock
    bench.simulation.drive = .init(latency: 2.1e-3, clockOffset: 20e-6, noiseVolts: 1e-3)
    bench.simulation.capture = .init(latency: 1.3e-3, jitter: 1e-5, noiseVolts: 1e-3)
    bench.capture = [
      SimulatedFixture.acceleration, SimulatedFixture.reference, SimulatedFixture.audio,
    ]
    return bench
  }

  @Test(arguments: DeviceConformance.checks(traits))
  func `in virtual time it keeps the contract`(check: DeviceConformance.Check) throws {
    try DeviceConformance(Self.traits, delay: 250, quiet: 0.01) {
      let rig = try Self.bench(.virtual).open()
      return DevicePair(output: rig.drive, input: rig.sensors)
    }.run(check)
  }

  @Test(arguments: DeviceConformance.checks(traits))
  func `in real time it keeps the contract`(check: DeviceConformance.Check) throws {
    try DeviceConformance(Self.traits, delay: 250, quiet: 0.01) {
      let rig = try SimulatedRig(Self.bench(.real).description, clock: ManualClock())
      return DevicePair(output: rig.drive, input: rig.sensors)
    }.run(check)
  }
}
