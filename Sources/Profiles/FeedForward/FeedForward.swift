private import Glibc
import JSONText

/// The inverse of an actuator: the acceleration that is wanted to the voltage that gives it.
///
/// F(s) = gain * product of (b0 + b1 s + b2 s^2) / (a0 + a1 s + a2 s^2). Overdrive and active braking
/// come out of it by themselves. A resonator's own delay stays: no filter can undo it.
public struct FeedForward: Sendable, Equatable {
  /// One factor, as polynomials in s with rising powers; all coefficients are 0 or above.
  public struct Section: Sendable, Hashable {
    /// b0, b1, b2.
    public var numerator: Polynomial
    /// a0, a1, a2.
    public var denominator: Polynomial

    /// Makes a section.
    public init(numerator: Polynomial, denominator: Polynomial) {
      self.numerator = numerator
      self.denominator = denominator
    }
  }

  /// c0 + c1 s + c2 s^2, with s in radians a second.
  public struct Polynomial: Sendable, Hashable {
    /// The constant.
    public var c0: Double
    /// The factor of s.
    public var c1: Double
    /// The factor of s^2.
    public var c2: Double

    /// Makes a polynomial.
    public init(_ c0: Double, _ c1: Double, _ c2: Double) {
      self.c0 = c0
      self.c1 = c1
      self.c2 = c2
    }

    /// s^2 + s w/q + w^2 with w of a frequency in hertz.
    static func pair(frequency: Double, q: Double) -> Polynomial {
      let w = 2 * Double.pi * frequency
      return Polynomial(w * w, w / q, 1)
    }

    /// The angular frequency at which the polynomial turns from its first power to its last.
    var corner: Double {
      if c2 > 0 { return (c0 / c2).squareRoot() }
      return c1 > 0 ? c0 / c1 : 0
    }

    /// Real and imaginary part at s = j w.
    func value(at w: Double) -> (real: Double, imaginary: Double) { (c0 - c2 * w * w, c1 * w) }
  }

  /// At most this many sections are used.
  public static let sectionLimit = 3

  /// The factors.
  public var sections: [Section]
  /// Volts per m/s2 (volts per volt for an eccentric rotating mass); negative for turned polarity.
  public var gain: Double
  /// Below this frequency in hertz the inverse stops to rise, so that nothing drifts; 0 for no leak.
  ///
  /// The actuator behind the inverse then is a high-pass filter of second order (Butterworth).
  public var leak: Double

  /// Makes an inverse from its factors.
  public init(sections: [Section], gain: Double, leak: Double) {
    precondition(
      sections.count <= Self.sectionLimit,
      "an inverse has at most \(Self.sectionLimit) sections, not \(sections.count)")
    self.sections = sections
    self.gain = gain
    self.leak = leak
  }

  /// The response at a frequency in hertz: volts per m/s2, and the phase in radians.
  public func response(at frequency: Double) -> (magnitude: Double, phase: Double) {
    let w = 2 * Double.pi * frequency
    var magnitude = abs(gain)
    var phase = gain < 0 ? Double.pi : 0
    for section in sections {
      let (b, a) = (section.numerator.value(at: w), section.denominator.value(at: w))
      magnitude *= hypot(b.real, b.imaginary) / hypot(a.real, a.imaginary)
      phase += atan2(b.imaginary, b.real) - atan2(a.imaginary, a.real)
    }
    return (magnitude, remainder(phase, 2 * .pi))
  }

  /// What the actuator behind its inverse still has of a steady acceleration, because of the leak.
  ///
  /// 1 / sqrt(1 + (leak/f)^4), of a Butterworth high-pass filter.
  public func leakFactor(at frequency: Double) -> Double {
    let ratio = leak / frequency
    return 1 / (1 + ratio * ratio * ratio * ratio).squareRoot()
  }
}

extension FeedForward {
  var json: JSONValue {
    [
      "gain": .finite(gain),
      "leak": .finite(leak),
      "sections": .array(
        sections.map {
          ["numerator": $0.numerator.json, "denominator": $0.denominator.json]
        }),
    ]
  }

  init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object("gain", "leak", "sections")
    let list = try field["sections"]
    var sections: [Section] = []
    for section in try list.elements() {
      let section = try section.object("numerator", "denominator")
      let (numerator, denominator) = (try section["numerator"], try section["denominator"])
      let read = Section(
        numerator: try Polynomial(numerator), denominator: try Polynomial(denominator))
      guard (read.numerator.c2 > 0) == (read.denominator.c2 > 0) else {
        throw section.error(
          "\(section.path) has polynomials of different degree, but both must have the same")
      }
      sections.append(read)
    }
    guard sections.count <= Self.sectionLimit else {
      throw list.error(
        "\(list.path) has \(sections.count) sections, but at most \(Self.sectionLimit) are used")
    }
    let gain = try field["gain"].number(in: -1e9...1e9)
    guard gain != 0 else {
      throw try field["gain"].error("\(try field["gain"].path) is 0, but must not be")
    }
    self.init(sections: sections, gain: gain, leak: try field["leak"].number(in: 0...20_000, "Hz"))
  }
}

extension FeedForward.Polynomial {
  fileprivate var json: JSONValue { .numbers([c0, c1, c2]) }

  /// Reads [c0, c1, c2], of first or second degree with its roots left of the imaginary axis.
  fileprivate init(_ field: ProfileField) throws(ProfileError) {
    let elements = try field.elements()
    guard elements.count == 3 else {
      throw field.error("\(field.path) has \(elements.count) numbers, but must have 3")
    }
    self.init(
      try elements[0].positive(upTo: 1e12), try elements[1].positive(upTo: 1e12),
      try elements[2].number(in: 0...1e12))
  }
}
