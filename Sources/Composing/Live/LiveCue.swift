// SPDX-License-Identifier: Apache-2.0

/// What a sound that is followed asks for from the end of a hop on.
package struct LiveCue: Sendable, Equatable {
  /// The intensity of the vibration, 0...1.
  package var intensity = 0.0
  /// The sharpness of the vibration, 0...1.
  package var sharpness = 0.5
  /// The intensity of a tap that begins now; 0 for none.
  package var tapIntensity = 0.0
  /// The sharpness of that tap.
  package var tapSharpness = 0.5

  @_noAllocation @_noLocks
  package init() {}
}

/// How a sound that is followed is just now, and what is made of it.
package struct LivePresent: Sendable, Equatable {
  /// The level of the loudest hop since it was asked last, in dB of full scale: -3 for a full sine.
  package var heard: Double
  /// The gain in force, in dB.
  package var gain: Double
  /// Whether the sound is above the gate.
  package var isOpen: Bool
  /// The highest intensity since it was asked last, of vibration or taps.
  package var intensity: Double
  /// The newest sharpness of what was felt.
  package var sharpness: Double
}

/// How much later than the sound a method is, in seconds.
package struct LiveDelay: Sendable, Equatable {
  /// From a step of the sound to the middle of the step of the vibration's amplitude, or to the tap.
  package var typical: Double
  /// The same where the sound is least favourable: low bands, and steps just after the beginning of a hop.
  package var longest: Double
}
