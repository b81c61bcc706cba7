import Devices
import Units

/// What a drive has of a DRV2605L, as its map's nodes.
struct DRV2605LNodes {
  var bridge: YAMLNode
  var resonance: YAMLNode
  var openLoop: YAMLNode?
  var calibration: YAMLNode?
  var update: YAMLNode?
}

extension DRV2605LDescription {
  /// Reads the part of a drive that is the chip's.
  init(_ nodes: DRV2605LNodes) throws(RigFileError) {
    if let calibration = nodes.calibration, nodes.openLoop != nil {
      throw calibration.error(
        "'calibration' is of the closed loop, and 'open-loop' is asked for: keep one of the two")
    }
    self.init(
      bridge: try nodes.bridge.choice(Bridge.self, "a USB-I2C bridge"),
      resonance: try nodes.resonance.quantity(.frequency, .from(50, upTo: 500)),
      openLoopFrequency: try nodes.openLoop?.quantity(.frequency, .from(80, upTo: 500)),
      calibration: try nodes.calibration.map { node throws(RigFileError) in
        try Calibration(node)
      } ?? .none,
      updateInterval: try nodes.update?.quantity(.time, .from(1e-3, upTo: 0.05)))
  }
}

extension DRV2605LDescription.Calibration {
  private enum Key: String, FileKey {
    case compensation
    case backEMF = "back-emf"
    case gain
  }

  private static let automaticWord = "auto"

  /// Reads `auto`, or the constants of an earlier calibration.
  init(_ node: YAMLNode) throws(RigFileError) {
    guard case .map = node.content else {
      guard try node.text() == Self.automaticWord else {
        throw node.error(
          "\(try node.text().quoted) is no calibration: write 'auto', or the constants of an earlier "
            + "one, such as '{compensation: 13, back-emf: 128, gain: 2}'")
      }
      self = .automatic
      return
    }
    let map = try MapReader<Key>(node, "the calibration of a DRV2605L")
    self = .constants(
      compensation: try map.require(.compensation, example: "13").integer(0...255),
      backEMF: try map.require(.backEMF, example: "128").integer(0...255),
      gain: try map.require(.gain, example: "2").integer(0...3))
  }
}

extension RigDescription {
  /// Refuses a rig that a DRV2605L cannot be: one LRA, within its limits, on a channel alone.
  func checkDriver(at drive: YAMLNode, actuators: [YAMLNode]) throws(RigFileError) {
    guard case .usb(let device) = self.drive.device, case .drv2605L = device.driver else { return }
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
