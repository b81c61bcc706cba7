// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The names of an audio session that code about an engine needs; nothing here has an effect.
///
/// Code that imports AVFoundation for its session alone finds them where the app's package has a target
/// `AVFoundation` that exports this module.
public final class AVAudioSession: NSObject, Sendable {
  /// What an app's sound is for.
  public struct Category: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Names a category.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Sound that may be left out, along with that of others.
    public static let ambient = Self(rawValue: "AVAudioSessionCategoryAmbient")
    /// Sound that may be left out, alone.
    public static let soloAmbient = Self(rawValue: "AVAudioSessionCategorySoloAmbient")
    /// Sound that the app is for.
    public static let playback = Self(rawValue: "AVAudioSessionCategoryPlayback")
    /// Recording.
    public static let record = Self(rawValue: "AVAudioSessionCategoryRecord")
    /// Recording and sound.
    public static let playAndRecord = Self(rawValue: "AVAudioSessionCategoryPlayAndRecord")
    /// Several devices at once.
    public static let multiRoute = Self(rawValue: "AVAudioSessionCategoryMultiRoute")
  }

  /// What a category is used for.
  public struct Mode: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Names a mode.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing in particular.
    public static let `default` = Self(rawValue: "AVAudioSessionModeDefault")
    /// Calls.
    public static let voiceChat = Self(rawValue: "AVAudioSessionModeVoiceChat")
    /// Video calls.
    public static let videoChat = Self(rawValue: "AVAudioSessionModeVideoChat")
    /// Games' calls.
    public static let gameChat = Self(rawValue: "AVAudioSessionModeGameChat")
    /// Recording video.
    public static let videoRecording = Self(rawValue: "AVAudioSessionModeVideoRecording")
    /// Measuring.
    public static let measurement = Self(rawValue: "AVAudioSessionModeMeasurement")
    /// Films.
    public static let moviePlayback = Self(rawValue: "AVAudioSessionModeMoviePlayback")
    /// Speech.
    public static let spokenAudio = Self(rawValue: "AVAudioSessionModeSpokenAudio")
  }

  /// How a category gets on with other sound.
  public struct CategoryOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Takes bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Along with the sound of others.
    public static let mixWithOthers = Self(rawValue: 1)
    /// Others become quieter.
    public static let duckOthers = Self(rawValue: 2)
    /// Hands-free devices.
    public static let allowBluetooth = Self(rawValue: 4)
    /// The loudspeaker.
    public static let defaultToSpeaker = Self(rawValue: 8)
    /// Speech of others is held.
    public static let interruptSpokenAudioAndMixWithOthers = Self(rawValue: 17)
    /// Wireless loudspeakers.
    public static let allowBluetoothA2DP = Self(rawValue: 32)
    /// Other devices of the house.
    public static let allowAirPlay = Self(rawValue: 64)
  }

  /// What else happens when a session becomes active or ceases to be.
  public struct SetActiveOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Takes bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Others are told that they may go on.
    public static let notifyOthersOnDeactivation = Self(rawValue: 1)
  }

  private static let session = AVAudioSession()

  /// The one session.
  public class func sharedInstance() -> AVAudioSession { session }

  /// Takes whether the session is active.
  public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {}

  /// Takes what the app's sound is for.
  public func setCategory(
    _ category: Category, mode: Mode = .default, options: CategoryOptions = []
  ) throws {}

  /// Takes what the category is used for.
  public func setMode(_ mode: Mode) throws {}

  /// Takes whether haptics play while the session records: on a rig they always do.
  public func setAllowHapticsAndSystemSoundsDuringRecording(_ inValue: Bool) throws {}
}
