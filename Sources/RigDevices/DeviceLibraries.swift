import ALSADevices

/// The libraries that devices are reached through.
public enum DeviceLibraries {
  /// The version of alsa-lib.
  public static var alsa: String { SoundCards.libraryVersion }
}
