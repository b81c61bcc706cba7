// SPDX-License-Identifier: Apache-2.0

import Devices
import SeededRandom
import Testing

@testable import USBDevices

struct ExpressibleDeviceTests {
  @Test(arguments: 0..<50) func `no tone of a Switch is lost by more than half a step`(seed: UInt64)
  {
    var random = SeededRandom(seed: seed)
    let drive = ExpressibleDrive.switchController(highBand: random.chance(0.5))
    let intent = (0..<100).map { _ in
      DriveTone(frequency: random.uniform(90...600), amplitude: random.uniform(0.25...1))
    }
    // At the updates' own pace nothing is held.
    let loss = QuantisedIntent(intent, step: drive.updateInterval, by: drive).loss
    #expect(loss.frequency <= 1.0 / 64 + 1e-12, "\(random)")
    // 1/32 octave of amplitude is 0.188 dB, half of it 0.094 dB.
    #expect(loss.level <= 0.0951, "\(random)")
    #expect(loss.silenced == 0, "\(random)")
  }

  @Test func `a DRV2605L in open loop has whole periods alone`() throws {
    let drive = try #require(
      ExpressibleDrive.drv2605LOpenLoop(range: 150...250, updateInterval: 0.004))
    guard case .grid(let grid) = drive.frequencies else {
      Issue.record("no grid")
      return
    }
    // 1 / (150 Hz * 98.46 us) = 67.7 and 1 / (250 Hz * 98.46 us) = 40.6: 41 to 67.
    #expect(grid.count == 27)
    #expect(drive.amplitudes.count == 128)
    #expect(ExpressibleDrive.drv2605LOpenLoop(range: 20...30, updateInterval: 0.004) == nil)
  }

  @Test func `rumble of a DualSense has one frequency and 256 strengths`() {
    let drive = ExpressibleDrive.dualSenseRumble(frequency: 65)
    #expect(drive.amplitudes.count == 256 && drive.amplitudes.last == 1)
    let intent = [DriveTone(frequency: 130, amplitude: 0.5)]
    let loss = QuantisedIntent(intent, step: 0.008, by: drive).loss
    #expect(loss.frequency == 1)
    // Half a step of 1/255 at a half is 0.034 dB.
    #expect(loss.level < 0.035)
  }

  @Test func `a tracked resonance loses every other frequency`() {
    let drive = ExpressibleDrive.drv2605LClosedLoop(resonance: 175, updateInterval: 0.004)
    let intent = [DriveTone(frequency: 350, amplitude: 1)]
    #expect(QuantisedIntent(intent, step: 0.001, by: drive).loss.frequency == 1)
  }
}
