// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// A complex number of two doubles, laid out as FFTW and C lay it out.
public struct Complex: Sendable, Equatable {
  /// The real part.
  public var real: Double
  /// The imaginary part.
  public var imaginary: Double

  /// Makes a number from its parts.
  public init(_ real: Double, _ imaginary: Double = 0) {
    self.real = real
    self.imaginary = imaginary
  }

  /// Makes the number of modulus 1 at an angle in radians.
  public init(angle: Double) {
    self.init(cos(angle), sin(angle))
  }

  /// The square of the modulus.
  public var power: Double { real * real + imaginary * imaginary }

  /// The modulus.
  public var magnitude: Double { power.squareRoot() }

  /// The angle in radians, -pi to pi.
  public var angle: Double { atan2(imaginary, real) }

  /// The number mirrored at the real axis.
  public var conjugate: Complex { Complex(real, -imaginary) }

  /// The sum of two numbers.
  public static func + (left: Complex, right: Complex) -> Complex {
    Complex(left.real + right.real, left.imaginary + right.imaginary)
  }

  /// The difference of two numbers.
  public static func - (left: Complex, right: Complex) -> Complex {
    Complex(left.real - right.real, left.imaginary - right.imaginary)
  }

  /// The product of two numbers.
  public static func * (left: Complex, right: Complex) -> Complex {
    Complex(
      left.real * right.real - left.imaginary * right.imaginary,
      left.real * right.imaginary + left.imaginary * right.real)
  }

  /// A number times a real factor.
  public static func * (left: Double, right: Complex) -> Complex {
    Complex(left * right.real, left * right.imaginary)
  }

  /// The quotient of two numbers; not a number where the divisor is zero.
  public static func / (left: Complex, right: Complex) -> Complex {
    (1 / right.power) * (left * right.conjugate)
  }
}

extension [Complex] {
  /// Turns each bin of a spectrum by its number times an angle in radians: a delay by parts of a frame.
  public mutating func turn(by angle: Double) {
    withUnsafeMutableBufferPointer { bins in
      guard let base = bins.baseAddress else { return }
      Self.turn(UnsafeBufferPointer(bins), by: angle, into: base)
    }
  }

  /// The same, into other memory of at least as many bins.
  func turn(by angle: Double, into turned: UnsafeMutablePointer<Complex>) {
    withUnsafeBufferPointer { Self.turn($0, by: angle, into: turned) }
  }

  private static func turn(
    _ bins: UnsafeBufferPointer<Complex>, by angle: Double,
    into turned: UnsafeMutablePointer<Complex>
  ) {
    // Four turns side by side, every so often exactly, so that rounding does not add up.
    let step = Complex(angle: 4 * angle)
    for block in stride(from: 0, to: bins.count, by: 256) {
      var (a, b) = (
        Complex(angle: angle * Double(block)), Complex(angle: angle * Double(block + 1))
      )
      var (c, d) = (
        Complex(angle: angle * Double(block + 2)), Complex(angle: angle * Double(block + 3))
      )
      let end = Swift.min(bins.count, block + 256)
      var bin = block
      while bin + 4 <= end {
        turned[bin] = bins[bin] * a
        turned[bin + 1] = bins[bin + 1] * b
        turned[bin + 2] = bins[bin + 2] * c
        turned[bin + 3] = bins[bin + 3] * d
        (a, b, c, d) = (a * step, b * step, c * step, d * step)
        bin += 4
      }
      for (left, turn) in zip(bin..<end, [a, b, c]) { turned[left] = bins[left] * turn }
    }
  }
}
