// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

@testable import Workbench

/// What an actuator cannot follow, by its profile and its limits.
struct AdviceTests {
  private static let query = "edge/advice?rig=\(AuthoringFixture.rig)"

  private static func kinds(_ json: JSONValue) -> [[JSONValue?]] {
    (json["limits"]?.elements ?? []).map { [$0["entry"], $0["kind"]] }
  }

  @Test func `an event beyond the ceiling is marked, and one below is not`() throws {
    let fixture = try AuthoringFixture(isCalibrated: true)
    try fixture.write(AuthoringFixture.pattern(AuthoringFixture.event("Transient")), as: "edge")
    let gamut = try #require(try fixture.json(Self.query)["gamut"])
    let sharpness = (gamut["sharpness"]?.elements ?? []).compactMap(\.number)
    let intensity = (gamut["intensity"]?.elements ?? []).compactMap(\.number)
    #expect(sharpness.count == 33 && intensity.count == 33)
    // Near its resonance of 170 Hz it reaches all, far below it does not.
    #expect(intensity[23] == 1 && intensity[0] < 0.5, "\(intensity)")
    let edges = intensity.indices.filter { (0.15...0.95).contains(intensity[$0]) }
    try #require(edges.count >= 2, "\(intensity)")
    for place in [edges[0], edges[edges.count / 2], edges[edges.count - 1]] {
      let edge = intensity[place]
      for (offset, isMarked) in [(-0.02, false), (0.02, true)] {
        // Behind a parameter, so that the entry is not the event's number; with time to rise.
        try fixture.write(
          AuthoringFixture.pattern(
            """
            {"Parameter": {"ParameterID": "HapticIntensityControl", "ParameterValue": 1, "Time": 0}}
            """,
            AuthoringFixture.event(
              "Continuous", at: 0.2, for: 0.5, intensity: edge + offset,
              sharpness: sharpness[place],
              ", {\"ParameterID\": \"AttackTime\", \"ParameterValue\": 0.8}")),
          as: "edge")
        let json = try fixture.json(Self.query)
        let levels = Self.kinds(json).filter { $0[1] == "level" }
        #expect(levels == (isMarked ? [[1, "level"]] : []), "\(place) \(offset): \(json)")
      }
    }
  }

  @Test func `a rise that is too slow is marked where no time is given for it`() throws {
    let fixture = try AuthoringFixture(isCalibrated: true)
    for (attack, isMarked) in [(0.0, true), (0.8, false)] {
      let event = AuthoringFixture.event(
        "Continuous", for: 0.5, intensity: 1, sharpness: 0.5,
        ", {\"ParameterID\": \"AttackTime\", \"ParameterValue\": \(attack)}")
      try fixture.write(AuthoringFixture.pattern(event), as: "edge")
      let json = try fixture.json(Self.query)
      #expect(Self.kinds(json).contains([0, "rise"]) == isMarked, "\(json)")
    }
  }

  @Test func `without a profile the limits of the rig file are all that is known`() throws {
    let fixture = try AuthoringFixture()
    try fixture.write(
      AuthoringFixture.pattern(AuthoringFixture.event("Transient", sharpness: 0)), as: "edge")
    let json = try fixture.json(Self.query)
    #expect(json["gamut"] == nil && json["limits"]?.elements == [], "\(json)")
    #expect(try fixture.json("edge/advice")["limits"]?.elements == [])
  }

  @Test func `advice has its entry and its place in UTF-16`() throws {
    let fixture = try AuthoringFixture()
    let taps = [(0.0, 0.2), (0.08, 1.0), (0.16, 1.0)].map { time, intensity in
      AuthoringFixture.event("Transient", at: time, intensity: intensity)
    }
    let entries = taps.joined(separator: ",\n")
    let text = """
      {"Version": 1.0, "Metadata": {"Title": "\u{1F941}\u{00E9}"}, "Pattern": [
      \(entries)]}
      """
    try fixture.write(text, as: "row")
    let finding = try #require(try fixture.json("row/advice")["advice"]?.elements?.first)
    #expect(finding["code"]?.string == "AHAP101" && finding["entry"]?.integer == 0, "\(finding)")
    let offset = try #require(finding["offset"]?.integer)
    let units = Array(text.utf16)
    #expect(String(decoding: units[offset..<offset + 7], as: UTF16.self) == "\"Event\"")
  }
}
