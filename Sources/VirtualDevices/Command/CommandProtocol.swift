// SPDX-License-Identifier: Apache-2.0

import Devices
import JSONText
import Units

struct CommandProtocol: Sendable {
  static let version = 1

  /// Where a reply's channel goes and what makes it SI.
  struct ReplyChannel: Sendable, Equatable {
    var place: Int
    var factor: Float
  }

  let command: CommandDescription
  let driveFormat: StreamFormat
  let captureFormat: StreamFormat
  let channels: [CaptureChannel]
  /// What each channel's device shows for one of the channel's unit, by the sensor's certificate.
  let sensitivities: [Double]
  let roles: [DriveRole?]
  let device: String

  init(_ rig: RigDescription, command: CommandDescription) {
    self.command = command
    device = rig.name
    driveFormat = rig.drive.format
    channels = rig.capture.channels.map(\.port)
    sensitivities = rig.capture.channels.map { $0.sensor?.sensitivity ?? 1 }
    captureFormat = rig.captureFormat
    roles = rig.drive.roles
  }

  var program: String { "'\(command.arguments.joined(separator: " "))'" }

  var greeting: [UInt8] {
    let hertz = driveFormat.rate.hertz
    let message: JSONValue = [
      "haprig": .integer(Self.version),
      "rate": Int(exactly: hertz).map(JSONValue.integer) ?? .number(hertz),
      "drive": .array(roles.map { .string($0?.rawValue ?? "unused") }),
      "capture": .array(channels.map { .string($0.name) }),
      "block": .integer(driveFormat.periodFrames),
    ]
    return message.utf8(indent: nil) + [UInt8(ascii: "\n")]
  }

  func channelOrder(of reply: [UInt8]) throws(DeviceError) -> [ReplyChannel] {
    let message: JSONValue
    do {
      message = try JSONValue(parsing: reply)
    } catch {
      throw garbled(
        "its first line is not JSON (column \(error.position.column): \(error.message)): it has to be "
          + example)
    }
    guard message["haprig"]?.integer == Self.version else {
      throw garbled(
        "its first line does not say \"haprig\":\(Self.version): it has to be \(example)")
    }
    guard let listed = message["channels"]?.elements else {
      throw garbled("its first line has no array \"channels\": it has to be \(example)")
    }
    var order: [ReplyChannel] = []
    for element in listed { order.append(try replyChannel(element, after: order)) }
    for (place, channel) in channels.enumerated()
    where !order.contains(where: { $0.place == place }) {
      throw garbled(
        "its channels lack '\(channel.name)', which the rig file names: add "
          + "{\"name\":\"\(channel.name)\",\"unit\":\"\(channel.unit.rawValue)\"}")
    }
    return order
  }

  private func replyChannel(
    _ element: JSONValue, after order: [ReplyChannel]
  ) throws(DeviceError) -> ReplyChannel {
    guard let name = element["name"]?.string, let symbol = element["unit"]?.string else {
      throw garbled("a channel of its first line has no name or no unit: it has to be \(example)")
    }
    guard let place = channels.firstIndex(where: { $0.name == name }) else {
      throw garbled(
        "it offers a channel '\(name)' that the rig file does not name; the rig has "
          + channels.map { "'\($0.name)'" }.joined(separator: ", "))
    }
    guard !order.contains(where: { $0.place == place }) else {
      throw garbled("it offers the channel '\(name)' twice")
    }
    let wanted = channels[place].unit
    let choices = wanted.dimension.units.map(\.rawValue).joined(separator: ", ")
    guard let unit = MeasurementUnit(rawValue: symbol), unit.dimension == wanted.dimension else {
      throw garbled(
        "the channel '\(name)' comes in '\(symbol)', and its unit has to be one of \(choices)")
    }
    return ReplyChannel(
      place: place, factor: Float(unit.factor / wanted.factor / sensitivities[place]))
  }

  private var example: String {
    let listed: JSONValue = .array(
      channels.map { ["name": .string($0.name), "unit": .string($0.unit.rawValue)] })
    let message: JSONValue = ["haprig": .integer(Self.version), "channels": listed]
    return message.text(indent: nil)
  }

  func garbled(_ message: String) -> DeviceError {
    DeviceError(.garbled, device: device, message: "the program \(program): \(message)")
  }
}
