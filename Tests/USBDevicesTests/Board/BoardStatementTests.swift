// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing

@testable import USBDevices

/// What a board says of itself: its full scale is held against the rig file's, its delays are shown.
struct BoardStatementTests {
  /// The rig file of the bench has 4 V.
  private func open(
    microvolts: UInt32, halves: TakeHalves = [.drive, .sensors]
  ) throws -> USBRig {
    var identity = BoardFixture.identity
    identity.fullScaleMicrovolts = microvolts
    identity.driveDelay = 20_000
    identity.sensorDelay = 300_000
    return try BoardFixture(identity: identity, halves: halves).rig
  }

  @Test(arguments: [40_000_000, 400_000, 4_300_000, 3_700_000] as [UInt32])
  func `a rig file of another full scale is refused with both`(microvolts: UInt32) throws {
    let error = #expect(throws: DeviceError.self) { try open(microvolts: microvolts) }
    let volts = Double(microvolts) * 1e-6
    #expect(error?.code == .refused)
    #expect(
      error?.message.contains(
        "a drive of 1 is \(volts) V, and the rig file's 'full-scale' is 4.0 V: write "
          + "'full-scale: \(volts) V'") == true, "\(error?.message ?? "nothing")")
  }

  @Test func `a board that only feels has no full scale to differ`() throws {
    let rig = try open(microvolts: 40_000_000, halves: .sensors)
    #expect(
      rig.statistics()?.statements
        == [.init(device: "BOARD-1", sensorDelay: 300_000 * 1e-9, sensorRate: 8000)])
  }

  @Test func `a full scale that was measured is taken, and the record has the board's too`() throws
  {
    let rig = try open(microvolts: 4_150_000)
    #expect(
      rig.statistics()?.statements == [
        .init(
          device: "BOARD-1", fullScaleVolts: 4_150_000 * 1e-6, driveDelay: 20_000 * 1e-9,
          sensorDelay: 300_000 * 1e-9, sensorRate: 8000)
      ])
  }

  @Test
  func
    `a board that does not know its full scale leaves it to the rig file, and the record says so`()
    throws
  {
    let statement = try #require(try open(microvolts: 0).statistics()?.statements.first)
    #expect(statement.fullScaleVolts == 4)
    #expect(!statement.knowsFullScale)
  }
}
