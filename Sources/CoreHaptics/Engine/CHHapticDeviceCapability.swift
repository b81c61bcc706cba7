// SPDX-License-Identifier: Apache-2.0

import AHAP
import Devices
public import Foundation

/// The range and the default of a parameter on a device.
public protocol CHHapticParameterAttributes: NSObjectProtocol {
  var minValue: Float { get }
  var maxValue: Float { get }
  /// The value that an event takes which gives none.
  var defaultValue: Float { get }
}

/// What a device can play.
public protocol CHHapticDeviceCapability: AnyObject {
  var supportsHaptics: Bool { get }
  var supportsAudio: Bool { get }
  /// The range of a parameter of a type of event; throws where the type does not know it.
  func attributes(
    forEventParameter inParameter: CHHapticEvent.ParameterID,
    eventType type: CHHapticEvent.EventType
  ) throws -> any CHHapticParameterAttributes
  /// The range of a dynamic parameter.
  func attributes(
    forDynamicParameter inParameter: CHHapticDynamicParameter.ID
  ) throws -> any CHHapticParameterAttributes
}

final class ParameterAttributes: NSObject, CHHapticParameterAttributes {
  let minValue: Float
  let maxValue: Float
  let defaultValue: Float

  init(_ range: ClosedRange<Double>, default value: Double) {
    minValue = Float(range.lowerBound)
    maxValue = Float(range.upperBound)
    defaultValue = Float(value)
  }
}

final class Capability: CHHapticDeviceCapability {
  let supportsHaptics: Bool
  let supportsAudio: Bool

  /// Of a rig; `nil` where there is none that could be used.
  init(rig: RigDescription?) {
    let channels = rig?.drive.channels ?? [:]
    supportsHaptics = channels[.haptic] != nil
    supportsAudio =
      channels[.audio] != nil || channels[.audioLeft] != nil || channels[.audioRight] != nil
  }

  func attributes(
    forEventParameter inParameter: CHHapticEvent.ParameterID,
    eventType type: CHHapticEvent.EventType
  ) throws -> any CHHapticParameterAttributes {
    guard let kind = HapticEvent.Kind(rawValue: type.rawValue) else {
      throw CHHapticError(.invalidEventType, "there is no event type '\(type.rawValue)'")
    }
    guard let id = EventParameterID(rawValue: inParameter.rawValue),
      id.domain == .both ? kind != .hapticTransient : id.domain == kind.domain
    else {
      throw CHHapticError(
        .invalidParameterType, "\(type.rawValue) does not know '\(inParameter.rawValue)'")
    }
    return ParameterAttributes(id.range, default: EventDefaults.apple.value(of: id, for: kind))
  }

  func attributes(
    forDynamicParameter inParameter: CHHapticDynamicParameter.ID
  ) throws -> any CHHapticParameterAttributes {
    let id = try DynamicParameterID(inParameter)
    return ParameterAttributes(id.range, default: id.neutral)
  }
}
