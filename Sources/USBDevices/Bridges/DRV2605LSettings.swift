import Actuators
import DeviceStreams
import Devices

/// What a rig makes of a DRV2605L: its registers, and how many steps of amplitude a drive of 1 is.
struct DRV2605LSettings: Sendable, Hashable {
  /// Open loop at a frequency: both registers.
  struct OpenLoop: Sendable, Hashable {
    let period: UInt8
    let clamp: UInt8
  }

  /// The actuator with the voltages that the registers are made of.
  let actuator: DRV2605LActuator
  /// `nil` for closed loop.
  let openLoop: OpenLoop?
  /// Where the constants of the closed loop are from.
  let calibration: DRV2605LDescription.Calibration
  /// Steps of amplitude of a drive of 1; beyond 127 it is cut off.
  let steps: Double
  /// What the chip can express.
  let expressible: ExpressibleDrive

  /// Fits a chip to a rig, or says what does not fit.
  ///
  /// A drive of 1 is the rig file's full scale, at the peak of a tone. So full amplitude is that over
  /// sqrt(2), rms, in either loop; the clamp is the actuator's peak. Registers are rounded down, and
  /// `steps` makes up for that as far as 127 goes.
  init(_ chip: DRV2605LDescription, of rig: RigDescription) throws(DeviceError) {
    let rated = rig.drive.fullScaleVolts / 2.squareRoot()
    let peak = rig.actuators[0].limits.peakVolts
    let actuator = DRV2605LActuator(
      resonance: chip.resonance, ratedVoltage: rated, peakVoltage: peak)
    let full: Double
    do throws(CodecError) {
      try actuator.check()
      if let hertz = chip.openLoopFrequency {
        let code = Int((1 / (hertz * DRV2605LFacts.periodStep)).rounded())
        guard DRV2605LFacts.periodRange.contains(code) else {
          throw CodecError(
            .range, packet: "DRV2605L open loop", offset: 0,
            problem: "\(hertz) Hz needs a period of \(code) steps where 1 to 127 are possible")
        }
        let made = 1 / (Double(code) * DRV2605LFacts.periodStep)
        let clamp = actuator.openLoopCode(frequency: made)
        guard (1...255).contains(clamp) else {
          throw CodecError(
            .range, packet: "DRV2605L open loop", offset: 0,
            problem:
              "\(rated) V rms at \(made) Hz need the clamp \(clamp) where 1 to 255 are possible")
        }
        full = actuator.openLoopVolts(code: clamp, frequency: made)
        openLoop = OpenLoop(period: UInt8(code), clamp: UInt8(clamp))
        expressible = .drv2605LClosedLoop(resonance: made, updateInterval: chip.updateInterval)
      } else {
        full = actuator.ratedVolts(code: actuator.ratedVoltageCode)
        openLoop = nil
        expressible = .drv2605LClosedLoop(
          resonance: chip.resonance, updateInterval: chip.updateInterval)
      }
    } catch {
      throw DeviceError(
        .refused, device: rig.name,
        message: "the DRV2605L cannot be set up as the rig file asks (\(error)): correct "
          + "'resonance', 'open-loop', 'full-scale' or 'limits'")
    }
    self.actuator = actuator
    calibration = chip.calibration
    steps = Double(DRV2605LFacts.amplitudeSteps) * rated / full
  }

  /// The amplitude register's value for a share of full scale.
  func amplitude(_ share: Double) -> UInt8 {
    UInt8(min(Double(DRV2605LFacts.amplitudeSteps), max(0, (share * steps).rounded())))
  }
}
