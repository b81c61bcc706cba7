public import DeviceStreams

/// A step of what a DRV2605L is to do.
public enum DRV2605LStep: Sendable, Hashable {
  /// Writes a register.
  case write(DRV2605LRegister, UInt8)
  /// Reads a register into the outcome.
  case read(DRV2605LRegister)
  /// Lets so many seconds pass.
  case wait(Double)
  /// Reads a register until `value & mask == wanted`, each time after a wait.
  case until(DRV2605LRegister, mask: UInt8, wanted: UInt8, every: Double, attempts: Int)
}

/// What a DRV2605L is told, as the steps on its registers.
public enum DRV2605LCommand: Sendable, Hashable {
  /// Out of reset into standby, set up for an LRA in closed loop; reads the status back.
  case initialise(DRV2605LActuator)
  /// Finds the constants of the closed loop; takes up to 1.2 s and drives the actuator.
  case calibrate
  /// Puts stored constants back: compensation, back-EMF and the gain's two bits.
  case restore(DRV2605LCalibration)
  /// Closed loop at the actuator's resonance: amplitude register in charge, at zero.
  case startClosedLoop
  /// Open loop at a period of so many steps of 98.46 us: amplitude register in charge, at zero.
  case startOpenLoop(periodCode: UInt8, clampCode: UInt8)
  /// Sets the amplitude, 0 to 127; while started.
  case amplitude(UInt8)
  /// Reads the period that closed loop follows; while it drives.
  case readResonance
  /// Drives a test and says whether an actuator is there; takes some hundred milliseconds.
  case diagnose
  /// Output off, then everything at rest; the first step alone turns it off.
  case off

  /// The steps in their order.
  ///
  /// - Throws: `range` where a value does not fit its register.
  public func steps() throws(CodecError) -> [DRV2605LStep] {
    switch self {
    case .initialise(let actuator):
      try actuator.check()
      return [
        .write(.mode, 0x80),
        .until(.mode, mask: 0x80, wanted: 0, every: 1e-3, attempts: 10),
        .write(.mode, DRV2605LMode.standby.rawValue),
        .write(.realTimePlayback, 0),
        .write(.library, 6),
        .write(.ratedVoltage, UInt8(actuator.ratedVoltageCode)),
        .write(.overdriveClamp, UInt8(actuator.clampCode)),
        .write(.feedback, 0xb6),
        .write(.control1, 0x80 | UInt8(actuator.driveTimeCode)),
        .write(.control2, 0xf5),
        .write(.control3, 0xa0),
        .write(.control4, 0x30),
        .write(.control5, 0x80),
        .read(.status),
      ]
    case .calibrate:
      return [
        .write(.mode, DRV2605LMode.autoCalibration.rawValue), .wait(DRV2605LFacts.wakeTime),
        .write(.go, 1), .until(.go, mask: 1, wanted: 0, every: 20e-3, attempts: 90),
        .read(.status), .read(.calibrationCompensation), .read(.calibrationBackEMF),
        .read(.feedback),
        .write(.mode, DRV2605LMode.standby.rawValue),
      ]
    case .restore(let calibration):
      return [
        .write(.calibrationCompensation, calibration.compensation),
        .write(.calibrationBackEMF, calibration.backEMF),
        .write(.feedback, 0xb4 | calibration.gain & 3),
      ]
    case .startClosedLoop:
      return [
        .write(.realTimePlayback, 0), .write(.control3, 0xa0),
        .write(.mode, DRV2605LMode.realTimePlayback.rawValue), .wait(DRV2605LFacts.wakeTime),
      ]
    case .startOpenLoop(let period, let clamp):
      guard DRV2605LFacts.periodRange.contains(Int(period)), clamp > 0 else {
        throw CodecError(
          .range, packet: "DRV2605L open loop", offset: 0x20,
          problem: "period \(period) and clamp \(clamp): 1 to 127 steps of 98.46 us, 1 to 255")
      }
      return [
        .write(.realTimePlayback, 0), .write(.overdriveClamp, clamp),
        .write(.openLoopPeriod, period), .write(.control3, 0xa1),
        .write(.mode, DRV2605LMode.realTimePlayback.rawValue), .wait(DRV2605LFacts.wakeTime),
      ]
    case .amplitude(let amplitude):
      guard amplitude <= DRV2605LFacts.amplitudeSteps else {
        throw CodecError(
          .range, packet: "DRV2605L amplitude", offset: 0x02,
          problem: "amplitude \(amplitude) where 0 to 127 drive forward")
      }
      return [.write(.realTimePlayback, amplitude)]
    case .readResonance: return [.read(.resonancePeriod), .read(.battery)]
    case .diagnose:
      return [
        .write(.mode, DRV2605LMode.diagnostics.rawValue), .wait(DRV2605LFacts.wakeTime),
        .write(.go, 1), .until(.go, mask: 1, wanted: 0, every: 10e-3, attempts: 100),
        .read(.status), .write(.mode, DRV2605LMode.standby.rawValue),
      ]
    case .off:
      return [
        .write(.mode, DRV2605LMode.standby.rawValue), .write(.realTimePlayback, 0), .write(.go, 0),
      ]
    }
  }
}
