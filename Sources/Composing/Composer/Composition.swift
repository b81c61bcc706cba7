// SPDX-License-Identifier: Apache-2.0

public import AHAP

/// What a sound was composed to.
public struct Composition: Sendable, Equatable {
  /// The pattern.
  public let pattern: HapticPattern
  /// The length of the sound, in seconds.
  public let duration: Double
  /// How many samples were no finite number; they counted as zero.
  public let faultCount: Int
  /// What the method saw, where it was asked for.
  public let trace: CompositionTrace?
}

/// What a method saw of a sound and wanted, as lines that begin with the sound.
///
/// A line may be shorter than the others, and is empty where the method has no such thing.
public struct CompositionTrace: Sendable, Equatable {
  /// The time between two points, in seconds.
  public internal(set) var step: Double
  /// The level of the sound, in dB of full scale.
  public internal(set) var level: [Float] = []
  /// The level of each octave from 62.5 Hz on, in dB of full scale.
  public internal(set) var octaves = [[Float]](repeating: [], count: OctaveBank.count)
  /// How much the sound rises, in dB: what the threshold of taps is held against.
  public internal(set) var rise: [Float] = []
  /// The intensity of the layer, 0...1, before taps make room in it.
  public internal(set) var intensity: [Float] = []
  /// The sharpness of the layer, 0...1.
  public internal(set) var sharpness: [Float] = []

  /// The level that stands for silence, in dB of full scale.
  public static let quietest: Float = -120
}
