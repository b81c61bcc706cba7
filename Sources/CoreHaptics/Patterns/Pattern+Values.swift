// SPDX-License-Identifier: Apache-2.0

import AHAP
import Foundation
import JSONText

extension HapticEvent {
  /// The event that an object of the API says, its values inside their ranges.
  init(_ event: CHHapticEvent, order: Int) throws(CHHapticError) {
    guard let kind = Kind(rawValue: event.type.rawValue) else {
      throw CHHapticError(
        .invalidEventType,
        "there is no event type '\(event.type.rawValue)': there are "
          + Kind.allCases.map(\.rawValue).joined(separator: ", "))
    }
    guard event.relativeTime >= 0, event.relativeTime < .infinity else {
      throw CHHapticError(
        .invalidEventTime, "an event begins at \(event.relativeTime) s: 0 or later is needed")
    }
    // A vibration that is to last until it is stopped may say so: it is as one without a duration.
    guard event.duration >= 0, event.duration < .infinity || kind.isContinuous else {
      throw CHHapticError(
        .invalidEventDuration, "an event lasts \(event.duration) s: a number of 0 or more is needed"
      )
    }
    if kind == .audioCustom, event.audioResourceID == 0 {
      throw CHHapticError(
        .invalidAudioResource,
        "an AudioCustom event has no sound: make it with an audio resource ID of its engine")
    }
    var duration = event.duration > 0 && event.duration < .infinity ? event.duration : nil
    var parameters = EventParameters()
    for parameter in event.eventParameters {
      guard let id = EventParameterID(rawValue: parameter.parameterID.rawValue) else {
        throw CHHapticError(
          .invalidParameterType,
          "there is no event parameter '\(parameter.parameterID.rawValue)': there are "
            + EventParameterID.allCases.map(\.rawValue).joined(separator: ", "))
      }
      parameters[id] = try Self.limited(parameter.value, to: id.range, id.rawValue)
    }
    // Without a fixed end: as long as a continuous event can be, or as its decay takes at most.
    let endless = parameters.sustained == 0 ? 1 : Self.longestDuration
    if kind.isContinuous { duration = min(duration ?? endless, Self.longestDuration) }
    self.init(
      kind: kind, time: event.relativeTime, duration: duration,
      waveformPath: event.audioResourceID == 0
        ? nil : CHHapticPattern.path(ofResource: event.audioResourceID),
      parameters: parameters, order: order)
  }

  /// A value moved to the nearer end of its range.
  static func limited(
    _ value: Float, to range: ClosedRange<Double>, _ name: String
  ) throws(CHHapticError) -> Double {
    guard !value.isNaN else {
      throw CHHapticError(.invalidParameterType, "\(name) is not a number: give one in \(range)")
    }
    return min(max(Double(value), range.lowerBound), range.upperBound)
  }
}

extension DynamicParameterID {
  init(_ id: CHHapticDynamicParameter.ID) throws(CHHapticError) {
    guard let known = Self(rawValue: id.rawValue) else {
      throw CHHapticError(
        .invalidParameterType,
        "there is no dynamic parameter '\(id.rawValue)': there are "
          + Self.allCases.map(\.rawValue).joined(separator: ", "))
    }
    self = known
  }
}

/// Throws where a time lies before its pattern, or is none.
private func check(
  _ time: TimeInterval, _ subject: @autoclosure () -> String
) throws(CHHapticError) {
  guard time >= 0, time < .infinity else {
    throw CHHapticError(.invalidTime, "\(subject()) \(time) s: 0 or later is needed")
  }
}

extension DynamicParameter {
  init(_ parameter: CHHapticDynamicParameter, order: Int) throws(CHHapticError) {
    let id = try DynamicParameterID(parameter.parameterID)
    try check(parameter.relativeTime, "\(id.rawValue) has the time")
    self.init(
      id: id, time: parameter.relativeTime,
      value: try HapticEvent.limited(parameter.value, to: id.range, id.rawValue), order: order)
  }
}

extension ParameterCurve {
  init(_ curve: CHHapticParameterCurve, order: Int) throws(CHHapticError) {
    let id = try DynamicParameterID(curve.parameterID)
    try check(curve.relativeTime, "a curve of \(id.rawValue) has the time")
    var points: [Point] = []
    for point in curve.controlPoints {
      try check(point.relativeTime, "a curve of \(id.rawValue) has a point at")
      points.append(
        Point(
          time: point.relativeTime,
          value: try HapticEvent.limited(point.value, to: id.range, id.rawValue)))
    }
    let ordered = points.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    self.init(id: id, time: curve.relativeTime, points: ordered.map(\.element), order: order)
  }
}

extension JSONValue {
  /// What a dictionary of keys, names and numbers says.
  init(haptic value: Any, path: String) throws(CHHapticError) {
    switch value {
    case let list as [Any]:
      var elements: [JSONValue] = []
      for (index, element) in list.enumerated() {
        elements.append(try JSONValue(haptic: element, path: "\(path)[\(index)]"))
      }
      self = .array(elements)
    case let keyed as [CHHapticPattern.Key: Any]:
      self = try .init(members: keyed.map { ($0.key.rawValue, $0.value) }, path: path)
    case let name as String: self = .string(name)
    case let type as CHHapticEvent.EventType: self = .string(type.rawValue)
    case let id as CHHapticEvent.ParameterID: self = .string(id.rawValue)
    case let id as CHHapticDynamicParameter.ID: self = .string(id.rawValue)
    // By its own type: Foundation lets a number 0 or 1 pass for a Boolean, and the other way round.
    case let flag as Bool where type(of: value) == Bool.self: self = .bool(flag)
    case let number as NSNumber where String(cString: number.objCType) == "c":
      self = .bool(number.boolValue)
    case let whole as Int where type(of: value) == Int.self: self = .integer(whole)
    case let number as Double where number.isFinite: self = .number(number)
    case let number as Float where number.isFinite: self = .number(Double(number))
    case let number as NSNumber where number.doubleValue.isFinite:
      self = .number(number.doubleValue)
    default:
      throw CHHapticError(
        .invalidPatternDictionary,
        "\(path) holds \(type(of: value)) \(value): a key's value is a number, a name, a list or a "
          + "dictionary")
    }
  }

  private init(members: [(String, Any)], path: String) throws(CHHapticError) {
    var all: [JSONMember] = []
    for (key, value) in members.sorted(by: { $0.0 < $1.0 }) {
      all.append(JSONMember(key, try JSONValue(haptic: value, path: "\(path).\(key)")))
    }
    self = .object(all)
  }
}
