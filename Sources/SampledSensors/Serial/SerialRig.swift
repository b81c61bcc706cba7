// SPDX-License-Identifier: Apache-2.0

package import Devices
import Glibc
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

/// A serial port of the kernel, open in raw mode; what was set is restored when the last holder is gone.
///
/// USB-CDC breakouts are `/dev/ttyACM*`, those with a bridge `/dev/ttyUSB*`.
final class SerialPort: Sendable {
  let path: String
  private let rig: String
  private let descriptor: Int32
  private let before: termios

  init(_ description: SerialDescription, rig: String, files: SystemFiles) throws(DeviceError) {
    let path = description.path
    let descriptor = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.refusal(errno, path, rig, files) }
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else {
      close(descriptor)
      throw DeviceError(
        .refused, device: rig,
        message: "'\(path)' is no serial port: write the breakout's as 'path'\(Self.ports(files))")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw Self.refusal(EBUSY, path, rig, files)
    }
    before = settings
    cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    guard let speed = Self.speeds[description.baud], cfsetspeed(&settings, speed) == 0,
      tcsetattr(descriptor, TCSANOW, &settings) == 0
    else {
      Self.release(descriptor)
      throw DeviceError(
        .refused, device: rig,
        message: "'\(path)' does not take \(description.baud) bits a second: write another 'baud'")
    }
    self.path = path
    self.rig = rig
    self.descriptor = descriptor
  }

  deinit {
    var before = before
    tcsetattr(descriptor, TCSANOW, &before)
    Self.release(descriptor)
  }

  func flush() { tcflush(descriptor, TCIFLUSH) }

  func read(milliseconds: Int32) throws(DeviceError) -> [UInt8] {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let ready = poll(&waiting, 1, milliseconds)
    guard ready > 0 else { return [] }
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = max(0, Glibc.read(descriptor, buffer.baseAddress, 4096))
    }
    guard bytes.isEmpty else { return bytes }
    let gone = POLLHUP | POLLERR | POLLNVAL
    guard waiting.revents & Int16(gone) == 0 else {
      throw DeviceError(
        .unplugged, device: rig, message: "'\(path)' was unplugged: plug it in again")
    }
    return []
  }

  private static func release(_ descriptor: Int32) {
    // A program that is being started has the descriptor for a moment: closing alone would leave it the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static let speeds: [Int: speed_t] = Dictionary(
    uniqueKeysWithValues: zip(
      SerialDescription.bauds,
      [
        B9600, B19200, B38400, B57600, B115200, B230400, B460800, B500000, B921600, B1000000,
        B1500000, B2000000, B3000000, B4000000,
      ].map { speed_t($0) }))

  private static func refusal(
    _ number: Int32, _ path: String, _ rig: String, _ files: SystemFiles
  ) -> DeviceError {
    let (code, reason): (DeviceError.Code, String) =
      switch number {
      case ENOENT, ENXIO, ENODEV:
        (.notFound, "there is no such port: plug the breakout in, or correct 'path'\(ports(files))")
      case EACCES, EPERM:
        (
          .denied,
          "no permission: 'sudo usermod -aG dialout $USER', then log in again"
        )
      case EBUSY:
        (
          .busy,
          "\(files.holder(ofNode: path) ?? "another program") holds it: end that, or let it go of the "
            + "port"
        )
      default: (.refused, String(cString: strerror(number)))
      }
    return DeviceError(
      code, device: rig, message: "could not open '\(path)': \(reason)", errno: number)
  }

  private static func ports(_ files: SystemFiles) -> String {
    let names = files.serialPorts()
    return names.isEmpty
      ? " (no serial port is there)" : " (there is \(names.joined(separator: ", ")))"
  }
}
