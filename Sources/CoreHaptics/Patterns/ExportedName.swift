public import Foundation

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
