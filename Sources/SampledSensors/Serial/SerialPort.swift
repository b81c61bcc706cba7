import Devices
import Glibc

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
