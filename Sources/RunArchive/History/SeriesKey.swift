/// What makes the readings of many runs one series.
public struct SeriesKey: Sendable, Hashable {
  /// The rig's name.
  public var rig: String
  /// The actuator's id.
  public var actuator: String
  /// The pattern's name; empty for readings of the whole run.
  public var pattern: String
  /// The reading's name, such as `latency.onset` or `control.noise.floor`.
  public var reading: String

  /// Makes a key.
  public init(rig: String, actuator: String, pattern: String, reading: String) {
    self.rig = rig
    self.actuator = actuator
    self.pattern = pattern
    self.reading = reading
  }
}
