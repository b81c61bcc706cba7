import Devices

/// How a rig drives one actuator of a Switch controller: one band of HD rumble, the other silent.
struct SwitchDrive: Sendable, Hashable {
  /// The high band; else the low one.
  let isHighBand: Bool
  /// Which actuator.
  let side: ControllerSide

  /// Fits a controller to a rig, or says what does not fit.
  init(_ controller: SwitchControllerDescription, of rig: RigDescription) throws(DeviceError) {
    isHighBand = controller.band == .high
    let asked = try ControllerSide(of: rig)
    // A Joy-Con has one actuator, and listens to its own half of a report.
    side = controller.joyCon.map { $0 == .left ? .left : .right } ?? asked
  }

  /// What the band can express.
  var expressible: ExpressibleDrive { .switchController(highBand: isHighBand) }

  /// The report for a tone: the nearest on the grid, never above the safe amplitude.
  func command(_ tone: DriveTone) -> SwitchControllerCommand {
    let neutral = (
      high: SwitchRumble.frequency(code: SwitchRumble.off.highCode),
      low: SwitchRumble.frequency(code: SwitchRumble.off.lowCode)
    )
    let rumble =
      isHighBand
      ? SwitchRumble(
        highHertz: tone.frequency, highAmplitude: tone.amplitude, lowHertz: neutral.low,
        lowAmplitude: 0)
      : SwitchRumble(
        highHertz: neutral.high, highAmplitude: 0, lowHertz: tone.frequency,
        lowAmplitude: tone.amplitude)
    let played = tone.amplitude > 0 ? rumble : .off
    return side == .left
      ? .rumble(left: played, right: .off) : .rumble(left: .off, right: played)
  }
}
