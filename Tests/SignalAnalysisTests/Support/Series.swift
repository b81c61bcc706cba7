// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis

/// A waveform inside a longer recording, moved by a fraction of a frame in the frequency domain.
func placed(_ template: [Double], at delay: Double, of count: Int, gain: Double = 1) -> [Double] {
  var transform = FourierTransform(length: FourierTransform.fastLength(atLeast: count + 2_048))
  let length = Double(transform.length)
  let bins = transform.forward(template.span)
  let moved = bins.indices.map { index in
    gain * (bins[index] * Complex(angle: -2 * .pi * Double(index) / length * delay))
  }
  return Array(transform.inverse(moved).prefix(count))
}

/// The root of the mean square.
func rms(_ values: [Double]) -> Double {
  (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
}

/// Single precision, as recordings are.
func floats(_ values: [Double]) -> [Float] { values.map(Float.init) }
