// SPDX-License-Identifier: Apache-2.0

import Actuators
import Foundation
import Glibc
import JSONText
import Perception
import Profiles
import SeededRandom
import Testing

/// Profiles that were damaged: every number of the sample, made absurd one at a time, is refused or
/// changes nothing that is driven.
struct ProfileDamageTests {
  private static let sample = Result {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return Array(try Data(contentsOf: root.appending(path: "rigs/profiles/sim-coin-1.json")))
  }

  /// What is done to a number.
  private static let changes: [(name: String, change: @Sendable (Double) -> Double)] = [
    ("x 1e6", { $0 * 1e6 }), ("x -1", { -$0 }), ("0", { _ in 0 }), ("1e308", { _ in 1e308 }),
  ]

  /// Leaves whose value no drive depends on, and why each may be what it was made.
  private static let harmless: [(path: String, reason: String)] = [
    ("model.delay.value", "a quick check compares with it; no delay is driven"),
    ("model.misfit", "shown"),
    ("ceiling[].distortion", "shown"),
    ("conditions.temperature", "shown; a temperature may be below 0 or 0"),
    ("verification.grid[].level", "shown, where the point lies outside"),
    ("verification.levelCrossTalk", "shown"),
    ("verification.frequencyCrossTalk", "shown"),
    ("verification.taps[].intensity", "shown"),
    ("verification.taps[].sharpness", "shown"),
    ("verification.taps[].peak", "shown"),
    ("verification.taps[].tail", "shown; taps may end before their end"),
    ("verification.taps[].pulseToRing", "shown"),
    ("uncertainty.lines[].relative", "too small a line to change the sum by a millionth"),
    ("uncertainty.lines[].degreesOfFreedom", "shown"),
  ]

  /// A number of the text: where it stands, and its path without the places in lists.
  private struct Leaf {
    var path: String
    var value: Double
    var bytes: Range<Int>
  }

  /// Every number below a node, in order.
  private func leaves(_ node: JSONNode, _ path: String, of text: [UInt8]) -> [Leaf] {
    switch node.kind {
    case .object:
      return node.members.flatMap { key, value in
        leaves(value, (path.isEmpty ? "" : path + ".") + (key.string ?? ""), of: text)
      }
    case .array: return node.elements.flatMap { leaves($0, path + "[]", of: text) }
    default:
      guard let value = node.number else { return [] }
      let start = node.position.offset
      let end = text[start...].firstIndex { !"+-.0123456789eE".utf8.contains($0) } ?? text.count
      return [Leaf(path: path, value: value, bytes: start..<end)]
    }
  }

  /// What a profile drives at some points: frequency in hertz and peak volts.
  private func drives(_ profile: CalibrationProfile) -> [(frequency: Double, volts: Double)] {
    let map = DriveMap(profile: profile, fullScaleVolts: 10)
    return [0, 0.3, 0.62, 1].flatMap { sharpness in
      [0.05, 0.4, 1].map { intensity in
        let command = map.command(intensity: intensity, sharpness: sharpness)
        return (command.frequency, command.volts)
      }
    }
  }

  @Test func `a number made absurd is refused where it stands or moves no vibration by 3 dB`()
    throws
  {
    let bytes = try Self.sample.get()
    let profile = try CalibrationProfile(parsing: bytes)
    let expected = drives(profile)
    var seen: [String: Int] = [:]
    for leaf in leaves(try JSONDocument(bytes).root, "", of: bytes) {
      // Of the long tables a part: every thirteenth number.
      seen[leaf.path, default: 0] += 1
      let count = seen[leaf.path, default: 0]
      if count > 4, count % 13 != 0 { continue }
      for (name, change) in Self.changes where change(leaf.value) != leaf.value {
        let number = Array("\(change(leaf.value))".utf8)
        let changed = bytes[..<leaf.bytes.lowerBound] + number + bytes[leaf.bytes.upperBound...]
        let found: CalibrationProfile
        do throws(ProfileError) {
          found = try CalibrationProfile(parsing: Array(changed))
        } catch {
          #expect(error.position.line > 1 && !error.message.contains("\n"), "\(error)")
          continue
        }
        guard !Self.harmless.contains(where: { $0.path == leaf.path }) else { continue }
        #expect(found.actuator.limits == profile.actuator.limits, "\(leaf.path) \(name)")
        // What stands between the points below: a cell moves levels by no more than itself.
        if leaf.path.hasPrefix("correction.decibels") {
          #expect(abs(change(leaf.value) - leaf.value) <= 3, "\(leaf.path) \(name)")
        }
        for (now, then) in zip(drives(found), expected) {
          let decibels = 20 * abs(log10(now.volts / then.volts))
          #expect(
            decibels <= 3
              && abs(now.frequency / then.frequency - 1) <= JustNoticeable.frequency.value,
            "\(leaf.path) \(name): \(decibels) dB, \(now.frequency) Hz instead of \(then.frequency)"
          )
        }
      }
    }
  }
}
