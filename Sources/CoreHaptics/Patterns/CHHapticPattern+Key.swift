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
