// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import PublishedPatterns
import SeededRandom
import Testing

/// The canonical form of a file, of which nothing is lost.
struct FormatterTests {
  private func formatted(_ text: String) throws -> String {
    try AHAPFormatter.text(of: Array(text.utf8))
  }

  @Test func `known keys come in one order, points and parameters a line each`() throws {
    let text = """
      {"Pattern":[{"ParameterCurve":{"ParameterCurveControlPoints":[{"ParameterValue":1,"Time":0},
      {"Time":5e-1,"ParameterValue":0.250}],"Time":0,"ParameterID":"HapticIntensityControl"}},
      {"Event":{"EventParameters":[{"ParameterValue":1,"ParameterID":"HapticIntensity"},],
      "EventDuration":1,"EventType":"HapticContinuous","Time":0.10}},
      {"Parameter":{"Time":2,"ParameterValue":0,"ParameterID":"AudioVolumeControl"}}],
      "Metadata":{"Project":"p","Created":"c"},"Version":1}
      """
    #expect(
      try formatted(text) == """
        {
          "Version": 1.0,
          "Metadata": {
            "Project": "p",
            "Created": "c"
          },
          "Pattern": [
            {
              "ParameterCurve": {
                "ParameterID": "HapticIntensityControl",
                "Time": 0.0,
                "ParameterCurveControlPoints": [
                  { "Time": 0.0, "ParameterValue": 1.0 },
                  { "Time": 0.5, "ParameterValue": 0.25 }
                ]
              }
            },
            {
              "Event": {
                "Time": 0.1,
                "EventType": "HapticContinuous",
                "EventDuration": 1.0,
                "EventParameters": [
                  { "ParameterID": "HapticIntensity", "ParameterValue": 1.0 }
                ]
              }
            },
            {
              "Parameter": { "ParameterID": "AudioVolumeControl", "ParameterValue": 0.0, "Time": 2.0 }
            }
          ]
        }

        """)
  }

  @Test func `what has no meaning stays, digit by digit, behind what has`() throws {
    let text = """
      {"Extra":123456789012345678901234567890,"Pattern":[{"Note":[1.50,-0,1E5],"Event":
      {"Tag":"\\u0041\\/","Time":0,"EventType":"HapticTransient","EventParameters":null}}],
      "Metadata":{"b":1.0,"a":1e+2}}
      """
    #expect(
      try formatted(text) == """
        {
          "Metadata": {
            "b": 1.0,
            "a": 1e+2
          },
          "Pattern": [
            {
              "Event": { "Time": 0.0, "EventType": "HapticTransient", "EventParameters": null, "Tag": "A/" },
              "Note": [1.50, -0, 1E5]
            }
          ],
          "Extra": 123456789012345678901234567890
        }

        """)
  }

  @Test func `keys given twice stay in their order, so the last one counts as before`() throws {
    let text = #"{"Pattern":[{"Event":{"Time":2,"EventType":"HapticTransient","Time":1}}]}"#
    let result = try formatted(text)
    #expect(
      result.contains(#""Event": { "Time": 2.0, "Time": 1.0, "EventType": "HapticTransient" }"#))
    #expect(try AHAPReader.read(Array(result.utf8)).pattern.events.first?.time == 1)
  }

  @Test func `values out of range are laid out and not moved`() throws {
    let text = #"{"Pattern":[{"Parameter":{"ParameterID":"x","ParameterValue":-46.4,"Time":-1}}]}"#
    let result = try formatted(text)
    #expect(result.contains(#""ParameterValue": -46.4, "Time": -1.0"#))
  }

  // RFC 8259 allows any number of digits; the nearest double is what a reader gets.
  @Test(arguments: [
    ("0.1000000000000000055511151231257827", "0.1"), ("1e2", "100.0"), ("1E22", "1e+22"),
    ("0.00001", "1e-05"), ("-0", "-0.0"), ("5e-324", "5e-324"), ("1e-999", "0.0"),
  ])
  func `a number of a known key takes the fewest digits that read back`(
    written: String, canonical: String
  ) throws {
    #expect(try formatted("{\"Version\":\(written)}") == "{\n  \"Version\": \(canonical)\n}\n")
  }

  @Test func `a mark at the start and a missing line feed at the end are mended`() throws {
    let bytes: [UInt8] = [0xEF, 0xBB, 0xBF] + Array(#"{"Version":2.50}"#.utf8)
    #expect(try AHAPFormatter.text(of: bytes) == "{\n  \"Version\": 2.5\n}\n")
  }

  @Test func `a line of more than 120 columns is broken`() throws {
    // 15 columns before the brace, 29 to the type and 3 behind it leave 73 for the type, in letters of
    // two bytes.
    let wide = String(repeating: "\u{E9}", count: 73)
    let text = #"{"Pattern":[{"Event":{"EventType":"\#(wide)","Time":0}}]}"#
    #expect(try formatted(text).contains(#"{ "Time": 0.0, "EventType": "\#(wide)" }"#))
    let result = try formatted(text.replacing(wide, with: wide + "x"))
    #expect(result.contains("        \"Time\": 0.0,\n        \"EventType\""))
  }

  @Test(arguments: ["[]", "{}", "null", "3.50", #""x""#, "[1,[2]]"])
  func `any JSON is laid out, whatever it means`(text: String) throws {
    let once = try formatted(text)
    #expect(try formatted(once) == once)
    #expect(try JSONValue(parsing: Array(once.utf8)) == JSONValue(parsing: Array(text.utf8)))
  }

  @Test func `what is not JSON is refused with its place`() throws {
    let error = try #require(throws: AHAPError.self) { try formatted("{\n  \"Version\" 1\n}") }
    #expect(error.code == .brokenJSON)
    #expect(error.position.description == "2:13")
  }

  @Test func `deep nesting and large files are refused, not followed`() throws {
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: AHAPError.self) { try formatted(deep) }
    let error = try #require(throws: AHAPError.self) {
      try AHAPFormatter.text(of: Array("{}  ".utf8), options: AHAPOptions(maximumBytes: 3))
    }
    #expect(error.code == .inputTooLarge)
  }

  @Test func `the deepest nesting that is read is laid out`() throws {
    let depth = 1024
    let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let result = try AHAPFormatter.text(
      of: Array(text.utf8), options: AHAPOptions(nestingLimit: depth))
    #expect(result.filter { !$0.isWhitespace } == text)
  }

  @Test func `random files keep all they hold, and formatting again changes nothing`() throws {
    for seed in 0..<300 {
      var random = SeededRandom(seed: UInt64(seed))
      let text = random.file()
      let once = try formatted(text)
      #expect(try formatted(once) == once, "\(random)")
      #expect(try content(once) == content(text), "\(random)")
      #expect(model(once) == model(text), "\(random)\n\(text)")
    }
  }

  @Test(
    .enabled(if: Corpus.isPresent, "the corpus of published files is not beside the repository"),
    arguments: Corpus.entries)
  func `published files keep all they hold`(entry: Corpus.Entry) throws {
    let bytes = try Corpus.bytes(entry.path)
    let once = try AHAPFormatter.text(of: bytes)
    #expect(try formatted(once) == once)
    #expect(try content(once) == content(String(decoding: bytes, as: UTF8.self)))
    let again = try AHAPReader.read(Array(once.utf8)).pattern
    #expect(again == (try Corpus.read(entry.path).pattern))
  }

  /// The tree with its members in the order of their keys, equal keys as they stand, and its numbers
  /// as doubles.
  private func content(_ text: String) throws -> JSONValue {
    sorted(try JSONValue(parsing: Array(text.utf8), options: .lenient))
  }

  private func sorted(_ value: JSONValue) -> JSONValue {
    switch value {
    case .integer(let number): .number(Double(number))
    case .array(let elements): .array(elements.map(sorted))
    case .object(let members):
      .object(
        members.enumerated().sorted {
          ($0.element.key, $0.offset) < ($1.element.key, $1.offset)
        }.map { JSONMember($0.element.key, sorted($0.element.value)) })
    default: value
    }
  }

  /// What strict mode, which reads on behind faults, makes of a text; nil if nothing.
  private func model(_ text: String) -> HapticPattern? {
    try? AHAPReader.read(Array(text.utf8), options: AHAPOptions(mode: .strict)).pattern
  }
}

extension SeededRandom {
  /// A file of known keys in any order, others among them, some given twice, some of the wrong type.
  fileprivate mutating func file() -> String {
    let pattern = (0..<integer(0...6)).map { _ in entry() }
    return object([
      ("Version", chance(0.9) ? "1" : junk()), ("Pattern", array(pattern)),
      ("Metadata", chance(0.5) ? object([("Project", "\"p\"")]) : junk()),
    ])
  }

  private mutating func entry() -> String {
    switch integer(0...3) {
    case 0:
      let points = (0..<integer(0...4)).map { _ in
        object([("Time", number()), ("ParameterValue", number())])
      }
      return object([
        (
          "ParameterCurve",
          object([
            ("ParameterID", "\"HapticIntensityControl\""), ("Time", number()),
            ("ParameterCurveControlPoints", array(points)),
          ])
        )
      ])
    case 1:
      return object([
        (
          "Parameter",
          object([
            ("ParameterID", "\"AudioPanControl\""), ("Time", number()),
            ("ParameterValue", number()),
          ])
        )
      ])
    default:
      let parameters = (0..<integer(0...3)).map { _ in
        object([("ParameterID", "\"HapticSharpness\""), ("ParameterValue", number())])
      }
      return object([
        (
          "Event",
          object([
            ("Time", number()), ("EventDuration", number()),
            ("EventType", chance(0.5) ? "\"HapticTransient\"" : "\"HapticContinuous\""),
            ("EventParameters", array(parameters)), ("EventWaveformLoopEnabled", "1"),
          ])
        )
      ])
    }
  }

  private mutating func object(_ known: [(String, String)]) -> String {
    var members = known.filter { _ in chance(0.95) }
    if chance(0.2) { members += known.filter { _ in chance(0.3) } }
    if chance(0.3) { members.append(("X\\n\(integer(0...9))", junk())) }
    members.shuffle(using: &self)
    let comma = chance(0.1) && !members.isEmpty ? "," : ""
    return "{" + members.map { "\"\($0.0)\" : \($0.1)" }.joined(separator: ",\n") + comma + "}"
  }

  private mutating func array(_ elements: [String]) -> String {
    let elements = elements + (chance(0.05) ? [junk()] : [])
    return "[" + elements.joined(separator: ", ") + "]"
  }

  private mutating func number() -> String {
    switch integer(0...9) {
    case 0: "\(integer(0...100))"
    case 1: "\(integer(-9...9))e\(integer(-9...9))"
    case 2: "-0.0"
    case 3: junk()
    default: "\(uniform(0...2))"
    }
  }

  private mutating func junk() -> String {
    let choices = [
      "null", "true", "[]", "{}", "\"\\u00e9\\ud83d\\ude00\\\"\\\\\"", "[{\"Time\":1},[2.0]]",
      "{\"Version\":1,\"Version\":2}", "98765432109876543210", "-1.500",
    ]
    return choices[integer(0...(choices.count - 1))]
  }
}
