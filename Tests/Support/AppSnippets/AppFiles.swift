// SPDX-License-Identifier: Apache-2.0

// Code as an app for iOS has it: `import CoreHaptics` alone, which brings the names of Foundation along.
import CoreHaptics

/// An engine that goes from task to task, and starts again after a reset.
public final class SharedHapticEngine: CHHapticEngine, @unchecked Sendable {
  static func resetting() throws -> SharedHapticEngine {
    let engine = try SharedHapticEngine()
    engine.isAutoShutdownEnabled = true
    engine.resetHandler = { [weak engine] in try? engine?.start() }
    return engine
  }
}

/// An engine of a test of an app: it makes no players.
final class DeafEngine: CHHapticEngine, @unchecked Sendable {
  private(set) var asked = 0

  override func makePlayer(with pattern: CHHapticPattern) throws -> any CHHapticPatternPlayer {
    asked += 1
    throw CHHapticError(.notSupported, userInfo: [NSLocalizedDescriptionKey: "deaf" as Any])
  }
}

/// A device of a test of an app: not an object of Objective-C's.
final class DeafDevice: CHHapticDeviceCapability {
  let supportsHaptics = false
  let supportsAudio = false

  func attributes(
    forEventParameter inParameter: CHHapticEvent.ParameterID,
    eventType type: CHHapticEvent.EventType
  ) throws -> any CHHapticParameterAttributes { throw CHHapticError(.notSupported) }

  func attributes(
    forDynamicParameter inParameter: CHHapticDynamicParameter.ID
  ) throws -> any CHHapticParameterAttributes { throw CHHapticError(.notSupported) }
}

/// Reads an AHAP file by way of a dictionary.
func loadPattern(from url: URL) throws -> CHHapticPattern? {
  let data = try Data(contentsOf: url)
  let json = try JSONSerialization.jsonObject(with: data, options: [])
  guard let dictionary = json as? [CHHapticPattern.Key: Any] else { return nil }
  return try CHHapticPattern(dictionary: dictionary)
}

/// A vibration that is to last until it is stopped.
func buzz(_ type: CHHapticEvent.EventType = .hapticContinuous) throws -> CHHapticPattern {
  let event = CHHapticEvent(
    eventType: type, parameters: [], relativeTime: 0, duration: .infinity)
  return try CHHapticPattern(events: [event], parameters: [])
}

/// A sound that goes on and on.
func loop(_ sound: URL, on engine: CHHapticEngine) throws -> CHHapticPattern {
  let id = try engine.registerAudioResource(
    sound,
    options: [
      CHHapticAudioResourceKeyLoopEnabled: true, CHHapticAudioResourceKeyUseVolumeEnvelope: false,
    ])
  let event = CHHapticEvent(
    audioResourceID: id, parameters: [], relativeTime: 0, duration: 0.3)
  return try CHHapticPattern(events: [event], parameters: [])
}

/// What an old app says of a failure.
func describe(_ work: () throws -> Void) -> String {
  do {
    try work()
  } catch let error as NSError {
    return "\(error.domain) \(error.code)"
  }
  return "done"
}

/// A tap as Apple's article about one plays it: nothing is waited for.
func tapAndStop(_ engine: CHHapticEngine) throws {
  let tap = [
    CHHapticPattern.Key.pattern: [
      [
        CHHapticPattern.Key.event: [
          CHHapticPattern.Key.eventType: CHHapticEvent.EventType.hapticTransient,
          CHHapticPattern.Key.time: 0.001,
          CHHapticPattern.Key.eventDuration: 1.0,
        ]
      ]
    ]
  ]
  let player = try engine.makePlayer(with: CHHapticPattern(dictionary: tap))
  engine.start(completionHandler: nil)
  try player.start(atTime: 0)
  engine.stop(completionHandler: nil)
}

/// What a test of an app asks of an exported pattern: each value by its own type.
func values(exportedBy pattern: CHHapticPattern) throws -> [String] {
  let entries: [[CHHapticPattern.Key: Any]] = try cast(pattern.exportDictionary()[.pattern])
  return try entries.map { entry in
    if let event = entry[.event] as? [CHHapticPattern.Key: Any] {
      let type: CHHapticEvent.EventType = try cast(event[.eventType])
      let parameters: [[CHHapticPattern.Key: Any]] = try cast(event[.eventParameters])
      let values = try parameters.map { parameter in
        let id: CHHapticEvent.ParameterID = try cast(parameter[.parameterID])
        let value: Float = try cast(parameter[.parameterValue])
        return "\(id.rawValue) \(value)"
      }
      let time: TimeInterval = try cast(event[.time])
      let duration: TimeInterval = try cast(event[.eventDuration])
      return "\(type.rawValue) \(time) \(duration) \(values)"
    }
    let step: [CHHapticPattern.Key: Any] = try cast(entry[.parameter])
    let id: CHHapticDynamicParameter.ID = try cast(step[.parameterID])
    let (time, value): (TimeInterval, Float) = try (cast(step[.time]), cast(step[.parameterValue]))
    return "\(id.rawValue) \(time) \(value)"
  }
}

private func cast<Value>(_ value: Any?) throws -> Value {
  guard let value = value as? Value else { throw CocoaError(.coderInvalidValue) }
  return value
}

/// An app that says what its sound is for before it makes an engine.
func engineOfSession() throws -> CHHapticEngine {
  let session = AVAudioSession.sharedInstance()
  try session.setCategory(.playback)
  try session.setCategory(.playAndRecord, mode: .default, options: [.mixWithOthers])
  try session.setActive(true, options: .notifyOthersOnDeactivation)
  return try CHHapticEngine(audioSession: .sharedInstance())
}
