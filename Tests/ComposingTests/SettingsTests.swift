// SPDX-License-Identifier: Apache-2.0

import Composing
import Foundation
import JSONText
import SeededRandom
import Testing
import Units

struct SettingsTests {
  private static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: ["game", "music", "ui", "voice"])
  func `presets that are shipped read, and say nothing twice`(name: String) throws {
    let bytes = try [UInt8](
      Data(contentsOf: Self.root.appending(path: "rigs/presets/\(name).json")))
    let settings = try ComposeSettings(preset: bytes)
    let written = settings.preset.members?.map(\.key) ?? []
    let read = try JSONValue(parsing: bytes).members?.map(\.key) ?? []
    #expect(Set(written) == Set(read))
    #expect(try ComposeSettings(preset: settings.preset.utf8()) == settings)
  }

  @Test(arguments: [
    (#"{"headroom": 6}"#, "1:1: method is missing"),
    (#"{"method": "loud"}"#, "1:12: method is 'loud', but must be one of: envelope, onsets"),
    (#"{"method": "pitch", "loud": 1}"#, "1:21: 'loud' is no key of a preset: known are method"),
    (#"{"method": "pitch", "spacing": 0.1}"#, "1:21: 'spacing' is no key"),
    (#"{"method": "bands", "gate": 5}"#, "1:29: gate is 5.0, but must be from -70.0 to -10.0 dB"),
    (#"{"method": "bands", "gate": "x"}"#, "1:29: gate must be a number"),
    (#"{"method": "bands", "gate": -20, "gate": -30}"#, "gate is there twice"),
    ("{", "1:2"),
  ])
  func `what is wrong in a preset is told with its place`(text: String, told: String) {
    let error = #expect(throws: JSONFieldError.self) {
      try ComposeSettings(preset: Array(text.utf8))
    }
    #expect(error?.description.contains(told) == true, "\(error?.description ?? "")")
  }

  @Test func `every standard is in its range, and every method has its parameters`() {
    for parameter in ComposeParameter.allCases {
      #expect(!parameter.methods.isEmpty && !parameter.about.isEmpty)
      for method in parameter.methods {
        #expect(parameter.standard(for: method).map(parameter.range.contains) == true)
      }
    }
    for method in ComposeMethod.allCases {
      #expect(ComposeSettings(method).parameters.contains(.gate))
    }
  }

  @Test func `the documents have the table of parameters`() throws {
    let file = Self.root.appending(path: "docs/COMPOSING.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains(ComposeParameter.markdownTable), "\(ComposeParameter.markdownTable)")
  }

  /// Composes one sound with each parameter at either end: a parameter that changes nothing is none.
  @Test(arguments: ComposeMethod.allCases)
  func `every parameter acts`(method: ComposeMethod) {
    var random = SeededRandom(seed: 3)
    let sound = RobustnessTests.medley(seconds: 8, rate: Sounds.rate, &random)
    let standard = compose(method, sound).pattern
    for parameter in ComposeSettings(method).parameters {
      let ends = [parameter.range.lowerBound, parameter.range.upperBound]
      let changed = ends.contains { end in
        compose(method, sound) { $0[parameter] = end }.pattern != standard
      }
      #expect(changed, "\(method) \(parameter)")
    }
  }

  @Test func `a value out of range is a programmer's error`() async {
    await #expect(processExitsWith: .failure) {
      var settings = ComposeSettings(.bands)
      settings[.gate] = 3
    }
    await #expect(processExitsWith: .failure) {
      var settings = ComposeSettings(.pitch)
      settings[.threshold] = 3
    }
  }
}

extension ComposeParameter {
  /// The rows of the table in docs/COMPOSING.md.
  static var markdownTable: String {
    let head =
      "| parameter | unit | range | standard | what it is |\n| --- | --- | --- | --- | --- |\n"
    return head
      + allCases.map { parameter in
        let range = "\(parameter.range.lowerBound.brief) to \(parameter.range.upperBound.brief)"
        let values = ComposeMethod.allCases.compactMap { method in
          parameter.standard(for: method).map { (method.rawValue, $0.brief) }
        }
        let common = Set(values.map(\.1)).count == 1 && values.count == ComposeMethod.allCases.count
        let standard =
          common
          ? values[0].1 : values.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        let unit = parameter.unit == .one ? "" : parameter.unit.rawValue
        return "| `\(parameter.rawValue)` | \(unit) | \(range) | \(standard) | \(parameter.about) |"
      }.joined(separator: "\n")
  }
}

extension Double {
  fileprivate var brief: String { String(format: "%g", (self * 1e4).rounded() / 1e4) }
}
