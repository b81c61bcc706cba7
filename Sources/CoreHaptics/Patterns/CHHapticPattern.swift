// SPDX-License-Identifier: Apache-2.0

import AHAP
public import Foundation
import JSONText

/// Events and the parameters that act on them, ready for a player.
///
/// What it is made of is copied: later changes of an event do not reach it.
public final class CHHapticPattern: NSObject, Sendable {
  /// A key of a pattern as a dictionary, and as an AHAP file.
  ///
  /// Apple's is a type of its own, to which Objective-C's dictionaries are bridged. Where there are none
  /// of these it has to be what a `String` can be cast to: apps read an AHAP file as
  /// `JSONSerialization.jsonObject(with: data) as? [CHHapticPattern.Key: Any]`.
  public typealias Key = AnyHashable

  /// The path that stands in `pattern` for a sound that an event names by its number.
  static func path(ofResource id: CHHapticAudioResourceID) -> String { "haprig-resource:\(id)" }

  let pattern: HapticPattern
  /// The registered sounds that its events name.
  let resources: Set<CHHapticAudioResourceID>
  /// The folder that sound files are looked for in; the main bundle's where there is none.
  let folder: String?

  init(_ pattern: HapticPattern, resources: Set<Int> = [], folder: String? = nil) {
    self.pattern = pattern
    self.resources = resources
    self.folder = folder
  }

  /// The length in seconds: the latest end of an event or time of a parameter, without releases.
  public var duration: TimeInterval { pattern.duration }

  /// Makes a pattern of events and of steps of parameters; either may be empty.
  public convenience init(
    events: [CHHapticEvent], parameters: [CHHapticDynamicParameter]
  ) throws {
    try self.init(events: events, parameters: parameters, curves: [])
  }

  /// Makes a pattern of events and of curves of parameters; either may be empty.
  public convenience init(
    events: [CHHapticEvent], parameterCurves: [CHHapticParameterCurve]
  ) throws {
    try self.init(events: events, parameters: [], curves: parameterCurves)
  }

  private convenience init(
    events: [CHHapticEvent], parameters: [CHHapticDynamicParameter],
    curves: [CHHapticParameterCurve]
  ) throws(CHHapticError) {
    var pattern = HapticPattern()
    for (order, event) in events.enumerated() {
      pattern.events.append(try HapticEvent(event, order: order))
    }
    for (order, parameter) in parameters.enumerated() {
      pattern.parameters.append(try DynamicParameter(parameter, order: events.count + order))
    }
    for (order, curve) in curves.enumerated() {
      pattern.curves.append(try ParameterCurve(curve, order: events.count + order))
    }
    self.init(pattern, resources: Set(events.map(\.audioResourceID).filter { $0 != 0 }))
  }

  /// Makes a pattern of the keys and values of an AHAP file.
  ///
  /// Throws what Apple's reader throws: an unknown event type, a missing required entry, a dictionary
  /// that is no pattern. Values out of their range are limited, unknown keys ignored.
  public convenience init(dictionary patternDict: [CHHapticPattern.Key: Any]) throws {
    try self.init(json: try JSONValue(haptic: patternDict, path: "pattern"))
  }

  convenience init(json: JSONValue) throws(CHHapticError) {
    try self.init(
      bytes: Array(json.text().utf8), name: "dictionary", folder: nil,
      unreadable: .invalidPatternDictionary)
  }

  /// Reads a pattern from an AHAP file; its sounds are looked for beside it.
  public convenience init(contentsOf ahapURL: URL) throws {
    let data: Data
    do {
      data = try Data(contentsOf: ahapURL)
    } catch {
      throw CHHapticError(
        .fileNotFound, "\(ahapURL.path): the pattern cannot be read: \(error.localizedDescription)")
    }
    try self.init(
      bytes: Array(data), name: ahapURL.lastPathComponent,
      folder: ahapURL.deletingLastPathComponent().path, unreadable: .invalidPatternData)
  }

  /// Reads a pattern from an AHAP file as `init(contentsOf:)` does, under Objective-C's name for it.
  public convenience init(contentsOfURL ahapURL: URL) throws { try self.init(contentsOf: ahapURL) }

  convenience init(
    bytes: [UInt8], name: String, folder: String?, unreadable: CHHapticError.Code
  ) throws(CHHapticError) {
    do throws(AHAPError) {
      let document = try AHAPReader.read(bytes, fileName: name)
      self.init(document.pattern, folder: folder)
    } catch {
      throw CHHapticError(
        error.appleError.flatMap(CHHapticError.Code.init) ?? unreadable, error.text)
    }
  }

  /// The pattern as the keys and values of an AHAP file.
  ///
  /// Throws `operationNotPermitted` where an event uses a registered sound, which a file cannot name.
  public func exportDictionary() throws -> [CHHapticPattern.Key: Any] {
    guard resources.isEmpty else {
      throw CHHapticError(
        .operationNotPermitted,
        "a pattern with a registered audio resource cannot be exported: name its file instead")
    }
    let text = AHAPWriter.text(pattern)
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    let entries = object["Pattern"] as? [[String: Any]] ?? []
    return [.pattern: entries.map(Self.withDuration).map(Self.exported)]
  }

  /// Values as Apple's engine exports them: names that can be cast to their own types, single precision.
  private static func exported(_ value: Any) -> Any {
    switch value {
    case let keyed as [String: Any]:
      return keyed.reduce(into: [String: Any]()) { values, entry in
        let number = entry.key == "ParameterValue" ? entry.value as? NSNumber : nil
        values[entry.key] = number.map { NSNumber(value: $0.floatValue) } ?? exported(entry.value)
      }
    case let list as [Any]: return list.map(exported)
    case let name as String: return NSString(string: name)
    default: return value
    }
  }

  /// An entry as Apple's engine exports it: an event has a duration, 0 for one that has none.
  private static func withDuration(_ entry: [String: Any]) -> [String: Any] {
    guard var event = entry["Event"] as? [String: Any], event["EventDuration"] == nil else {
      return entry
    }
    event["EventDuration"] = 0.0
    return ["Event": event]
  }
}

/// The keys of a pattern as a dictionary, and as an AHAP file.
extension CHHapticPattern.Key {
  /// Names a key.
  public init(rawValue: String) { self.init(rawValue) }

  /// The name in a file.
  public var rawValue: String { "\(base)" }

  /// The version of the format.
  public static var version: CHHapticPattern.Key { Self("Version") }
  /// The list of entries.
  public static var pattern: CHHapticPattern.Key { Self("Pattern") }
  /// An entry that is an event.
  public static var event: CHHapticPattern.Key { Self("Event") }
  /// The type of an event.
  public static var eventType: CHHapticPattern.Key { Self("EventType") }
  /// A time in seconds.
  public static var time: CHHapticPattern.Key { Self("Time") }
  /// The duration of an event in seconds.
  public static var eventDuration: CHHapticPattern.Key { Self("EventDuration") }
  /// The sound file of an event.
  public static var eventWaveformPath: CHHapticPattern.Key { Self("EventWaveformPath") }
  /// Whether a sound is ramped in and out.
  public static var eventWaveformUseVolumeEnvelope: CHHapticPattern.Key {
    Self("EventWaveformUseVolumeEnvelope")
  }
  /// Whether a sound repeats.
  public static var eventWaveformLoopEnabled: CHHapticPattern.Key {
    Self("EventWaveformLoopEnabled")
  }
  /// The parameters of an event.
  public static var eventParameters: CHHapticPattern.Key { Self("EventParameters") }
  /// An entry that is a parameter.
  public static var parameter: CHHapticPattern.Key { Self("Parameter") }
  /// Which parameter.
  public static var parameterID: CHHapticPattern.Key { Self("ParameterID") }
  /// The value of a parameter.
  public static var parameterValue: CHHapticPattern.Key { Self("ParameterValue") }
  /// An entry that is a curve.
  public static var parameterCurve: CHHapticPattern.Key { Self("ParameterCurve") }
  /// The points of a curve.
  public static var parameterCurveControlPoints: CHHapticPattern.Key {
    Self("ParameterCurveControlPoints")
  }
}

/// A name that is a string of Objective-C's in what `exportDictionary()` gives.
///
/// A value can be cast to the name's own type and to `String` alike, as on Apple's systems.
public protocol ExportedName: RawRepresentable<String>, _ObjectiveCBridgeable
where _ObjectiveCType == NSString {
  /// Takes any name.
  init(rawValue: String)
}

extension CHHapticEvent.EventType: ExportedName {}
extension CHHapticEvent.ParameterID: ExportedName {}
extension CHHapticDynamicParameter.ID: ExportedName {}

extension ExportedName {
  /// Gives the name.
  public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

  /// Takes a name.
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSString, result: inout Self?
  ) -> Bool {
    _forceBridgeFromObjectiveC(source, result: &result)
    return true
  }

  /// Takes a name.
  public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout Self?) {
    result = _unconditionallyBridgeFromObjectiveC(source)
  }

  /// Takes a name; an empty one without.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> Self {
    Self(rawValue: String._unconditionallyBridgeFromObjectiveC(source))
  }
}
