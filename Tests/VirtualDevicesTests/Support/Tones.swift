// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A sum of sines at multiples of one frequency, with phases that keep its peak low.
struct Tones {
  /// Frequencies in hertz.
  let frequencies: [Double]
  /// The amplitude of each.
  let amplitude: Double

  /// The value at a time in seconds.
  func value(at time: Double) -> Double {
    var sum = 0.0
    for (index, frequency) in frequencies.enumerated() {
      sum += sin(2 * .pi * frequency * time + phase(index))
    }
    return amplitude * sum
  }

  /// The complex amplitude of one tone, real in x and imaginary in y: value = Re(c exp(i w t)).
  func component(_ index: Int) -> Complex {
    Complex(cos(phase(index) - .pi / 2), sin(phase(index) - .pi / 2)) * amplitude
  }

  // Schroeder's phases.
  private func phase(_ index: Int) -> Double {
    -.pi * Double(index * (index + 1)) / Double(frequencies.count)
  }
}

/// The complex amplitude of a frequency in samples whose length holds whole periods of it.
///
/// `first` is the frame of the first sample, from which the phase counts.
func component(
  _ samples: some Collection<Float>, frequency: Double, rate: Double, first: Int
) -> Complex {
  var sum = Complex(0, 0)
  for (place, sample) in samples.enumerated() {
    let angle = 2 * Double.pi * frequency * Double(first + place) / rate
    sum = sum + Complex(cos(angle), -sin(angle)) * Double(sample)
  }
  return sum * (2 / Double(samples.count))
}

/// A complex number, as far as the tests need it.
struct Complex: CustomStringConvertible {
  var real: Double
  var imaginary: Double

  init(_ real: Double, _ imaginary: Double = 0) {
    self.real = real
    self.imaginary = imaginary
  }

  var magnitude: Double { (real * real + imaginary * imaginary).squareRoot() }
  var description: String { "(\(real), \(imaginary)i)" }

  static func + (a: Complex, b: Complex) -> Complex {
    Complex(a.real + b.real, a.imaginary + b.imaginary)
  }
  static func - (a: Complex, b: Complex) -> Complex {
    Complex(a.real - b.real, a.imaginary - b.imaginary)
  }
  static func * (a: Complex, b: Complex) -> Complex {
    Complex(
      a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real)
  }
  static func * (a: Complex, b: Double) -> Complex { Complex(a.real * b, a.imaginary * b) }
  static func / (a: Complex, b: Complex) -> Complex {
    let square = b.real * b.real + b.imaginary * b.imaginary
    return a * Complex(b.real / square, -b.imaginary / square)
  }
}

/// The root of the mean square around the mean.
func deviation(_ samples: some Collection<Float>) -> Double {
  let count = Double(samples.count)
  let mean = samples.reduce(0) { $0 + Double($1) } / count
  let square = samples.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
  return (square / count).squareRoot()
}
