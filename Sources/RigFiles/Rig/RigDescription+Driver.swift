import Actuators
import Devices
import Units

extension RigDescription {
  /// Refuses a rig that the driver of its USB device cannot be.
  func checkDriver(at drive: YAMLNode, actuators: [YAMLNode]) throws(RigFileError) {
    guard case .usb(let device) = self.drive.device else { return }
    switch device.driver {
    case .board: break
    case .drv2605L: try checkChip(at: drive, actuators: actuators)
    case .dualSense: try checkController(at: drive, actuators: actuators)
    case .switchController(let controller):
      guard controller.joyCon == nil || self.drive.channels == [.haptic: 1] else {
        throw drive.error("a Joy-Con has one actuator: write 'channels: {haptic: 1}'")
      }
      try checkController(at: drive, actuators: actuators)
    }
  }

  /// Refuses what no controller is: one actuator, on the left or on the right, and nothing else.
  private func checkController(
    at drive: YAMLNode, actuators: [YAMLNode]
  ) throws(RigFileError) {
    guard [[.haptic: 1], [.haptic: 2]].contains(self.drive.channels) else {
      throw drive.error(
        "a controller has a left and a right actuator, and no output for sound or a reference: write "
          + "'channels: {haptic: 1}' for the left one, '{haptic: 2}' for the right one")
    }
    guard self.actuators.count == 1 else {
      throw actuators[1].error(
        "a rig drives one actuator of a controller: write one, and another rig file for the other")
    }
  }

  /// Refuses what a DRV2605L cannot be: one LRA, within its limits, on a channel alone.
  private func checkChip(at drive: YAMLNode, actuators: [YAMLNode]) throws(RigFileError) {
    guard self.drive.channels == [.haptic: 1] else {
      throw drive.error(
        "a DRV2605L has one output and no second for sound or a reference: write 'channels: "
          + "{haptic: 1}'")
    }
    guard self.actuators.count == 1, self.actuators[0].kind == .lra else {
      throw actuators[0].error(
        "a DRV2605L is set up for one LRA here: write one actuator of 'kind: lra'")
    }
    let limits = self.actuators[0].limits
    let full = self.drive.fullScaleVolts
    guard full <= limits.peakVolts * (1 + 1e-9),
      full / 2.0.squareRoot() <= limits.continuousVolts * (1 + 1e-9)
    else {
      throw drive.error(
        "'full-scale' is \(EngineeringFormat.text(full, .volt)), and the chip keeps no time of it: it "
          + "must not be above 'peak', nor above 1.414 times 'continuous' of the actuator, so at most "
          + EngineeringFormat.text(
            min(limits.peakVolts, limits.continuousVolts * 2.0.squareRoot()), .volt))
    }
  }
}
