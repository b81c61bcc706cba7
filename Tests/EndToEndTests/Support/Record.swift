// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Foundation
import JSONText
import Testing
import Units

/// A run's `record.json`.
struct Record {
  let json: JSONValue
  let text: String
  /// The run's folder.
  let folder: URL

  init(_ folder: URL) throws {
    self.folder = folder
    let bytes = try Data(contentsOf: folder.appending(path: "record.json"))
    text = String(decoding: bytes, as: UTF8.self)
    json = try JSONValue(parsing: [UInt8](bytes))
  }

  var status: String? { json["run"]?["status"]?.string }
  var reason: String? { json["run"]?["reason"]?.string }
  var verdict: String? { json["verdict"]?.string }
  var patterns: [JSONValue] { json["patterns"]?.elements ?? [] }
  var takes: [JSONValue] { patterns.flatMap { $0["takes"]?.elements ?? [] } }

  /// The readings of one name, of all patterns and repeats.
  func readings(_ name: String) -> [JSONValue] {
    (json["readings"]?.elements ?? []).filter { $0["name"]?.string == name }
  }

  /// The only reading of a name.
  func reading(_ name: String) throws -> JSONValue {
    let found = readings(name)
    try #require(found.count == 1, "\(found.count) readings of \(name)")
    return found[0]
  }

  /// The value of the only reading of a name, which has to be measured.
  func value(_ name: String) throws -> Double {
    let reading = try reading(name)
    return try #require(
      reading["value"]?.number, "\(name): \(reading["note"]?.string ?? "no value")")
  }

  /// The text without what a run says of its date, host and duration.
  var withoutHeader: String {
    var isHeader = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      if line == " \"header\": {" { isHeader = true }
      defer { if isHeader, line.hasPrefix(" }") { isHeader = false } }
      return !isHeader
    }.joined(separator: "\n")
  }
}

extension Record {
  /// The samples of one channel of what a take captured.
  func response(_ channel: String, ofTake take: JSONValue) throws -> [Float] {
    let response = try #require(take["response"])
    let names = (response["channels"]?.elements ?? []).compactMap { $0["name"]?.string }
    let place = try #require(names.firstIndex(of: channel))
    let channels = response["channels"]?.elements ?? []
    let file = folder.appending(path: try #require(response["file"]?.string))
    let opened = try RegularFile(path: file.path())
    let sound = try RecordedSound(
      descriptor: opened.descriptor, name: file.path(),
      channels: channels.map {
        RunRecord.FileChannel(
          name: $0["name"]?.string ?? "", unit: .one, scale: $0["scale"]?.number)
      })
    let samples = sound.channels[place]
    return samples[samples.indices]
  }
}

extension Workbench {
  /// The record of the only run in an output folder, where nothing else may lie.
  func record(in output: String = "out") throws -> Record {
    let names = names(in: output)
    try #require(names.count == 1, "\(output) holds \(names)")
    return try Record(file(output).appending(path: names[0]))
  }
}

/// Checks that input was refused: one sentence with its place, exit code 2, and no run left behind.
func expectRefusal(
  _ ending: Ending, code: Int32 = 2, saying words: String..., in bench: Workbench,
  at location: SourceLocation = #_sourceLocation
) {
  #expect(ending.code == code, "\(ending.errors)", sourceLocation: location)
  expectSentence(ending, saying: words, at: location)
  #expect(bench.names(in: "out") == [], sourceLocation: location)
  #expect(ending.output == "", sourceLocation: location)
}

/// Checks that what went wrong is said in one sentence, with at most the line and a caret under it.
func expectSentence(
  _ ending: Ending, saying words: [String], at location: SourceLocation = #_sourceLocation
) {
  let lines = ending.errors.split(separator: "\n").filter { $0.hasPrefix("haprig: ") }
  #expect(lines.count == 1, "\(ending.errors)", sourceLocation: location)
  for word in words {
    #expect(ending.errors.contains(word), "\(ending.errors)", sourceLocation: location)
  }
  for sign in ["Fatal error", "Stack dump", "Thread 0", "Swift/", "haprig-e2e-XXXXXX"] {
    #expect(!ending.errors.contains(sign), "\(ending.errors)", sourceLocation: location)
  }
}

extension Record {
  /// The values of all readings of a name that were measured, in the record's order.
  func values(_ name: String) throws -> [Double] {
    readings(name).compactMap { $0["value"]?.number }
  }
}
