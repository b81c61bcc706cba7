import ALSADevices
import ArgumentParser
import Devices
import JSONText
import SampledSensors
import USBTransport

/// Lists what a rig file can name as its device.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the kinds of device, sound cards, USB devices and simulated actuators.")

  @Flag(name: .long, help: "Print the list as JSON.")
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
    let cards = SoundCardAccount(cards: SoundCards.list())
    let usb = USBAccount(inventory: USBInventory.list())
    let sensors = IIOAccount(devices: SystemFiles().iioDevices())
    guard json else {
      var text = "DEVICE      WHAT IT IS\n"
      for kind in DeviceKind.allCases {
        text += kind.rawValue.padded(to: 12) + Self.purpose(of: kind) + "\n"
      }
      text += "\n" + cards.text + "\n" + usb.text
      for port in usb.serialPorts { text += "SERIAL PORT   \(port)\n" }
      text += sensors.text
      text += "\nPLANT         KIND OF MOTOR    (for device: simulated)\n"
      for (name, parameters) in PlantParameters.catalogue {
        text += name.padded(to: 14) + Self.summary(of: parameters) + "\n"
      }
      Console.out(text)
      return
    }
    let devices = DeviceKind.allCases.map { kind -> JSONValue in
      ["device": .string(kind.rawValue), "purpose": .string(Self.purpose(of: kind))]
    }
    let plants = PlantParameters.catalogue.map { entry -> JSONValue in
      ["plant": .string(entry.name), "motor": .string(Self.summary(of: entry.parameters))]
    }
    let list: JSONValue = [
      "devices": .array(devices), "plants": .array(plants), "soundCards": cards.json,
      "usb": usb.json, "serialPorts": .array(usb.serialPorts.map { .string($0) }),
      "accelerometers": sensors.json,
    ]
    Console.out(list.text(indent: 1, sortedKeys: true) + "\n")
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

extension String {
  /// The text with spaces up to a width.
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}
