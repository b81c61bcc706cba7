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
    /// The sound file.
    let file: String
    /// The place in it; `nil` for a channel that is zero throughout and not in the file.
    let place: Int?
    /// What samples of the file are multiplied by.
    let gain: Float
  }

  let channels: [Channel]
  let rate: Double
  let seconds: Double

  init(_ take: RunRecord.Take, of pattern: RunRecord.Pattern, rate: Double) {
    self.rate = rate
    var channels: [Channel] = []
    func add(
      _ kept: [RunRecord.FileChannel], of file: String?, _ side: String,
      kind: (RunRecord.FileChannel) -> String
    ) {
      guard let file else { return }
      var next = 0
      for channel in kept {
        channels.append(
          Channel(
            name: channel.name, side: side, kind: kind(channel), unit: channel.unit, file: file,
            place: channel.isSilent ? nil : next, gain: channel.gain))
        if !channel.isSilent { next += 1 }
      }
    }
    add(take.driveChannels, of: take.drive, "drive") { Self.kind(ofDrive: $0.name) }
    add(take.responseChannels, of: take.response, "capture", kind: Self.kind(ofResponse:))
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
