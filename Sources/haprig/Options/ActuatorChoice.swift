import Bench
import Devices

/// One actuator of a rig, picked to be measured alone.
struct ActuatorChoice {
  /// The rig's file.
  let path: String
  /// The text of the file, by which work that was stopped is found again.
  let text: [UInt8]
  /// The rig with that actuator alone.
  let rig: RigDescription

  /// The actuator.
  var actuator: ActuatorDescription { rig.actuators[0] }

  /// Reads a rig and picks an actuator.
  init(rig path: String, actuator id: String?, temperature: Double? = nil) throws {
    self.path = path
    (text, rig) = try ExitStatus.of {
      let content = try RigFolder(file: path).read()
      let (text, whole) = (content.text, content.rig)
      var focused = try whole.focused(on: id, path: path)
      if let temperature { focused.actuators[0].temperature = temperature }
      return (text, focused)
    }
  }
}

extension RigDescription {
  /// The rig with one of its actuators alone: the one asked for, or the only one.
  func focused(on id: String?, path: String) throws(InputError) -> RigDescription {
    let names = actuators.map(\.id)
    guard let wanted = id ?? (names.count == 1 ? names[0] : nil) else {
      throw InputError(
        "\(path): the rig has \(names.count) actuators: name one with --actuator, of "
          + names.joined(separator: ", "))
    }
    guard let focused = focused(on: wanted) else {
      throw InputError(
        "\(path): the rig has no actuator '\(wanted)': it has " + names.joined(separator: ", "))
    }
    return focused
  }
}
