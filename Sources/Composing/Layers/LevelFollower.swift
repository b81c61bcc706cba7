// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Follows the level of a sound: up at once, down slowly, so that the swing of a tone is no tremor.
struct LevelFollower {
  private let share: Double
  private let holdHops: Int
  /// What the level loses a hop while it falls.
  private let fall: Double
  private var smoothed = 0.0
  private var level = -Double.infinity
  private var held = 0

  /// Takes times in seconds, the hop's own included; the release is that of 40 dB.
  init(attack: Double, hold: Double, release: Double, hop: Double) {
    share = 1 - exp(-hop / max(attack, 1e-6))
    holdHops = Int((hold / hop).rounded())
    fall = 40 * hop / release
  }

  /// Takes the mean square of a hop and gives the level in dB.
  @_noAllocation @_noLocks
  mutating func follow(_ power: Double) -> Double {
    smoothed += share * (power - smoothed)
    if smoothed < 1e-30 { smoothed = 0 }
    let present = decibels(ofPower: smoothed)
    if present >= level {
      level = present
      held = 0
    } else if held < holdHops {
      held += 1
    } else {
      level = max(present, level - fall)
    }
    return level
  }
}
