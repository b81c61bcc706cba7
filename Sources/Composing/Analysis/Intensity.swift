// SPDX-License-Identifier: Apache-2.0

/// Intensity and the level that it asks for, by the law `square`: amplitude grows with its square.
enum Intensity {
  /// The intensity of a level of vibration in dB below full: 40 dB from 1 to 0.1.
  @_noAllocation @_noLocks
  static func of(level: Double) -> Double { powerOfTwo(level / 12.041199826559248) }
}
