// SPDX-License-Identifier: Apache-2.0

/// What the continuous vibration is to be during a hop.
package struct LayerValue: Sendable, Equatable {
  /// The level of the vibration, in dB below full; -infinity for silence.
  package var level: Double
  /// The sharpness, 0...1.
  package var sharpness: Double

  @_noAllocation @_noLocks
  package init(level: Double, sharpness: Double) {
    (self.level, self.sharpness) = (level, sharpness)
  }

  package static var silence: LayerValue {
    @_noAllocation @_noLocks get { LayerValue(level: -.infinity, sharpness: 0) }
  }
}

/// How the level of sound becomes that of the vibration.
struct LevelMap {
  /// The level of the sound at which the vibration is full, in dB of full scale or LUFS.
  let full: Double
  let dynamics: Double
  private let gate: Double
  private var isOpen = false

  init(full: Double, dynamics: Double, gate: Double) {
    (self.full, self.dynamics, self.gate) = (full, dynamics, gate)
  }

  /// Once open the gate stays so until the level is 3 dB below where it opened, so that a level near it does
  /// not chatter.
  private let hysteresis = 3.0

  /// The level of the vibration for a level of the sound.
  @_noAllocation @_noLocks
  mutating func map(_ level: Double) -> Double {
    let relative = level - full
    isOpen = relative >= (isOpen ? gate - hysteresis : gate)
    return isOpen ? min(0, relative * dynamics) : -.infinity
  }
}
