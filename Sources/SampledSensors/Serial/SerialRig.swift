package import Devices
import Units

package struct SerialRig: Sendable {
  package let sensors: SampledSensors

  /// Opens the port that a rig's capture names, and waits for a first sample: opening a port starts many
  /// breakouts anew.
  package init(
    _ rig: RigDescription, files: SystemFiles = SystemFiles()
  ) throws(DeviceError) {
    guard let serial = rig.capture.serial else {
      throw rig.error(
        .refused, "the capture is of kind \(rig.capture.kind.rawValue), not serial")
    }
    let fields = serial.content.fields
    // Axes stand in a sample in the order of the stream, inputs count x, y, z.
    let order = fields.compactMap { if case .axis(let axis) = $0 { axis } else { nil } }
    var axes: [Int] = []
    for channel in rig.capture.channels {
      guard let place = order.firstIndex(of: channel.input - 1) else {
        throw rig.error(
          .refused,
          "the stream of '\(serial.path)' has no axis for input \(channel.input) of channel "
            + "'\(channel.name)': inputs 1, 2, 3 are x, y, z of 'columns' or 'packets'")
      }
      axes.append(place)
    }
    let port = try SerialPort(serial, rig: rig.name, files: files)
    let setup = SampledSetup(
      rig: rig.name, sensor: "'\(serial.path)'", sampleRate: serial.sampleRate,
      frameRate: rig.drive.rate, fields: fields, axes: axes,
      scales: rig.capture.channels.map { 1 / ($0.sensor?.sensitivity ?? 1) },
      timeout: serial.timeout)
    let source = SerialSource(port, content: serial.content)
    try setup.awaitSample(of: source)
    sensors = SampledSensors(
      source, setup: setup, channels: rig.capture.channels.map(\.port),
      periodFrames: rig.drive.periodFrames)
  }
}

final class SerialSource: SampleSource {
  private enum Reader: Sendable {
    case lines(TextStream)
    case packets(BinaryStream)

    init(_ content: SerialDescription.Content) {
      self =
        switch content {
        case .lines(let fields, let scale): .lines(TextStream(columns: fields, scale: scale))
        case .packets(let format): .packets(BinaryStream(format))
        }
    }

    mutating func append(_ bytes: [UInt8]) -> [SensorEvent] {
      switch self {
      case .lines(var stream):
        defer { self = .lines(stream) }
        return stream.append(bytes)
      case .packets(var stream):
        defer { self = .packets(stream) }
        return stream.append(bytes)
      }
    }
  }

  private let port: SerialPort
  private let content: SerialDescription.Content
  private let reader: Guarded<Reader>

  init(_ port: SerialPort, content: SerialDescription.Content) {
    self.port = port
    self.content = content
    reader = Guarded(Reader(content))
  }

  func restart() {
    port.flush()
    reader.withLock { $0 = Reader(content) }
  }

  func read(milliseconds: Int32) throws(DeviceError) -> [SensorEvent] {
    let bytes = try port.read(milliseconds: milliseconds)
    return reader.withLock { $0.append(bytes) }
  }
}

extension SystemFiles {
  /// The serial ports of USB devices, by the names that stay where udev gives them, else by the kernel's.
  package func serialPorts() -> [String] {
    let lasting = names("/dev/serial/by-id").map { "/dev/serial/by-id/\($0)" }
    let named = Set(lasting.compactMap(resolved))
    let plain = names("/dev").filter { $0.hasPrefix("ttyACM") || $0.hasPrefix("ttyUSB") }
      .map { "/dev/\($0)" }
    return lasting + plain.filter { !named.contains($0) }
  }
}
