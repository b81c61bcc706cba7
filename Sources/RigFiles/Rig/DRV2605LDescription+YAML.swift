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
