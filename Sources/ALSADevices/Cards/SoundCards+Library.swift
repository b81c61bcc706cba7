import CALSA

extension SoundCards {
  /// The version of alsa-lib that is loaded, such as `1.2.8`.
  ///
  /// Corresponds to `snd_asoundlib_version`.
  public static var libraryVersion: String {
    snd_asoundlib_version().map { String(cString: $0) } ?? "unknown"
  }
}
