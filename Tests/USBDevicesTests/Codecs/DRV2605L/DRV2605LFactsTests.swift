// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Testing

@testable import USBDevices

struct DRV2605LFactsTests {
  @Test func `the equations of the data sheet give its voltages`() {
    let actuator = DRV2605LActuator(resonance: 175, ratedVoltage: 2, peakVoltage: 2.8)
    // SLOS854: 20.58e-3 * 83 / sqrt(1 - (4 * 300e-6 + 300e-6) * 175) = 1.989 V
    #expect(actuator.ratedVoltageCode == 83)
    #expect(actuator.clampCode == 131)
    // Open loop at 200 Hz: 2.8 V peak is 1.98 V rms; / (21.32e-3 * sqrt(1 - 0.16)) = 101.3
    #expect(actuator.openLoopCode(frequency: 200) == 101)
    #expect(actuator.driveTimeCode == 24)
  }

  @Test func `no code drives more than the actuator bears`() {
    for hertz in stride(from: 60.0, through: 400, by: 7) {
      let actuator = DRV2605LActuator(resonance: hertz, ratedVoltage: 1.8, peakVoltage: 2.7)
      let rated =
        20.58e-3 * Double(actuator.ratedVoltageCode)
        / (1 - (4 * 300e-6 + 300e-6) * hertz).squareRoot()
      #expect(rated <= 1.8, "\(hertz) Hz")
      #expect(21.22e-3 * Double(actuator.clampCode) <= 2.7)
      let open =
        21.32e-3 * Double(actuator.openLoopCode(frequency: hertz))
        * (1 - hertz * 800e-6).squareRoot()
      #expect(open <= 1.8, "\(hertz) Hz")
    }
  }

  @Test(arguments: [
    DRV2605LActuator(resonance: 0, ratedVoltage: 2, peakVoltage: 3),
    DRV2605LActuator(resonance: 175, ratedVoltage: 20, peakVoltage: 3),
    DRV2605LActuator(resonance: 175, ratedVoltage: 2, peakVoltage: 0),
    DRV2605LActuator(resonance: 20, ratedVoltage: 2, peakVoltage: 3),
    DRV2605LActuator(resonance: 900, ratedVoltage: 2, peakVoltage: 3),
  ]) func `an actuator that the registers cannot hold is refused`(actuator: DRV2605LActuator) {
    let error = #expect(throws: CodecError.self) {
      try DRV2605LCommand.initialise(actuator).steps()
    }
    #expect(error?.code == .range)
  }

  @Test func `another chip at the address is told by its number`() {
    // Status register: DRV2605 is 3, DRV2605L is 7 in bits 7:5 (SLOS854, table of register 0x00).
    #expect(throws: CodecError.self) { try DRV2605LStatus(0x60) }
    #expect(throws: Never.self) { try DRV2605LStatus(0xe0) }
  }

  @Test func `the off sequence turns the output off with its first write`() throws {
    var chip = ModelDRV2605L()
    _ = chip.write(0x5a, [0x02, 100])
    _ = chip.write(0x5a, [0x01, 5])
    #expect(chip.isDriving)
    guard case .write(let register, let value) = try #require(try DRV2605LCommand.off.steps().first)
    else {
      Issue.record("the first step writes nothing")
      return
    }
    _ = chip.write(0x5a, [register.rawValue, value])
    #expect(!chip.isDriving)
  }
}
