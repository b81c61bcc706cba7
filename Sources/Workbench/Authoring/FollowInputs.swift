// SPDX-License-Identifier: Apache-2.0

import Bench
import Composing
import JSONText
import RigDevices
import Workflows

/// The sounds that an actuator can follow for a page: the machine's inputs, and sounds of the patterns' folder.
///
/// Names are those of the list: a page names no PCM that the machine's configuration does not, and no path.
struct FollowInputs: Sendable {
  let folder: PatternFolder?

  func json() -> JSONValue {
    let pcms = SoundInput.list().map { input -> JSONValue in
      ["kind": "pcm", "name": .string(input.name), "description": .string(input.description)]
    }
    let sounds = (folder?.sounds() ?? []).map { name -> JSONValue in
      ["kind": "sound", "name": .string(name), "description": ""]
    }
    return ["inputs": .array(pcms + sounds)]
  }

  private static let members: Set = ["pcm", "sound", "method", "gain", "gate", "align"]

  /// The words of `haprig follow` that an order asks for, without the rig's.
  func words(of order: JSONValue) throws -> [String] {
    guard let members = order.members else {
      throw HTTPFault(400, "bad-value", "'follow' is to be an object")
    }
    if let unknown = members.first(where: { !Self.members.contains($0.key) }) {
      throw HTTPFault(400, "bad-value", "what is followed has no '\(unknown.key.prefix(40))'")
    }
    var words = try input(
      pcm: Request.text("pcm", in: order), sound: Request.text("sound", in: order))
    if let name = try Request.text("method", in: order) {
      let methods = LiveMethod.methods.map(\.rawValue)
      guard methods.contains(name) else {
        throw HTTPFault(400, "bad-value", "'method' takes \(methods.joined(separator: ", "))")
      }
      words.append("--method=\(name)")
    }
    for (key, range) in [("gain", LiveMethod.gains), ("gate", LiveMethod.gates)] {
      guard let value = order[key], value != .null else { continue }
      guard let number = value.number, range.contains(number) else {
        throw HTTPFault(
          400, "bad-value", "'\(key)' goes from \(range.lowerBound) to \(range.upperBound) dB")
      }
      words.append("--\(key)=\(number)")
    }
    if let align = order["align"] {
      guard let align = align.bool else {
        throw HTTPFault(400, "bad-value", "'align' is true or false")
      }
      if align { words.append("--align") }
    }
    return words
  }

  private func input(pcm: String?, sound: String?) throws -> [String] {
    switch (pcm, sound) {
    case (nil, nil): return []
    case (let name?, nil):
      guard SoundInput.list().contains(where: { $0.name == name }) else {
        throw HTTPFault(404, "no-input", "the machine lists no input '\(name.prefix(80))'")
      }
      return ["--input=\(name)"]
    case (nil, let name?):
      guard let path = try folder?.existingSound(name) else {
        throw HTTPFault(
          404, "no-sound", "there is no sound '\(name.prefix(80))' in the patterns' folder")
      }
      return ["--input=\(JobOrder.plain(path))"]
    case (_?, _?): throw HTTPFault(400, "bad-value", "'pcm' and 'sound' are two inputs: name one")
    }
  }
}
