// SPDX-License-Identifier: Apache-2.0

import CALSA
import Devices
import Glibc

struct CardConfiguration {
  var rig = ""
  /// How card time passes; `nil` for what the rig file says.
  var clock: SimulationDescription.Clock?
  /// The name under which the sides of the card meet; `nil` for one made from the rig file's path.
  var state: String?
  /// Frames by which the reported delay is wrong.
  var reportedDelay = 0
  /// How much faster than nominal the real clock runs, in parts per million.
  var driftPPM = 0.0
  /// True where virtual time waits until both sides have been opened.
  var isMeeting = false

  init(_ node: OpaquePointer?) throws(CardError) {
    var iterator = snd_config_iterator_first(node)
    let end = snd_config_iterator_end(node)
    while iterator != end {
      let entry = snd_config_iterator_entry(iterator)
      iterator = snd_config_iterator_next(iterator)
      var name: UnsafePointer<CChar>?
      guard snd_config_get_id(entry, &name) >= 0, let name else { continue }
      try read(String(cString: name), entry)
    }
    guard !rig.isEmpty else {
      throw CardError(
        EINVAL, "a PCM of type haprig needs a rig file: write for example 'rig \"/path/rig.yaml\"'")
    }
  }

  private mutating func read(_ key: String, _ entry: OpaquePointer?) throws(CardError) {
    switch key {
    case "comment", "type", "hint": break
    case "rig": rig = try Self.text(key, entry)
    case "state":
      let name = try Self.text(key, entry)
      guard Self.isName(name) else {
        throw CardError(
          EINVAL,
          "'state' is \"\(name)\": a card's name has 1 to 64 letters, digits, dots, lines or "
            + "underscores, and begins with a letter or a digit")
      }
      state = name
    case "clock":
      let name = try Self.text(key, entry)
      guard let clock = SimulationDescription.Clock(rawValue: name) else {
        throw CardError(EINVAL, "'clock' is \"\(name)\": write virtual or real")
      }
      self.clock = clock
    case "reported_delay":
      reportedDelay = Int(try Self.number(key, entry, within: 10_000_000, "a number of frames"))
    case "ppm": driftPPM = try Self.number(key, entry, within: 10_000, "parts per million")
    case "meet":
      let answer = snd_config_get_bool(entry)
      guard answer >= 0 else { throw CardError(EINVAL, "'meet' has to be yes or no") }
      isMeeting = answer == 1
    default:
      throw CardError(
        EINVAL,
        "a PCM of type haprig has no '\(key)': it has rig, clock, state, reported_delay, ppm and "
          + "meet")
    }
  }

  func stateName() throws(CardError) -> String {
    if let state { return state }
    guard let resolved = SystemFiles().resolved(rig) else {
      throw .system("find the rig file", rig)
    }
    var print = Fingerprint()
    print.add(Array(resolved.utf8))
    return "rig-" + String(print.value, radix: 16)
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.first, first.isLetter || first.isNumber else { return false }
    return text.utf8.count <= 64
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
  }

  private static func text(
    _ key: String, _ entry: OpaquePointer?
  ) throws(CardError) -> String {
    var text: UnsafePointer<CChar>?
    guard snd_config_get_string(entry, &text) >= 0, let text else {
      throw CardError(EINVAL, "'\(key)' has to be a text in quotes")
    }
    return String(cString: text)
  }

  private static func number(
    _ key: String, _ entry: OpaquePointer?, within end: Double, _ unit: String
  ) throws(CardError) -> Double {
    var value = 0.0
    guard snd_config_get_ireal(entry, &value) >= 0, abs(value) <= end else {
      throw CardError(EINVAL, "'\(key)' has to be \(unit), from -\(Int(end)) to \(Int(end))")
    }
    return value
  }
}
