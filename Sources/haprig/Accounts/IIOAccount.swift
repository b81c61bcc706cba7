import JSONText
import SampledSensors

/// The accelerometers of the kernel as text and as JSON.
struct IIOAccount {
  let devices: [IIODevice]

  /// What a person reads; nothing where there is none.
  var text: String { devices.map { "IIO SENSOR    \(Self.line(of: $0))\n" }.joined() }

  private static func line(of device: IIODevice) -> String {
    let name = device.label ?? device.name ?? device.node
    let rate = device.samplingFrequency.map { ", \($0) samples a second" } ?? ""
    let stamps = device.hasTimestamp ? ", time stamps" : ", no time stamps"
    return
      "sensor: \(name)  (\(device.node); \(device.axes.joined(separator: " "))\(rate)\(stamps)); "
      + (device.forbidden.map { "no permission for \($0): \(IIODevice.advice)" }
        ?? "may be opened")
  }

  /// What a program reads.
  var json: JSONValue { .array(devices.map(Self.json)) }

  private static func json(_ device: IIODevice) -> JSONValue {
    var members = [
      JSONMember("node", .string(device.node)),
      JSONMember("axes", .array(device.axes.map { .string($0) })),
      JSONMember("timeStamps", .bool(device.hasTimestamp)),
      JSONMember("permission", .string(device.forbidden == nil ? "granted" : "missing")),
    ]
    for (key, value) in [
      ("name", device.name), ("label", device.label), ("forbidden", device.forbidden),
    ] {
      if let value { members.append(JSONMember(key, .string(value))) }
    }
    if let rate = device.samplingFrequency {
      members.append(JSONMember("samplingFrequency", .number(rate)))
    }
    return .object(members)
  }
}
