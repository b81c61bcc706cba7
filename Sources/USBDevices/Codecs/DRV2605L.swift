// SPDX-License-Identifier: Apache-2.0

public import DeviceStreams
import Glibc

/// Texas Instruments DRV2605L, a driver of LRAs and ERMs on I2C; data sheet SLOS854.
package enum DRV2605LFacts {
  /// The address on the bus; it has only this one.
  package static let address: UInt8 = 0x5a
  package static let deviceID: UInt8 = 7
  /// Bytes are not heard for so long after the supply or the enable pin came up, in seconds.
  package static let wakeTime = 250e-6
  /// A step of both period registers in seconds.
  package static let periodStep = 98.46e-6
  /// Steps of the period that an LRA is driven with in open loop.
  package static let periodRange = 1...127
  /// Steps of the amplitude: signed playback values 0 to 127.
  package static let amplitudeSteps = 127
  /// A step of the battery register in volts.
  package static let batteryStep = 5.6 / 255
}

/// The registers of a DRV2605L that are used here.
public enum DRV2605LRegister: UInt8, Sendable, Hashable, CaseIterable {
  /// Device number (7:5), diagnostic result (3), over-temperature (1), over-current (0).
  case status = 0x00
  /// Reset (7), standby (6), mode (2:0).
  case mode = 0x01
  case realTimePlayback = 0x02
  /// High impedance (4), library (2:0).
  case library = 0x03
  /// Starts a calibration or diagnosis; reads 1 until it is over.
  case go = 0x0c
  /// The level that closed loop drives full scale to.
  case ratedVoltage = 0x16
  /// The highest voltage, and the level of open loop.
  case overdriveClamp = 0x17
  /// Result of the calibration: compensation of resistive losses.
  case calibrationCompensation = 0x18
  /// Result of the calibration: back-EMF.
  case calibrationBackEMF = 0x19
  /// LRA (7), brake factor (6:4), loop gain (3:2), back-EMF gain (1:0).
  case feedback = 0x1a
  /// Startup boost (7), coupling (5), drive time (4:0).
  case control1 = 0x1b
  /// Bidirectional input (7), brake stabiliser (6), sample (5:4), blanking (3:2), dissipation time (1:0).
  case control2 = 0x1c
  /// Noise gate (7:6), ERM open loop (5), supply compensation off (4), unsigned playback (3), drive mode (2), analog
  /// input (1), LRA open loop (0).
  case control3 = 0x1d
  /// Zero-crossing detection (7:6), calibration time (5:4), programmed (2), program (0).
  case control4 = 0x1e
  /// Automatic open loop (5), playback interval (4), upper bits of blanking and dissipation (3:0).
  case control5 = 0x1f
  /// The period of open loop, 98.46 us a step.
  case openLoopPeriod = 0x20
  /// The supply, 5.6 V / 255 a step.
  case battery = 0x21
  /// The period that closed loop found, 98.46 us a step.
  case resonancePeriod = 0x22
}

package enum DRV2605LMode: UInt8, Sendable, Hashable {
  case realTimePlayback = 5
  case diagnostics = 6
  case autoCalibration = 7
  /// The output is off, registers keep their values.
  case standby = 0x40
}

/// What an LRA on a DRV2605L is, and its registers by the data sheet's equations.
public struct DRV2605LActuator: Sendable, Hashable {
  package var resonance: Double
  package var ratedVoltage: Double
  package var peakVoltage: Double

  /// Seconds of the back-EMF's sampling that `control2` is left at.
  static let sampleTime = 300e-6

  /// Register 0x16: rms = 20.58 mV * register / sqrt(1 - (4 * sample time + 300 us) * f).
  package var ratedVoltageCode: Int {
    let share = 1 - (4 * Self.sampleTime + 300e-6) * resonance
    return Int((ratedVoltage * max(0, share).squareRoot() / 20.58e-3).rounded(.down))
  }

  /// Register 0x17 in closed loop: peak = 21.22 mV * register.
  package var clampCode: Int { Int((peakVoltage / 21.22e-3).rounded(.down)) }

  /// Register 0x17 in open loop at a frequency: rms = 21.32 mV * register * sqrt(1 - f * 800 us).
  package func openLoopCode(frequency: Double) -> Int {
    let rms = min(ratedVoltage, peakVoltage / 2.squareRoot())
    let share = max(1e-9, 1 - frequency * 800e-6)
    return min(clampCode, Int((rms / (21.32e-3 * share.squareRoot())).rounded(.down)))
  }

  /// The rms voltage that full amplitude has in closed loop with a code of register 0x16.
  package func ratedVolts(code: Int) -> Double {
    20.58e-3 * Double(code) / max(1e-9, 1 - (4 * Self.sampleTime + 300e-6) * resonance).squareRoot()
  }

  /// The rms voltage that full amplitude has in open loop with a code of register 0x17.
  package func openLoopVolts(code: Int, frequency: Double) -> Double {
    21.32e-3 * Double(code) * max(0, 1 - frequency * 800e-6).squareRoot()
  }

  /// Register 0x1b's drive time: half a period, 0.5 ms + 0.1 ms * code.
  package var driveTimeCode: Int { Int(((0.5e3 / resonance - 0.5) / 0.1).rounded()) }

  /// Throws `range` where a register cannot hold what the actuator needs.
  package func check() throws(CodecError) {
    let parts: [(String, Int, ClosedRange<Int>)] = [
      ("rated voltage", resonance > 0 ? ratedVoltageCode : 0, 1...255),
      ("peak voltage", clampCode, 1...255),
      ("drive time", resonance > 0 ? driveTimeCode : -1, 0...31),
    ]
    for (name, code, range) in parts where !range.contains(code) {
      throw CodecError(
        .range, packet: "DRV2605L actuator", offset: 0,
        problem: "\(name) needs the code \(code) where \(range) is possible, at \(resonance) Hz, "
          + "\(ratedVoltage) V rms and \(peakVoltage) V peak")
    }
  }
}

/// The status register of a DRV2605L.
public struct DRV2605LStatus: Sendable, Hashable {
  /// The register as read.
  public let rawValue: UInt8

  /// Takes the register; throws `unknown` where another chip answers.
  public init(_ rawValue: UInt8) throws(CodecError) {
    guard rawValue >> 5 == DRV2605LFacts.deviceID else {
      throw CodecError(
        .unknown, packet: "DRV2605L status", offset: 0,
        problem:
          "device number \(rawValue >> 5) where a DRV2605L has 7 (3 is a DRV2605, 4 a DRV2604, 6 "
          + "a DRV2604L)")
    }
    self.rawValue = rawValue
  }

  /// The last calibration or diagnosis failed: no actuator, or one out of range.
  package var diagnosisFailed: Bool { rawValue & 0x08 != 0 }
}

/// The constants that a calibration found.
public struct DRV2605LCalibration: Sendable, Hashable {
  /// Compensation of resistive losses: 1 + code / 255.
  package var compensation: UInt8
  /// Back-EMF: (code / 255) * 1.22 V / gain.
  package var backEMF: UInt8
  /// The back-EMF's gain: 0 to 3 for an LRA's 3.75, 7.5, 15 and 22.5.
  package var gain: UInt8
}

/// What the steps of a command read.
public struct DRV2605LOutcome: Sendable, Hashable {
  package var registers: [DRV2605LRegister: UInt8] = [:]

  package func status() throws(CodecError) -> DRV2605LStatus? {
    guard let value = registers[.status] else { return nil }
    return try DRV2605LStatus(value)
  }

  /// What a calibration found; `nil` after another command, throws `refused` where it failed.
  package func calibration() throws(CodecError) -> DRV2605LCalibration? {
    guard let compensation = registers[.calibrationCompensation],
      let backEMF = registers[.calibrationBackEMF], let feedback = registers[.feedback]
    else { return nil }
    guard try status()?.diagnosisFailed != true else {
      throw CodecError(
        .refused, packet: "DRV2605L status", offset: 0,
        problem:
          "the calibration did not converge: check the actuator's wires, its resonance and its "
          + "rated voltage")
    }
    return DRV2605LCalibration(compensation: compensation, backEMF: backEMF, gain: feedback & 3)
  }

  /// The resonance in hertz that closed loop follows; `nil` where it was not read, or nothing was driven.
  package var resonance: Double? {
    guard let code = registers[.resonancePeriod], code > 0 else { return nil }
    return 1 / (Double(code) * DRV2605LFacts.periodStep)
  }

  /// The supply in volts.
  ///
  /// `nil` where it was not read; valid while the output drives.
  package var battery: Double? {
    registers[.battery].map { Double($0) * DRV2605LFacts.batteryStep }
  }
}
