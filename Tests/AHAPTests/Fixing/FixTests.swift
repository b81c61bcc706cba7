// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

@testable import AHAP

/// What is told of a fix, and of files that cannot be fixed.
struct FixTests {
  /// Findings that their code's fix does not reach: what is meant there is not for a fixer to say.
  private static let beyondFixing = [
    // An entry with two contents; an ID or a key that would need another place or another value.
    #"@@{"Event": {"Time": 9, "EventType": "HapticTransient"}, "Parameter": {"#, #"@@"Events": ["#,
    #"@@"pattern": 1"#, #"@@"Buzz""#, #"@@"hapticintensity""#,
    #"{"Time": 0.1, "ParameterValue": 1}"#,
    // What lacks a required value that no other key was meant to give.
    " @@{\"Version\": 1.0}", #"{@@"Event": {"Time": 1}"#, #"{@@"Parameter": {"#,
    #"{@@"Event": {"Time": 1, "EventType": "HapticContinuous"}"#,
    #"{@@"Event": {"Time": 1, "EventType": "Audio"#, #"{@@"ParameterCurve": {"#,
    #"@@{"ParameterID": "AttackTime"}"#, #"@@{"ParameterValue": 1}"#,
  ]

  @Test(arguments: DiagnosticTests.files + DiagnosticTests.entries + DiagnosticTests.details)
  func `a finding with a fix has it at the same place`(finding: Finding) throws {
    guard finding.code != .brokenJSON, finding.code != .inputTooLarge else { return }
    let fixes = try AHAPFixer.fixes(for: finding.bytes, kinds: Set(FixKind.allCases))
    let own = fixes.filter { $0.code == finding.code }
    for fix in own {
      #expect(finding.code.fixKinds.contains(fix.kind))
      #expect(!fix.summary.isEmpty && !fix.summary.hasSuffix(".") && !fix.edits.isEmpty)
    }
    let isBeyond = Self.beyondFixing.contains { finding.marked.contains($0) }
    let isExpected = !finding.code.fixKinds.isEmpty && !isBeyond
    let isThere = own.contains {
      $0.position.line == finding.line && $0.position.column == finding.column
    }
    #expect(isThere == isExpected, "\(own)")
  }

  @Test func `each code that names a kind of fix has an example with that kind`() throws {
    var shown: [DiagnosticCode: Set<FixKind>] = [:]
    let mendings =
      FixerTests.layout + FixerTests.events + FixerTests.controls + FixerTests.named
    for mending in mendings {
      for fix in try AHAPFixer.fixed(Array(mending.before.utf8), kinds: mending.kinds).applied {
        shown[fix.code, default: []].insert(fix.kind)
      }
    }
    for code in DiagnosticCode.allCases {
      #expect(shown[code, default: []] == Set(code.fixKinds), "\(code)")
    }
  }

  @Test func `a fix that another one uncovers has its place in the text as it was`() throws {
    let text = """
      {"Version": 1,
       "Pattern": [
        {"Event": {"time": -1, "EventType": "HapticTransient",
          "EventParameters": [{"ParameterID": "hapticSharpness", "ParameterValue": 7}]}}
      ]}
      """
    let applied = try AHAPFixer.fixed(
      Array(text.replacing("-1", with: "1").utf8), kinds: Set(FixKind.allCases)
    ).applied
    #expect(
      applied.map { "\($0.position) \($0.code.rawValue)" } == [
        "1:13 AHAP013", "3:4 AHAP037", "3:14 AHAP016", "4:41 AHAP033", "4:78 AHAP035",
      ])
  }

  @Test func `what no fix can mend stays, and the rest is mended`() throws {
    let text = """
      {"Version": 1.0, "Pattern": [
        {"Event": {"Time": -1, "EventType": "HapticTransient", \(Mending.full)}},
        {"Event": {"Time": 1, "EventTyp": "HapticTransient", \(Mending.full)}},]}
      """
    let fixed = try AHAPFixer.fixed(Array(text.utf8))
    let mended = text.replacing("\"EventTyp\"", with: "\"EventType\"").replacing(",]", with: "]")
    #expect(String(decoding: fixed.bytes, as: UTF8.self) == mended)
    #expect(fixed.applied.map(\.code) == [.eventFieldMissing, .trailingComma])
    #expect(fixed.applied.allSatisfy { $0.kind == .safe })
  }

  @Test func `a file without a list of entries is refused with its place in the text as it was`()
    throws
  {
    let text = "{\"Version\": 1,\n \"pattern\": [], \"Pattern\": 7}"
    let error = try #require(throws: FixError.self) {
      _ = try AHAPFixer.fixed(Array(text.utf8), fileName: "tap.ahap")
    }
    guard case .unreadable(let fault) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(fault.code == .patternNotAnArray && fault.position.description == "2:28")
  }

  @Test func `points that end with an event as they are counted are not moved`() throws {
    // The shape of Apple's Jump: the first point equals the curve's time by chance.
    let text = """
      {"Version": 1.0, "Pattern": [
        {"Event": {"Time": 0.07, "EventType": "HapticContinuous", "EventDuration": 0.37}},
        {"ParameterCurve": {"ParameterID": "HapticIntensityControl", "Time": 0.07,
          "ParameterCurveControlPoints": [{"Time": 0.07, "ParameterValue": 1.0},
            {"Time": 0.37, "ParameterValue": 0.0}]}}]}

      """
    #expect(try AHAPFixer.fixes(for: Array(text.utf8), kinds: [.rebase]) == [])
  }

  @Test func `what is not JSON is refused by both`() throws {
    let bytes = Array("{\"Pattern\": [1 2]}".utf8)
    let fault = try #require(throws: AHAPError.self) { _ = try AHAPFixer.fixes(for: bytes) }
    #expect(fault.code == .brokenJSON && fault.position.column == 16)
    #expect(throws: FixError.unreadable(fault)) { _ = try AHAPFixer.fixed(bytes) }
  }

  @Test func `a file whose type is in the wrong case has fixes though it cannot be read`() throws {
    let text =
      #"{"Version": 1.0, "Pattern": [{"Event": {"Time": 0, "EventType": "hapticTransient"}}]}"#
    let fixes = try AHAPFixer.fixes(for: Array(text.utf8), kinds: [.safe])
    #expect(fixes.map(\.summary) == ["write 'HapticTransient' for 'hapticTransient'"])
    #expect(fixes.first?.edits == [TextEdit(range: 64..<81, replacement: "\"HapticTransient\"")])
  }

  @Test func `no fix is given that alone would bring an earlier value to life`() throws {
    let text = """
      {"Version": 1.0, "Pattern": [{"Event": {"EventDuration": 3, "Time": 0,
        "EventType": "HapticTransient", \(Mending.full), "EventDuration": -1}}]}

      """
    #expect(try AHAPFixer.fixes(for: Array(text.utf8)).map(\.code) == [.duplicateKey])
  }

  @Test func `points are not sorted where one of them has no time`() throws {
    let text = """
      {"Version": 1.0, "Pattern": [{"ParameterCurve": {"ParameterID": "AudioPanControl",
        "ParameterCurveControlPoints": [{"Time": 2, "ParameterValue": 0}, {"ParameterValue": 0},
        {"Time": 1, "ParameterValue": 0}]}}]}

      """
    #expect(try AHAPFixer.fixes(for: Array(text.utf8), kinds: Set(FixKind.allCases)) == [])
  }

  @Test func `the words of the kinds are those of the command`() {
    #expect(FixKind.allCases.map(\.rawValue) == ["safe", "rebase", "case", "names", "clamp"])
    #expect(FixKind.allCases.filter(\.keepsWhatIsFelt) == [.safe, .clamp])
  }
}
