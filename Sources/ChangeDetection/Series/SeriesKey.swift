/// What makes one series of nights: the same reading of the same pattern on the same actuator.
public struct SeriesKey: Sendable, Hashable, Comparable {
  /// The rig it was measured on.
  public var rig: String
  /// The actuator's id; empty for a reading of the whole run.
  public var actuator: String
  /// The pattern; empty for a reading of the whole run.
  public var pattern: String
  /// The reading's name as records write it, with `control.` where it is of the A/A control.
  public var reading: String

  /// Makes a key.
  public init(rig: String, actuator: String = "", pattern: String = "", reading: String) {
    self.rig = rig
    self.actuator = actuator
    self.pattern = pattern
    self.reading = reading
  }

  /// Whether the reading is of the rig's A/A control instead of the device under test.
  public var isControl: Bool { reading.hasPrefix("control.") }

  /// Orders by rig, then actuator, pattern and reading, as text.
  public static func < (left: SeriesKey, right: SeriesKey) -> Bool {
    (left.rig, left.actuator, left.pattern, left.reading)
      < (right.rig, right.actuator, right.pattern, right.reading)
  }
}
