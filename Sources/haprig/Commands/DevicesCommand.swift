// SPDX-License-Identifier: Apache-2.0

import ALSADevices
import ArgumentParser
import Devices
import JSONText
import Reporting
import SampledSensors
import USBTransport

struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the kinds of device, sound cards, USB devices and simulated actuators.")

  @Flag(help: "Print the list as JSON.")
  var json = false

  private static func purpose(of kind: DeviceKind) -> String {
    switch kind {
    case .alsa: "sound cards through ALSA, or the virtual card"
    case .usb: "a board or a haptic driver over USB, by its 'driver' (docs/USB.md)"
    case .serial: "a MEMS breakout on a serial port, as a capture beside another drive"
    case .iio: "an accelerometer of the kernel's Industrial I/O, as a capture beside another drive"
    case .simulated: "a rig that exists only as physics, seeded and repeatable"
    case .command: "a program that is the rig: frames on its standard input and output"
    case .file: "sound files, for a rig that is not on line"
    }
  }

  func run() {
    let cards = SoundCardTable(cards: SoundCards.list())
    let usb = USBTable(inventory: USBInventory.list())
    let ports = SystemFiles().serialPorts()
    let sensors = IIOTable(devices: SystemFiles().iioDevices())
    guard json else {
      var text = "DEVICE      WHAT IT IS\n"
      for kind in DeviceKind.allCases {
        text += kind.rawValue.padded(to: 12) + Self.purpose(of: kind) + "\n"
      }
      text += "\n" + cards.text + "\n" + usb.text
      for port in ports { text += "SERIAL PORT   \(port)\n" }
      text += sensors.text
      text += "\nPLANT         KIND OF MOTOR    (for device: simulated)\n"
      for (name, parameters) in PlantParameters.catalogue {
        text += name.padded(to: 14) + Self.summary(of: parameters) + "\n"
      }
      return Console.out(text)
    }
    let devices = DeviceKind.allCases.map { kind in
      JSONValue.object(of: ["device": kind.rawValue, "purpose": Self.purpose(of: kind)])
    }
    let plants = PlantParameters.catalogue.map { entry in
      JSONValue.object(of: ["plant": entry.name, "motor": Self.summary(of: entry.parameters)])
    }
    Console.out(
      .object(of: [
        "devices": devices, "plants": plants, "soundCards": cards.json, "usb": usb.json,
        "serialPorts": ports, "accelerometers": sensors.json,
      ]), sortedKeys: true)
  }

  private static func summary(of parameters: PlantParameters) -> String {
    switch parameters {
    case .linear(let motor):
      "linear, \(motor.resonance) Hz, Q \(motor.quality), \(motor.resistance) ohm"
    case .rotating(let motor):
      "rotating, \(motor.ratedSpeed) revolutions a second at \(motor.ratedVolts) V"
    }
  }
}

private struct SoundCardTable: Listing {
  let cards: SoundCards

  var text: String {
    guard !cards.cards.isEmpty else {
      return "SOUND CARD    none: \(cards.emptyReason ?? "ALSA lists no card")\n"
    }
    var text = "SOUND CARD    (for device: alsa)\n"
    for card in cards.cards {
      text += "\(card.id)  \(card.name)\(card.usb.map { ", \(Self.identity(of: $0))" } ?? "")\n"
      if let calibration = card.calibration { text += "  \(calibration.summary)\n" }
      for pcm in card.pcms {
        text += "  \(pcm.name)  \(pcm.direction)  \(Self.offer(of: pcm))\n"
      }
    }
    return text
  }

  private static func identity(of usb: USBIdentity) -> String {
    let serial = usb.serial.map { " serial \($0)" } ?? ""
    return "USB \(usb.vendor):\(usb.product)\(serial) at \(usb.path)"
  }

  private static func offer(of pcm: SoundPCM) -> String {
    guard let offer = pcm.offer else { return pcm.refusal ?? "it does not say what it can" }
    let rates = offer.rates.map(String.init).joined(separator: " ")
    let maps = offer.channelMaps.isEmpty ? "" : " (\(offer.channelMaps.joined(separator: "; ")))"
    return "\(range(offer.channels)) channels\(maps), \(offer.formats.joined(separator: " ")), "
      + "\(rates) Hz, periods \(range(offer.periods)), buffers \(range(offer.buffers))"
      + (offer.hasMmap ? ", mmap" : "")
  }

  private static func range(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
  }

  var json: JSONValue {
    .array(
      cards.cards.map { card in
        .object(of: [
          "id": card.id, "name": card.name, "driver": card.driver,
          "pcms": card.pcms.map(Self.json), "usb": card.usb.map(Self.json),
          "calibration": card.calibration?.summary,
        ])
      })
  }

  private static func json(_ usb: USBIdentity) -> JSONValue {
    .object(of: [
      "vendor": usb.vendor, "product": usb.product, "path": usb.path, "serial": usb.serial,
      "productString": usb.productString, "manufacturer": usb.manufacturer,
    ])
  }

  private static func json(_ pcm: SoundPCM) -> JSONValue {
    let offer = pcm.offer
    return .object(of: [
      "name": pcm.name, "direction": pcm.direction, "title": pcm.title, "refusal": pcm.refusal,
      "formats": offer?.formats, "rates": offer?.rates, "channels": offer.map { ends($0.channels) },
      "periods": offer.map { ends($0.periods) }, "buffers": offer.map { ends($0.buffers) },
      "mmap": offer?.hasMmap, "channelMaps": offer?.channelMaps,
    ])
  }

  private static func ends(_ range: ClosedRange<Int>) -> [Int] {
    [range.lowerBound, range.upperBound]
  }
}

private struct USBTable: Listing {
  let inventory: USBInventory

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

  private static func missingRule(of entry: USBInventory.Entry) -> String? {
    entry.permission == .missing ? entry.rule?.line : nil
  }

  var json: JSONValue { .array(inventory.entries.map(Self.json)) }

  private static func json(_ entry: USBInventory.Entry) -> JSONValue {
    let record = entry.record
    return .object(of: [
      "id": record.identity, "port": record.address.portPath, "node": record.address.node,
      "use": entry.use.rawValue, "permission": permissionWord(entry.permission),
      "kernelDrivers": entry.kernelDrivers, "serial": record.serial,
      "product": record.productName, "manufacturer": record.manufacturer,
      "knownAs": entry.knownName, "driver": entry.driver, "fault": entry.fault?.description,
      "missingRule": missingRule(of: entry),
    ])
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

/// The accelerometers of the kernel; no text where there is none.
private struct IIOTable: Listing {
  let devices: [IIODevice]

  var text: String { devices.map { "IIO SENSOR    \(Self.line(of: $0))\n" }.joined() }

  private static func line(of device: IIODevice) -> String {
    let name = device.label ?? device.name ?? device.node
    let rate = device.samplingFrequency.map { ", \($0) samples a second" } ?? ""
    let stamps = device.hasTimestamp ? ", time stamps" : ", no time stamps"
    return
      "sensor: \(name)  (\(device.node); \(device.axes.joined(separator: " "))\(rate)\(stamps)); "
      + (device.forbidden.map { "no permission for \($0): \(IIODevice.advice)" } ?? "may be opened")
  }

  var json: JSONValue { .array(devices.map(Self.json)) }

  private static func json(_ device: IIODevice) -> JSONValue {
    .object(of: [
      "node": device.node, "axes": device.axes, "timeStamps": device.hasTimestamp,
      "permission": device.forbidden == nil ? "granted" : "missing", "name": device.name,
      "label": device.label, "forbidden": device.forbidden,
      "samplingFrequency": device.samplingFrequency,
    ])
  }
}
