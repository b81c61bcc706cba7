// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import Testing

/// The time that reading takes stays linear in files that are made to exhaust a machine.
struct ReadingTimeTests {
  /// A pattern of entries that hold a curve and an event each, in one order or the other.
  private static func text(entries: Int, curveFirst: Bool) -> [UInt8] {
    let curve = """
      "ParameterCurve": {"ParameterID": "HapticIntensityControl", "Time": 0,
      "ParameterCurveControlPoints": [{"Time": 0, "ParameterValue": 1}]}
      """
    let event = "\"Event\": {\"Time\": 0, \"EventType\": \"HapticTransient\"}"
    let entry = "{" + (curveFirst ? [curve, event] : [event, curve]).joined(separator: ", ") + "}"
    let list = Array(repeating: entry, count: entries).joined(separator: ",\n")
    return Array("{\"Version\": 1.0, \"Pattern\": [\n\(list)\n]}\n".utf8)
  }

  /// The shortest of three readings.
  private static func reading(_ text: [UInt8]) throws -> Duration {
    let clock = ContinuousClock()
    return try (0..<3).map { _ in try clock.measure { _ = try AHAPReader.read(text) } }.min()
      ?? .zero
  }

  @Test
  func `parts of an entry in another order than they are read are placed without a new search`()
    throws
  {
    let forward = try Self.reading(Self.text(entries: 20_000, curveFirst: false))
    let backward = try Self.reading(Self.text(entries: 20_000, curveFirst: true))
    // A search from the top of the file for each entry takes hundreds of times as long.
    #expect(backward < forward * 10 + .milliseconds(100))
  }

  @Test(arguments: [false, true])
  func `every part knows its place, whatever the order`(curveFirst: Bool) throws {
    let text = Self.text(entries: 50, curveFirst: curveFirst)
    let pattern = try AHAPReader.read(text).pattern
    func places(of key: String) -> [JSONPosition] {
      let key = Array("\"\(key)\"".utf8)
      return text.indices.filter { text[$0...].starts(with: key) }
        .map { JSONPosition(offset: $0, in: text) }
    }
    #expect(pattern.events.map(\.source.position) == places(of: "Event"))
    #expect(pattern.curves.map(\.source.position) == places(of: "ParameterCurve"))
  }
}
