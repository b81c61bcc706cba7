import Devices
import JSONText
import SampledSensors
import USBTransport

/// The USB devices of the machine as text and as JSON.
struct USBAccount {
  let inventory: USBInventory
  /// The ports of breakouts, as a rig file names them.
  var serialPorts: [String] = SystemFiles().serialPorts()

  /// What a person reads.
  var text: String {
    guard !inventory.entries.isEmpty else {
      return "USB DEVICE    none: \(inventory.emptyReason ?? "the bus is empty")\n"
    }
    var text = "USB DEVICE    (what a rig file writes to use it)\n"
    for entry in inventory.entries {
      text += "\(entry.record.summary)\n"
      text += "  \(Self.purpose(of: entry)); \(Self.permission(of: entry))\n"
      if let fault = entry.fault {
        text += "  it describes itself wrongly (\(fault)): plug it in again, check its firmware\n"
      }
      if let rule = Self.missingRule(of: entry) { text += "  rule: \(rule)\n" }
    }
    return text
  }

  private static func purpose(of entry: USBInventory.Entry) -> String {
    let drivers =
      entry.kernelDrivers.isEmpty
      ? "" : ", kernel driver \(entry.kernelDrivers.joined(separator: " "))"
    let known = entry.knownName.map { ", known as \($0)" } ?? ""
    let sound = entry.use == .soundCard ? "device: alsa" : nil
    let uses = [sound, entry.driver.map { "device: usb, \($0)" }].compactMap(\.self)
    let use = uses.isEmpty ? "no driver" : uses.joined(separator: "; ")
    return use + known + drivers
  }

  private static func permission(of entry: USBInventory.Entry) -> String {
    switch entry.permission {
    case .granted: return "may be opened"
    case .unknown: return "no device node: check that udev runs"
    case .waiting, .missing: break
    }
    guard let rule = entry.rule else {
      return entry.use == .soundCard
        ? "no USB permission, and none is needed: ALSA has nodes of its own"
        : "no permission, and none is needed: haprig does not drive it"
    }
    guard case .waiting(let grant) = entry.permission else {
      return "no permission, and no udev rule opens it: \(rule.shortAdvice)"
    }
    return "no permission, though a udev rule opens it: \(grant.advice)"
  }

  /// The line that is missing where haprig would drive the device.
  private static func missingRule(of entry: USBInventory.Entry) -> String? {
    entry.permission == .missing ? entry.rule?.line : nil
  }

  /// What a program reads.
  var json: JSONValue { .array(inventory.entries.map(Self.json)) }

  private static func json(_ entry: USBInventory.Entry) -> JSONValue {
    let record = entry.record
    var members = [
      JSONMember("id", .string(record.identity)),
      JSONMember("port", .string(record.address.portPath)),
      JSONMember("node", .string(record.address.node)),
      JSONMember("use", .string(entry.use.rawValue)),
      JSONMember("permission", .string(permissionWord(entry.permission))),
      JSONMember("kernelDrivers", .array(entry.kernelDrivers.map { .string($0) })),
    ]
    for (key, value) in [
      ("serial", record.serial), ("product", record.productName),
      ("manufacturer", record.manufacturer), ("knownAs", entry.knownName),
      ("driver", entry.driver),
      ("fault", entry.fault?.description),
      ("missingRule", missingRule(of: entry)),
    ] {
      if let value { members.append(JSONMember(key, .string(value))) }
    }
    return .object(members)
  }

  private static func permissionWord(_ permission: USBInventory.Permission) -> String {
    switch permission {
    case .granted: "granted"
    case .waiting: "waiting"
    case .missing: "missing"
    case .unknown: "unknown"
    }
  }
}
