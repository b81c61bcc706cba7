// SPDX-License-Identifier: Apache-2.0

import AHAP
import Testing

/// What a person reads.
struct RenderingTests {
  private let text = """
    {
      "Version": 1.0,
      "Pattern": [
        {"Event": {"Time": 0.0, "EventType": "hapticTransient"}},
        {"ParameterCurves": {}}
      ]
    }

    """

  @Test func `an error shows place, sentence, code, line and caret`() throws {
    let error = try #require(throws: AHAPError.self) {
      _ = try AHAPReader.read(Array(text.utf8), fileName: "tap.ahap")
    }
    #expect(error.code == .eventTypeUnknown)
    #expect(error.appleError == -4821)
    #expect(
      error.description == """
        tap.ahap:4:42: error: 'hapticTransient' is not an event type; write 'HapticTransient' [AHAP023]
                {"Event": {"Time": 0.0, "EventType": "hapticTransient"}},
                                                     ^
        """)
  }

  @Test func `broken JSON shows where it breaks`() throws {
    let error = try #require(throws: AHAPError.self) {
      _ = try AHAPReader.read(Array("{\n  \"Version\" 1.0\n}\n".utf8), fileName: "tap.ahap")
    }
    #expect(error.appleError == -4813)
    #expect(
      error.description == """
        tap.ahap:2:13: error: expected ':' after a key, found '1' [AHAP002]
              "Version" 1.0
                        ^
        """)
  }

  @Test func `strict mode reads on behind a wrong entry`() throws {
    let bytes = Array(text.utf8)
    let document = try AHAPReader.read(bytes, options: AHAPOptions(mode: .strict))
    #expect(
      document.diagnostics.map(\.code) == [.eventTypeUnknown, .keyMisspelled])
    #expect(document.worstSeverity == .error)
    let warning = try #require(document.diagnostics.last)
    #expect(
      warning.text(fileName: "tap.ahap", bytes: bytes) == """
        tap.ahap:5:6: error: 'ParameterCurves' is not a key of an entry of 'Pattern' and is ignored with all it holds; write 'ParameterCurve' [AHAP016]
                {"ParameterCurves": {}}
                 ^
        """)
  }
}
