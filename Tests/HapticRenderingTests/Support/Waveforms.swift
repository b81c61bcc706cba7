// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The frequency of a tone from the times of its rising zero crossings, in cycles a sample.
///
/// The slope of a line through the crossings, each found by a straight line between two samples.
func frequency(of samples: some Collection<Float>) -> Double {
  let values = Array(samples)
  var crossings: [Double] = []
  for index in 1..<values.count where values[index - 1] < 0 && values[index] >= 0 {
    let (a, b) = (Double(values[index - 1]), Double(values[index]))
    crossings.append(Double(index - 1) - a / (b - a))
  }
  let n = Double(crossings.count)
  guard n >= 2 else { return 0 }
  let meanIndex = (n - 1) / 2
  let meanTime = crossings.reduce(0, +) / n
  var (products, squares) = (0.0, 0.0)
  for (index, time) in crossings.enumerated() {
    products += (Double(index) - meanIndex) * (time - meanTime)
    squares += (Double(index) - meanIndex) * (Double(index) - meanIndex)
  }
  return squares / products
}

/// The amplitude of a signal at one frequency, in cycles a sample: a discrete Fourier sum under a
/// Hann window.
func amplitude(of samples: some Collection<Float>, at frequency: Double) -> Double {
  let count = Double(samples.count)
  var (real, imaginary, weight) = (0.0, 0.0, 0.0)
  for (index, sample) in samples.enumerated() {
    let window = 0.5 - 0.5 * cos(2 * .pi * Double(index) / count)
    let angle = 2 * Double.pi * frequency * Double(index)
    real += window * Double(sample) * cos(angle)
    imaginary += window * Double(sample) * sin(angle)
    weight += window
  }
  return 2 * (real * real + imaginary * imaginary).squareRoot() / weight
}

/// A sine of amplitude 1 at 48 kHz.
func sine(_ hertz: Double, count: Int) -> [Float] {
  (0..<count).map { Float(sin(2 * .pi * hertz * Double($0) / 48_000)) }
}

func rootMeanSquare(_ samples: some Collection<Float>) -> Double {
  (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)).squareRoot()
}
