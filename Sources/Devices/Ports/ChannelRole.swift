/// What a channel of the drive feeds.
public enum DriveRole: String, Sendable, Hashable, CaseIterable {
  /// The actuator.
  case haptic
  /// One loudspeaker or line for all sound.
  case audio
  /// The left of two.
  case audioLeft = "audio-left"
  /// The right of two.
  case audioRight = "audio-right"
  /// A wire back to the capture: carries time from one clock to the other.
  case reference
}

/// What a channel of the capture is wired to.
public enum CaptureRole: String, Sendable, Hashable, CaseIterable {
  /// An accelerometer on the actuator or its mount.
  case acceleration
  /// A microphone or a line from the sound output.
  case audio
  /// The wire from the drive's reference output.
  case reference
  /// The voltage at the actuator.
  case voltage
  /// The current through the actuator.
  case current
}
