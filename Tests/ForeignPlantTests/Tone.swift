// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A tone's amplitude and phase in samples, by correlation over a whole number of its periods.
struct Tone {
  let amplitude: Double
  /// In radians after a sine that began at frame 0.
  let phase: Double

  /// Measures a tone of a whole number of hertz over the last whole tenths of a second.
  init(_ samples: [Double], _ frequency: Double, rate: Double = 48_000, seconds: Double = 0.5) {
    let count = Int(seconds * rate)
    let first = samples.count - count
    var (sine, cosine) = (0.0, 0.0)
    for frame in first..<samples.count {
      let angle = 2 * Double.pi * frequency * Double(frame) / rate
      sine += samples[frame] * sin(angle)
      cosine += samples[frame] * cos(angle)
    }
    amplitude = 2 * (sine * sine + cosine * cosine).squareRoot() / Double(count)
    phase = atan2(cosine, sine)
  }

  /// How much later another tone is, in seconds, the nearest of the values that the phase allows.
  func delay(of other: Tone, _ frequency: Double, near expected: Double) -> Double {
    let angle = 2 * Double.pi * frequency
    let difference = phase - other.phase - angle * expected
    return expected + (difference - 2 * Double.pi * (difference / (2 * .pi)).rounded()) / angle
  }

  /// A sine of so many seconds.
  static func sine(
    _ frequency: Double, amplitude: Double, seconds: Double, rate: Double = 48_000
  ) -> [Double] {
    (0..<Int(seconds * rate)).map {
      amplitude * sin(2 * .pi * frequency * Double($0) / rate)
    }
  }
}

/// The closed form of a resonator behind a coil without inductance.
struct Resonator {
  let f0, q, gain: Double

  /// gain / Q s^2 / (s^2 + s w0 / Q + w0^2) at s = j 2 pi f, as magnitude and phase.
  func response(at frequency: Double) -> (magnitude: Double, phase: Double) {
    let ratio = frequency / f0
    let (real, imaginary) = (1 - ratio * ratio, ratio / q)
    let magnitude =
      gain / q * ratio * ratio / (real * real + imaginary * imaginary).squareRoot()
    return (magnitude, .pi - atan2(imaginary, real))
  }
}
