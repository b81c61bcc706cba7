import Devices
import Glibc

extension IIOSettings {
  /// Turns the buffer on, with the device's own trigger where it has none yet and needs one.
  func turnOn(_ journal: inout AttributeJournal) throws(DeviceError) {
    var number = journal.put("1", at: enable)
    let path = "\(device.folder)/trigger/current_trigger"
    let hasNone = files.exists(path) && files.text(path)?.isEmpty == true
    guard number == EINVAL, hasNone else {
      guard number == 0 else {
        throw refusal(
          number, at: enable, doing: "turn the buffer on",
          otherwise: "the sensor takes no samples by its trigger '\(files.text(path) ?? "none")'")
      }
      return
    }
    guard let own = files.ownTrigger(of: device) else {
      throw error(
        .refused,
        "\(device.summary) has no trigger, and none of its own: write 'trigger' in the rig file; "
          + triggersThere, EINVAL)
    }
    number = journal.set(own, at: path)
    if number == 0 { number = journal.put("1", at: enable) }
    guard number == 0 else {
      throw refusal(
        number, at: enable, doing: "turn the buffer on by trigger '\(own)'",
        otherwise: triggersThere)
    }
  }

  /// An error of this rig.
  func error(_ code: DeviceError.Code, _ message: String, _ number: Int32 = 0) -> DeviceError {
    DeviceError(code, device: rig, message: message, errno: number == 0 ? nil : number)
  }

  /// The kernel's refusal in words, with the file and what to do.
  func refusal(
    _ number: Int32, at path: String, doing operation: String, otherwise: String
  ) -> DeviceError {
    let (code, advice): (DeviceError.Code, String) =
      switch number {
      case EACCES, EPERM, EROFS:
        (.denied, "no permission: \(IIODevice.advice), or run as root")
      case EBUSY:
        (.busy, "the buffer is in use: end what uses it, such as iio-sensor-proxy")
      case ENODEV, ENXIO, ENOENT: (.unplugged, "\(device.summary) is gone: plug it in again")
      default: (.refused, "\(Self.text(number)); \(otherwise)")
      }
    return error(code, "could not \(operation) at '\(path)': \(advice)", number)
  }

  static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}
