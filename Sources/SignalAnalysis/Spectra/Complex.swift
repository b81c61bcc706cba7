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
