// SPDX-License-Identifier: Apache-2.0

/// How loud a whole sound is, by EBU R 128: what a method measures events against.
///
/// Of the mix of all channels, which is what methods work on.
public struct SoundLoudness: Sendable, Equatable {
  /// The gated loudness of the whole, in LUFS; nil where it is too short or too quiet to have one.
  public var integrated: Double?
  /// The largest loudness of any 400 ms, in LUFS; nil for silence.
  public var loudestMomentary: Double?
  /// The largest value between the samples too, in dB of full scale; nil for silence.
  public var truePeak: Double?

  /// Makes a loudness that is known already.
  public init(integrated: Double?, loudestMomentary: Double?, truePeak: Double?) {
    self.integrated = integrated
    self.loudestMomentary = loudestMomentary
    self.truePeak = truePeak
  }

  /// What is quieter is silence, as in the gate of EBU R 128: -70 LUFS.
  public static let silence = -70.0

  /// The loudness that events are measured against: the integrated one, for short sounds that of their
  /// loudest 400 ms; nil for silence.
  public var reference: Double? {
    guard let loudest = loudestMomentary, loudest > Self.silence else { return nil }
    return integrated ?? loudest
  }
}
