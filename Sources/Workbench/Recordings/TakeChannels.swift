// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import Reporting
import Units

/// The channels of a take as one list: what was sent, then what came back.
struct TakeChannels: Sendable {
  struct Channel: Sendable, Equatable {
    let name: String
    /// `drive` or `capture`.
    let side: String
    let kind: String
    let unit: MeasurementUnit
    /// The sound file and the place in it.
    let file: String
    let place: Int
  }

  let channels: [Channel]
  let rate: Double
  let seconds: Double

  init(_ take: RunRecord.Take, of pattern: RunRecord.Pattern, rate: Double) {
    self.rate = rate
    var channels: [Channel] = []
    if let file = take.drive {
      for (place, channel) in take.driveChannels.enumerated() {
        channels.append(
          Channel(
            name: channel.name, side: "drive", kind: Self.kind(ofDrive: channel.name),
            unit: channel.unit, file: file, place: place))
      }
    }
    if let file = take.response {
      for (place, channel) in take.responseChannels.enumerated() {
        channels.append(
          Channel(
            name: channel.name, side: "capture", kind: Self.kind(ofResponse: channel),
            unit: channel.unit, file: file, place: place))
      }
    }
    self.channels = channels
    seconds = take.device.map { Double($0.driveFrames) / rate } ?? pattern.duration
  }

  private static func kind(ofDrive name: String) -> String {
    if name.hasPrefix("reference") { return "reference" }
    return name.hasPrefix("audio") ? "sound" : "drive"
  }

  private static func kind(ofResponse channel: RunRecord.FileChannel) -> String {
    if channel.name.hasPrefix("reference") { return "reference" }
    if channel.name.hasPrefix("audio") || channel.unit.rawValue == "Pa" { return "sound" }
    return channel.unit.rawValue == "m/s2" ? "response" : "other"
  }

  var json: [JSONValue] {
    channels.map {
      .object(of: [
        "name": $0.name, "side": $0.side, "kind": $0.kind, "unit": $0.unit.rawValue,
      ])
    }
  }
}
