// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import Testing

/// What is read from a file.
struct ReaderTests {
  private func read(_ entries: String, mode: AHAPMode = .apple) throws -> AHAPDocument {
    let text = "{\"Version\": 1.0, \"Pattern\": [\(entries)]}\n"
    return try AHAPReader.read(Array(text.utf8), options: AHAPOptions(mode: mode))
  }

  @Test func `every field of an event is read`() throws {
    let event = try #require(
      try read(
        #"""
        {"Event": {"Time": 0.25, "EventType": "AudioCustom", "EventDuration": 2, "EventWaveformPath": "a b.wav",
        "EventWaveformUseVolumeEnvelope": false, "EventWaveformLoopEnabled": true, "EventParameters": [
        {"ParameterID": "AudioVolume", "ParameterValue": 0.1}, {"ParameterID": "AudioPitch", "ParameterValue": -0.2},
        {"ParameterID": "AudioPan", "ParameterValue": -1}, {"ParameterID": "AudioBrightness", "ParameterValue": 0.4},
        {"ParameterID": "AttackTime", "ParameterValue": 0.5}, {"ParameterID": "DecayTime", "ParameterValue": 0.6},
        {"ParameterID": "ReleaseTime", "ParameterValue": 0.7}, {"ParameterID": "Sustained", "ParameterValue": 0},
        {"ParameterID": "HapticIntensity", "ParameterValue": 0.8}, {"ParameterID": "HapticSharpness", "ParameterValue": 0.9}
        ]}}
        """#
      ).pattern.events.first)
    #expect(event.kind == .audioCustom && event.time == 0.25 && event.duration == 2)
    #expect(event.waveformPath == "a b.wav" && !event.useVolumeEnvelope && event.loopEnabled)
    let expected: [EventParameterID: Double] = [
      .audioVolume: 0.1, .audioPitch: -0.2, .audioPan: -1, .audioBrightness: 0.4, .attackTime: 0.5,
      .decayTime: 0.6, .releaseTime: 0.7, .sustained: 0, .hapticIntensity: 0.8,
      .hapticSharpness: 0.9,
    ]
    for (id, value) in expected { #expect(event.parameters[id] == value) }
  }

  @Test func `parameters and curves are read with their ranks and places`() throws {
    let document = try read(
      #"""

      {"ParameterCurve": {"ParameterID": "HapticSharpnessControl", "Time": 0.5,
        "ParameterCurveControlPoints": [{"Time": 0, "ParameterValue": -1}, {"Time": 0.1, "ParameterValue": 1}]}},
      {"Ignored": 1},
      {"Parameter": {"ParameterID": "AudioVolumeControl", "ParameterValue": 0.3}},
      {"Event": {"Time": 0, "EventType": "HapticTransient"}}
      """#)
    let curve = try #require(document.pattern.curves.first)
    #expect(curve.id == .hapticSharpness && curve.time == 0.5)
    #expect(curve.points.map(\.value) == [-1, 1] && curve.points.map(\.time) == [0, 0.1])
    let parameter = try #require(document.pattern.parameters.first)
    #expect(parameter.id == .audioVolume && parameter.value == 0.3 && parameter.time == 0)
    let event = try #require(document.pattern.events.first)
    #expect([curve.order, parameter.order, event.order] == [0, 1, 2])
    #expect(curve.source.position.map { [$0.line, $0.column] } == [2, 2])
    #expect(parameter.source.position.map { [$0.line, $0.column] } == [5, 2])
    #expect(event.source.position.map { [$0.line, $0.column] } == [6, 2])
  }

  @Test(arguments: DynamicParameterID.allCases)
  func `every dynamic ID is read`(id: DynamicParameterID) throws {
    let pattern = try read(
      "{\"Parameter\": {\"ParameterID\": \"\(id.rawValue)\", \"ParameterValue\": -1}}"
    ).pattern
    #expect(pattern.parameters.map(\.id) == [id])
    #expect(pattern.parameters.map(\.value) == [id.range.lowerBound])
  }

  @Test(arguments: HapticEvent.Kind.allCases)
  func `every event type is read`(kind: HapticEvent.Kind) throws {
    let pattern = try read(
      """
      {"Event": {"Time": 0, "EventType": "\(kind.rawValue)", "EventDuration": 1, "EventWaveformPath": "a"}}
      """
    ).pattern
    #expect(pattern.events.map(\.kind) == [kind])
  }

  @Test func `the last of duplicate keys counts`() throws {
    let pattern = try read(
      #"{"Event": {"Time": 1, "EventType": "HapticTransient", "Time": 2, "T\u0069me": 3}}"#
    ).pattern
    #expect(pattern.events.map(\.time) == [3])
  }

  @Test func `names may be written with escapes`() throws {
    let pattern = try read(
      #"{"\u0045vent": {"Time": 1, "EventType": "Haptic\u0054ransient"}}"#
    ).pattern
    #expect(pattern.events.map(\.kind) == [.hapticTransient])
  }

  @Test func `control points are sorted and those at one time keep their order`() throws {
    let curve = try #require(
      try read(
        #"""
        {"ParameterCurve": {"ParameterID": "HapticIntensityControl", "ParameterCurveControlPoints": [
        {"Time": 0.2, "ParameterValue": 0.1}, {"Time": 0.1, "ParameterValue": 0.2},
        {"Time": 0.2, "ParameterValue": 0.3}]}}
        """#
      ).pattern.curves.first)
    #expect(curve.points.map(\.value) == [0.2, 0.1, 0.3])
  }

  @Test func `metadata is kept as it is written`() throws {
    let text = #"{"Metadata": {"Created": "today", "n": [1, 1.0, null]}, "Pattern": []}"#
    let pattern = try AHAPReader.read(Array(text.utf8)).pattern
    #expect(pattern.metadata == ["Created": "today", "n": [1, 1.0, nil]])
    #expect(pattern.version == 1)
    let again = try AHAPReader.read(Array(AHAPWriter.text(pattern).utf8)).pattern
    #expect(again == pattern)
  }

  @Test func `strict mode keeps the good entries in their order`() throws {
    let document = try read(
      #"""
      {"Event": {"Time": 0, "EventType": "HapticTransient"}}, 5, {"Event": {"Time": 1}},
      {"Parameter": {"ParameterID": "AudioPanControl"}}, {"Event": {"Time": 2, "EventType": "HapticTransient"}}
      """#, mode: .strict)
    #expect(document.pattern.events.map(\.time) == [0, 2])
    #expect(document.pattern.events.map(\.order) == [0, 1])
  }

  @Test(arguments: [true, false], [true, false])
  func `a UTF-16 file is refused with its name`(isLittleEndian: Bool, hasMark: Bool) throws {
    let units: [UInt16] = (hasMark ? [0xFEFF] : []) + Array("{}".utf16)
    let bytes = units.flatMap { unit in
      isLittleEndian
        ? [UInt8(unit & 0xFF), UInt8(unit >> 8)] : [UInt8(unit >> 8), UInt8(unit & 0xFF)]
    }
    let error = try #require(throws: AHAPError.self) { _ = try AHAPReader.read(bytes) }
    #expect(error.diagnostic.message == "the text is UTF-16; save it as UTF-8")
  }

  @Test func `entries are counted as written, those that are left out included`() throws {
    let document = try read(
      """
      {"Parameter": {"ParameterID": "Bogus", "ParameterValue": 1, "Time": 0}},
      {"ParameterCurve": {"ParameterID": "hapticIntensityControl", "Time": 0,
        "ParameterCurveControlPoints": [{"Time": 0, "ParameterValue": 1},
          {"Time": 1, "ParameterValue": 0}]}}
      """)
    #expect(document.pattern.parameters.isEmpty && document.pattern.curves.isEmpty)
    #expect(document.entries.parameters == 1)
    #expect(document.entries.curves == 1)
    #expect(document.entries.controlPoints == 2)
  }

  @Test func `deep nesting is an error and not a trap`() throws {
    let text = String(repeating: "[", count: 100_000)
    let error = try #require(throws: AHAPError.self) { _ = try AHAPReader.read(Array(text.utf8)) }
    #expect(error.code == .brokenJSON)
  }

  @Test func `enormous times do not trap`() throws {
    let document = try read(
      #"""
      {"Event": {"Time": 1e308, "EventType": "HapticTransient", "EventDuration": 1.7e308}},
      {"ParameterCurve": {"ParameterID": "HapticIntensityControl", "Time": 1e308,
        "ParameterCurveControlPoints": [{"Time": 1e308, "ParameterValue": 1}]}}
      """#)
    #expect(document.diagnostics.contains { $0.code == .patternLong })
  }

  @Test(arguments: 1..<20 as Range<UInt64>)
  func `a damaged file is refused or read but never traps`(seed: UInt64) throws {
    let whole = (DiagnosticTests.entries + DiagnosticTests.details).map(\.bytes)
    var state = seed
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for file in whole {
      for _ in 0..<10 {
        var bytes = file
        for _ in 0...random(3) {
          let index = random(bytes.count)
          switch random(3) {
          case 0: bytes.remove(at: index)
          case 1: bytes[index] = UInt8(random(256))
          default: bytes.insert(bytes[random(bytes.count)], at: index)
          }
        }
        for mode in AHAPMode.allCases {
          do {
            let document = try AHAPReader.read(bytes, options: AHAPOptions(mode: mode))
            let again = try AHAPReader.read(Array(AHAPWriter.text(document.pattern).utf8))
            #expect(again.pattern == document.pattern, "seed \(seed)")
          } catch {
            #expect(!error.text.isEmpty, "seed \(seed)")
          }
        }
      }
    }
  }
}
