// SPDX-License-Identifier: Apache-2.0

/// How a sound becomes a pattern.
public enum ComposeMethod: String, Sendable, Hashable, CaseIterable {
  /// Level and brightness as one continuous vibration, with taps where octaves rise together.
  case envelope
  /// Taps at the beginnings of notes and hits.
  case onsets
  /// Four bands, each gated and compressed by itself, as one continuous vibration, with taps.
  case bands
  /// The pitch of tonal sounds as a continuous vibration.
  case pitch

  /// What the method does, in a sentence.
  public var about: String {
    switch self {
    case .envelope: "the level and the brightness of the sound, with taps where it rises"
    case .onsets: "taps alone, at the beginnings of notes and hits"
    case .bands: "four bands of the sound, each gated and compressed by itself, with taps"
    case .pitch: "the pitch of tonal sounds"
    }
  }
}
