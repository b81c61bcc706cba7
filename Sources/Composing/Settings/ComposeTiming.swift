// SPDX-License-Identifier: Apache-2.0

/// How long a method may wait for what comes next before it says what is now.
package struct ComposeTiming: Sendable, Equatable {
  /// The length of spectra, in seconds.
  package let window: Double
  /// How many frames of 5 ms after one are waited for to know that it is an onset.
  package let lookAhead: Int

  /// For a whole sound: spectra as SuperFlux has them, 2,048 samples at 48 kHz.
  package static let whole = ComposeTiming(window: 0.0426, lookAhead: 6)
  /// For a sound that is played as it comes: at most 20 ms for every method.
  package static let live = ComposeTiming(window: 0.0213, lookAhead: 0)
}
