public import DeviceStreams

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
  public var diagnosisFailed: Bool { rawValue & 0x08 != 0 }
  /// The chip is too hot, and its output off.
  public var isTooHot: Bool { rawValue & 0x02 != 0 }
  /// The output was short.
  public var isOverCurrent: Bool { rawValue & 0x01 != 0 }
}

/// The constants that a calibration found.
public struct DRV2605LCalibration: Sendable, Hashable {
  /// Compensation of resistive losses: 1 + code / 255.
  public var compensation: UInt8
  /// Back-EMF: (code / 255) * 1.22 V / gain.
  public var backEMF: UInt8
  /// The back-EMF's gain: 0 to 3 for an LRA's 3.75, 7.5, 15 and 22.5.
  public var gain: UInt8

  /// Makes constants, as from a store.
  public init(compensation: UInt8, backEMF: UInt8, gain: UInt8) {
    self.compensation = compensation
    self.backEMF = backEMF
    self.gain = gain
  }

  /// The back-EMF at rated drive in volts.
  public var backEMFVolts: Double {
    Double(backEMF) / 255 * 1.22 / [3.75, 7.5, 15, 22.5][Int(gain & 3)]
  }
}

/// What the steps of a command read.
public struct DRV2605LOutcome: Sendable, Hashable {
  /// The registers as last read.
  public var registers: [DRV2605LRegister: UInt8]

  /// Makes an outcome.
  public init(registers: [DRV2605LRegister: UInt8] = [:]) { self.registers = registers }

  /// The status; `nil` where the command reads none.
  public func status() throws(CodecError) -> DRV2605LStatus? {
    guard let value = registers[.status] else { return nil }
    return try DRV2605LStatus(value)
  }

  /// What a calibration found; `nil` after another command, throws `refused` where it failed.
  public func calibration() throws(CodecError) -> DRV2605LCalibration? {
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
  public var resonance: Double? {
    guard let code = registers[.resonancePeriod], code > 0 else { return nil }
    return 1 / (Double(code) * DRV2605LFacts.periodStep)
  }

  /// The supply in volts.
  ///
  /// `nil` where it was not read; valid while the output drives.
  public var battery: Double? {
    registers[.battery].map { Double($0) * DRV2605LFacts.batteryStep }
  }
}
