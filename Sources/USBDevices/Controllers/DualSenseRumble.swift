import Devices

/// How a rig drives one coil of a DualSense: a strength of 256 steps, at the frequency that the firmware plays.
struct DualSenseRumble: Sendable, Hashable {
  /// Hertz of what the coil plays, as measured: no maker says it.
  let frequency: Double
  /// The left coil; else the right.
  let isLeft: Bool

  /// Fits a controller to a rig, or says what does not fit.
  init(_ controller: DualSenseDescription, of rig: RigDescription) throws(DeviceError) {
    guard let frequency = controller.rumbleFrequency else {
      throw DeviceError(
        .refused, device: rig.name,
        message:
          "a DualSense drives by rumble or by its sound interface: write 'frequency', what its "
          + "coil plays in rumble mode, or 'device: alsa' and 'haptics: dualsense' in the drive")
    }
    self.frequency = frequency
    isLeft = try ControllerSide(of: rig) == .left
  }

  /// What the coil can express.
  var expressible: ExpressibleDrive {
    .dualSenseRumble(frequency: frequency)
  }

  /// The report for a share of the highest strength.
  func command(_ share: Double, isLater: Bool) -> DualSenseCommand {
    let strength = UInt8(min(255, max(0, (share * 255).rounded())))
    let (left, right) = isLeft ? (strength, 0) : (0, strength)
    return isLater ? .rumble2(left: left, right: right) : .rumble(left: left, right: right)
  }
}

/// Which actuator of a controller a rig drives: the drive's channel 1 or 2.
enum ControllerSide: Sendable, Hashable {
  case left
  case right

  init(of rig: RigDescription) throws(DeviceError) {
    switch rig.drive.channels {
    case [.haptic: 1]: self = .left
    case [.haptic: 2]: self = .right
    default:
      throw DeviceError(
        .refused, device: rig.name,
        message: "a controller has a left and a right actuator and nothing else: write 'channels: "
          + "{haptic: 1}' or '{haptic: 2}'")
    }
  }
}
