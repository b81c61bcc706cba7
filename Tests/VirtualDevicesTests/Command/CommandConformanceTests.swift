// SPDX-License-Identifier: Apache-2.0

import DeviceConformance
import Devices
import Testing
import VirtualDevices

/// A program as the rig against the contract of the ports.
struct CommandConformanceTests {
  private static let traits: DeviceConformance.Traits = [.repeatable, .loopedBack]

  @Test(arguments: DeviceConformance.checks(traits))
  func `it keeps the contract`(check: DeviceConformance.Check) throws {
    let bench = try CommandFixture(python: CommandFixture.echo)
    try DeviceConformance(Self.traits) {
      let rig = try bench.open()
      return DevicePair(output: rig.drive, input: rig.sensors)
    }.run(check)
  }
}
