public import Foundation

// The names of types and parameters are strings of Objective-C's in what `exportDictionary()` gives, so that a
// value can be cast to the name's own type and to `String` alike, as on Apple's systems.

extension CHHapticEvent.EventType: _ObjectiveCBridgeable {
  /// Gives the name.
  public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

  /// Takes a name.
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSString, result: inout Self?
  ) -> Bool {
    result = _unconditionallyBridgeFromObjectiveC(source)
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

extension CHHapticEvent.ParameterID: _ObjectiveCBridgeable {
  /// Gives the name.
  public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

  /// Takes a name.
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSString, result: inout Self?
  ) -> Bool {
    result = _unconditionallyBridgeFromObjectiveC(source)
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

extension CHHapticDynamicParameter.ID: _ObjectiveCBridgeable {
  /// Gives the name.
  public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

  /// Takes a name.
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSString, result: inout Self?
  ) -> Bool {
    result = _unconditionallyBridgeFromObjectiveC(source)
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
