import Devices

/// The samples that a breakout writes to a serial port.
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
