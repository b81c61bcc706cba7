// SPDX-License-Identifier: Apache-2.0

package import Bench
package import Composing
import CoreHaptics
package import JSONText

/// What a rig that follows a sound is asked, as one line of JSON says it (docs/FOLLOW.md).
package struct FollowOrder: Sendable {
  package enum Command: Sendable {
    case method(ComposeSettings)
    /// In dB; nil lets it ride.
    case gain(Double?)
    /// In dB of full scale.
    case gate(Double)
    /// In dB, of the four bands.
    case bands([Double])
    case bypass(Bool)
    /// Passes the sound to the loudspeaker so many seconds after it was taken; nil, not at all.
    case sound(delay: Double?)
    case stop
  }

  package var command: Command
  /// The command again.
  package var said: JSONValue

  private enum Word: String, CaseIterable {
    case method
    case gain
    case gate
    case bands
    case bypass
    case sound
    case stop
  }

  /// Reads a line; what is wrong is told with its column.
  package init(line: [UInt8]) throws(InputError) {
    let read = try CommandLineOfJSON.read(line) { field throws(JSONFieldError) in
      try Self(field)
    }
    self = read.command
    said = read.said
  }

  private init(_ field: JSONField) throws(JSONFieldError) {
    let word = try field["do"].word(Word.self)
    try field.checkKeys(["do", "at"] + Self.keys(of: word))
    switch word {
    case .method:
      let name = try field["method"]
      let method = try name.word(ComposeMethod.self)
      try name.check(
        LiveMethod.methods.contains(method),
        "is '\(method.rawValue)', which follows no live sound: use "
          + LiveMethod.methods.map(\.rawValue).joined(separator: ", "))
      command = .method(ComposeSettings(method))
    case .gain:
      command = .gain(try Self.number(field.member("dB"), orNull: LiveMethod.gains))
    case .gate: command = .gate(try Self.number(field["dB"], LiveMethod.gates))
    case .bands:
      let list = try field["dB"]
      let gains = try list.elements().map { gain throws(JSONFieldError) in
        try Self.number(gain, LiveMethod.bandGains)
      }
      try list.check(gains.count == 4, "has \(gains.count) numbers: there are four bands")
      command = .bands(gains)
    case .bypass: command = .bypass(try field["on"].bool())
    case .sound:
      command = .sound(
        delay: try Self.number(field.member("delay"), orNull: 0...SoundLine.longestDelay))
    case .stop: command = .stop
    }
    said = .null
  }

  private static func keys(of word: Word) -> [String] {
    switch word {
    case .method: ["method"]
    case .gain, .gate, .bands: ["dB"]
    case .bypass: ["on"]
    case .sound: ["delay"]
    case .stop: []
    }
  }

  private static func number(
    _ field: JSONField?, orNull range: ClosedRange<Double>
  ) throws(JSONFieldError) -> Double? {
    guard let field, field.node.value != .null else { return nil }
    return try number(field, range)
  }

  private static func number(
    _ field: JSONField, _ range: ClosedRange<Double>
  ) throws(JSONFieldError) -> Double {
    let value = try field.number()
    try field.check(
      range.contains(value),
      "is \(value), and goes from \(range.lowerBound) to \(range.upperBound)")
    return value
  }
}
