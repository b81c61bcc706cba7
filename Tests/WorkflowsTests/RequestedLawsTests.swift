// SPDX-License-Identifier: Apache-2.0

import Bench
import HapticRendering
import JSONText
import Perception
import SeededRandom
import Testing

@testable import Workflows

/// Laws that were asked for, kept in a record and read back.
struct RequestedLawsTests {
  @Test(arguments: [UInt64](0x1a35_0000..<0x1a35_0064))
  func `what a record keeps is read back as it was`(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var laws = RequestedLaws()
    if random.chance(0.5) {
      laws.sharpness = SharpnessLaw.named[Int(random.uniform() * 3.99)].law
    }
    if random.chance(0.5) { laws.intensity = IntensityLaw.allCases.randomElement(using: &random) }
    if random.chance(0.5) { laws.referenceLevel = random.uniform(11...60) }
    if random.chance(0.5) { laws.mixing = .sum }
    if random.chance(0.5) { laws.ducking = random.uniform() }
    if random.chance(0.5) { laws.transientLength = random.uniform(1...500) }
    if random.chance(0.5) {
      let (first, second) = (random.uniform(0.01...10_000), random.uniform(0.01...10_000))
      laws.envelopeTimes = try #require(
        EnvelopeTimes("\(min(first, second))-\(max(first, second))"))
    }
    laws.sharpnessControlMovesTaps = random.chance(0.5)

    let text = laws.record.text(indent: 0)
    let back = try RequestedLaws(record: JSONValue(parsing: Array(text.utf8)))
    #expect(back.record.text(indent: 0) == text, "\(random)")
    #expect(back.configuration.lawNames.map(\.value) == laws.configuration.lawNames.map(\.value))
    #expect(back.target == laws.target)
  }

  @Test func `a record that says nothing asks for the defaults`() throws {
    let none = try RequestedLaws(record: .object([]))
    #expect(none.record.text(indent: 0) == RequestedLaws().record.text(indent: 0))
  }

  @Test func `what belongs to others in a record is left alone`() throws {
    #expect(try RequestedLaws(record: ["strict": .bool(true)]).mixing == .soft)
  }

  @Test(arguments: [
    "[]", #"{"mixing":"loud"}"#, #"{"mixing":1}"#, #"{"ducking":"1.5"}"#, #"{"ducking":"nan"}"#,
    #"{"transient-length":"0"}"#, #"{"transient-length":"1e9"}"#, #"{"envelope-times":"5-1"}"#,
    #"{"envelope-times":"1--5"}"#, #"{"sharpness-law":"log"}"#, #"{"intensity-law":""}"#,
    #"{"reference-level":"200"}"#, #"{"sharpness-control-moves-taps":"yes"}"#,
  ])
  func `what no record of haprig says is refused by name`(_ text: String) throws {
    let record = try JSONValue(parsing: Array(text.utf8))
    let error = #expect(throws: InputError.self) { try RequestedLaws(record: record) }
    let name = record.objectNames.first ?? "inputs.options"
    #expect(error?.description.contains(name) == true)
  }
}

extension JSONValue {
  fileprivate var objectNames: [String] {
    if case .object(let members) = self { members.map(\.key) } else { [] }
  }
}
