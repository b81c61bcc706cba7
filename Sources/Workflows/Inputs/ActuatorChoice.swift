public import Actuators
import Bench
public import Devices

/// One actuator of a rig, picked to be measured alone.
public struct ActuatorChoice: Sendable {
  /// The rig's file.
  public let path: String
  /// The text of the file, by which work that was stopped is found again.
  let text: [UInt8]
  /// The rig with that actuator alone.
  public let rig: RigDescription

  /// The actuator.
  public var actuator: Actuator { rig.actuators[0] }

  /// Reads a rig and picks an actuator.
  public init(rig path: String, actuator id: String?, temperature: Double? = nil) throws {
    self.path = path
    let content = try RigFolder(file: path).read()
    text = content.text
    var focused = try content.rig.focused(on: id, path: path)
    if let temperature { focused.actuators[0].temperature = temperature }
    rig = focused
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
