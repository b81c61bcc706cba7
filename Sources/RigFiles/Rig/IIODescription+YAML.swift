import Devices
import Units

/// What a capture has of an accelerometer of the kernel, as its map's nodes.
struct IIONodes {
  var sensor: YAMLNode
  var trigger: YAMLNode?
  var samplingFrequency: YAMLNode?
  var sampleRate: YAMLNode?
  var timeout: YAMLNode?
}

extension IIODescription {
  /// Reads an accelerometer's part of a capture.
  init(_ nodes: IIONodes) throws(RigFileError) {
    self.init(
      sensor: try Self.name(nodes.sensor), trigger: try nodes.trigger.map(Self.name),
      samplingFrequency: try nodes.samplingFrequency?.bareFrequency(.from(50, upTo: 100_000)),
      sampleRate: try nodes.sampleRate?.bareFrequency(.from(50, upTo: 100_000)),
      timeout: try nodes.timeout?.quantity(.time, .from(0.05, upTo: 60)) ?? 1)
  }

  /// A name as sysfs has it, which is one line; a path would be another thing.
  private static func name(_ node: YAMLNode) throws(RigFileError) -> String {
    let text = try node.text()
    guard !text.contains("/"), !text.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
      throw node.error(
        "\(text.quoted) is no name of a sensor or a trigger: write it as 'haprig devices' or sysfs' "
          + "'name' has it, such as 'adxl355', or 'iio:device0'")
    }
    return text
  }
}
