public import Foundation

/// The few names of an audio session that code about an engine needs; nothing here has an effect.
public final class AVAudioSession: NSObject, Sendable {
  private static let session = AVAudioSession()

  /// The one session.
  public class func sharedInstance() -> AVAudioSession { session }

  /// Takes whether the session is active.
  public func setActive(_ active: Bool) throws {}

  /// Takes whether haptics play while the session records: on a rig they always do.
  public func setAllowHapticsAndSystemSoundsDuringRecording(_ inValue: Bool) throws {}
}
