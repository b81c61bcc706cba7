// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Foundation
import ScratchFolder
import SoundFiles
import Testing
import Units

@testable import AppSnippets

/// What public sources of apps ask of the module besides calling it: shapes of types, casts, subclasses.
struct AppFileTests {
  @Test func `a subclass is an engine`() throws {
    let engine = try SharedHapticEngine.resetting()
    try engine.start()
    try engine.makePlayer(with: pattern()).start(atTime: CHHapticTimeImmediate)
    #expect(engine.isAutoShutdownEnabled)
    let deaf: CHHapticEngine = try DeafEngine(andReturnError: ())
    #expect(throws: CHHapticError(.notSupported)) { try deaf.makePlayer(with: pattern()) }
    #expect((deaf as? DeafEngine)?.asked == 1)
    let device: any CHHapticDeviceCapability = DeafDevice()
    #expect(!device.supportsHaptics)
  }

  @Test func `a file that was read as a dictionary is a pattern`() throws {
    let folder = try ScratchFolder()
    let text = """
      {"Version": 1, "Pattern": [
        {"Event": {"EventType": "HapticContinuous", "Time": 0.25, "EventDuration": 0.5,
          "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterValue": 1}]}},
        {"Event": {"EventType": "HapticTransient", "Time": 1}}
      ]}
      """
    let file = URL(fileURLWithPath: try folder.write(text, to: "tap.ahap"))
    let read = try #require(try loadPattern(from: file))
    #expect(read.duration == 1)
    #expect(try CHHapticPattern(contentsOfURL: file).duration == 1)
  }

  @Test func `what is exported is what Apple's engine exports`() throws {
    let swell = CHHapticParameterCurve(
      parameterID: .hapticIntensityControl,
      controlPoints: [.init(relativeTime: 0, value: 0.25), .init(relativeTime: 1, value: 1)],
      relativeTime: 0)
    let tap = CHHapticEvent(
      eventType: .hapticTransient,
      parameters: [.init(parameterID: .hapticIntensity, value: 0.5)], relativeTime: 1)
    let exported = try CHHapticPattern(events: [tap], parameterCurves: [swell]).exportDictionary()
    #expect(exported.keys.map(\.rawValue) == ["Pattern"], "no version")
    let entries = try #require(exported[.pattern] as? [[String: Any]])
    #expect(entries.map { Array($0.keys) } == [["Event"], ["ParameterCurve"]])
    let event = try #require(entries.first?["Event"] as? [String: Any])
    #expect(event["EventDuration"] as? Double == 0, "a tap has a duration of 0")
    #expect(event["EventType"] as? String == "HapticTransient")
    let parameters = try #require(event["EventParameters"] as? [[String: Any]])
    #expect(parameters.first?["ParameterValue"] as? Double == 0.5)
  }

  @Test func `what is exported can be cast to the types that Apple's can be cast to`() throws {
    let tap = CHHapticEvent(
      eventType: .hapticTransient,
      parameters: [.init(parameterID: .hapticSharpness, value: 0.3)], relativeTime: 1)
    let step = CHHapticDynamicParameter(
      parameterID: .hapticIntensityControl, value: 0.7, relativeTime: 0)
    let pattern = try CHHapticPattern(events: [tap], parameters: [step])
    #expect(
      try values(exportedBy: pattern) == [
        "HapticTransient 1.0 0.0 [\"HapticSharpness 0.3\"]", "HapticIntensityControl 0.0 0.7",
      ])
    let again = try CHHapticPattern(dictionary: pattern.exportDictionary())
    #expect(try values(exportedBy: again) == values(exportedBy: pattern))
    let text = try JSONSerialization.data(withJSONObject: pattern.exportDictionary())
    let read = try #require(try dictionary(text))
    #expect(try CHHapticPattern(dictionary: read).duration == 1)
  }

  @Test func `a tap whose engine is stopped at once is felt`() throws {
    let folder = try ScratchFolder()
    for clock in [EngineBench.Clock.stepped, .host] {
      let records = folder.file("\(clock)")
      let engine = CHHapticEngine(bench: EngineBench(clock: clock, records: records))
      try tapAndStop(engine)
      let heard = Heard()
      engine.stop { _ in heard.say("stopped") }
      #expect(heard.wait(for: 1) == ["stopped"])
      let record = try #require(ScratchFolder.names(in: records).first)
      let drive = try SoundFile.read(path: "\(records)/\(record)/drive.wav")
      let felt = drive.channels[0].samples.count { abs($0) > 0.1 }
      #expect(felt > 480, "10 ms of a tap")
    }
  }

  @Test func `an app says what its sound is for`() throws {
    let engine = try engineOfSession()
    try engine.start()
  }

  @Test func `a vibration without an end lasts as long as one can`() throws {
    #expect(try buzz().duration == 30)
    #expect(throws: CHHapticError(.invalidEventDuration)) { try buzz(.hapticTransient) }
  }

  @Test func `options of a sound are known by Apple's names`() throws {
    let folder = try ScratchFolder()
    let sound = URL(fileURLWithPath: folder.file("tick.wav"))
    var file = try SoundFileWriter(path: sound.path, channels: 1, rate: .standard)
    try file.write(Array(repeating: 0.5, count: 480))
    try file.close()
    let engine = steppedEngine(records: folder.file("records"))
    try engine.start()
    try engine.makePlayer(with: loop(sound, on: engine)).start(atTime: 0)
    engine.advance(by: 0.5)
    let heard = Heard()
    engine.stop { _ in heard.say("stopped") }
    #expect(heard.wait(for: 1) == ["stopped"])
    let records = ScratchFolder.names(in: folder.file("records"))
    let drive = try SoundFile.read(
      path: folder.file("records/\(try #require(records.first))/drive.wav"))
    let longest = drive.channels.map { channel in
      channel.samples.count { abs($0) > 0.1 }
    }.max()
    #expect(try #require(longest) > 9600, "10 ms of sound repeat for 300 ms")
  }

  private func dictionary(_ text: Data) throws -> [CHHapticPattern.Key: Any]? {
    try JSONSerialization.jsonObject(with: text) as? [CHHapticPattern.Key: Any]
  }

  @Test func `an old app knows an error as NSError`() throws {
    let engine = steppedEngine()
    let player = try engine.makePlayer(with: pattern())
    #expect(describe { try player.start(atTime: 0) } == "com.apple.CoreHaptics -4805")
  }
}
