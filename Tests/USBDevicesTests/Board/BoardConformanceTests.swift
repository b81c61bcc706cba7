// SPDX-License-Identifier: Apache-2.0

import DeviceConformance
import Testing

@testable import USBDevices

struct BoardConformanceTests {
  @Test(arguments: DeviceConformance.checks([.repeatable, .loopedBack]))
  func `a board keeps the contract of the ports`(check: DeviceConformance.Check) throws {
    // What is on the way: eight periods in the queue, three quarters of the board's buffer.
    try DeviceConformance([.repeatable, .loopedBack], delay: 1536, quiet: 1e-4) {
      let bench = try BoardFixture()
      return DevicePair(
        output: try #require(bench.rig.drive), input: try #require(bench.rig.sensors))
    }.run(check)
  }
}
