// SPDX-License-Identifier: Apache-2.0

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

    fileprivate static let form = JSONForm(
      Self.init(numerator:denominator:), ("numerator", \.numerator, Polynomial.form),
      ("denominator", \.denominator, Polynomial.form)
    ).checked { field, section throws(ProfileError) in
      try field.check(
        (section.numerator.c2 > 0) == (section.denominator.c2 > 0),
        "has polynomials of different degree, but both must have the same")
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
  /// By which share, for a square metre, the spring stiffens with the square of the mount's displacement as the
  /// acceleration tells it: h of w0^2 (1 + h y^2), below 0 where it softens; nil for a spring that is linear enough.
  ///
  /// Of an inverse with one section of second degree alone.
  public var spring: MeasuredQuantity?

  /// Makes an inverse from its factors.
  public init(
    sections: [Section], gain: Double, leak: Double, spring: MeasuredQuantity? = nil
  ) {
    precondition(
      sections.count <= Self.sectionLimit,
      "an inverse has at most \(Self.sectionLimit) sections, not \(sections.count)")
    self.sections = sections
    self.gain = gain
    self.leak = leak
    self.spring = spring
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
  static let form = JSONForm(
    { gain, leak, sections, spring in
      FeedForward(sections: sections, gain: gain, leak: leak, spring: spring)
    },
    ("gain", \.gain, gainForm), ("leak", \.leak, .number(in: 0...20_000, "Hz")),
    ("sections", \.sections, sectionsForm), ("spring", \.spring, .optional(springForm))
  ).checked { field, inverse throws(ProfileError) in
    guard let found = try field.member("spring") else { return }
    try found.check(
      inverse.sections.count == 1 && inverse.sections[0].numerator.c2 > 0,
      "is there, but belongs to an inverse with one section, of second degree")
  }

  private static let gainForm = JSONForm.number(in: -1e9...1e9)
    .checked { field, gain throws(ProfileError) in
      try field.check(gain != 0, "is 0, but must not be")
    }

  private static let sectionsForm = JSONForm.list(Section.form)
    .checked { list, sections throws(ProfileError) in
      try list.check(
        sections.count <= sectionLimit,
        "has \(sections.count) sections, but at most \(sectionLimit) are used")
    }
}

extension FeedForward.Polynomial {
  /// [c0, c1, c2], of first or second degree with its roots left of the imaginary axis.
  fileprivate static let form = JSONForm<Self> { field throws(ProfileError) in
    let elements = try field.elements()
    try field.check(elements.count == 3, "has \(elements.count) numbers, but must have 3")
    return Self(
      try elements[0].positive(upTo: 1e12), try elements[1].positive(upTo: 1e12),
      try elements[2].number(in: 0...1e12))
  } _: {
    .numbers([$0.c0, $0.c1, $0.c2])
  }
}

extension FeedForward {
  /// The leak of an inverse: well below what is felt as a vibration, and below the resonance.
  ///
  /// The lower it is, the longer a tap that begins at full strength drags displacement behind it, and
  /// the more of the peak voltage goes there instead of into the tap.
  static func leak(belowResonance f0: Double) -> Double { min(40, f0 / 4) }

  /// The inverse of a model's response; nil for a model without a mode or a piezo's gain.
  ///
  /// One resonance: F = (Q/g) (s^2 + s w0/Q + w0^2) / (s^2 + sqrt(2) wl s + wl^2), where the leak wl
  /// stands for the s^2 that would integrate twice. Two: both resonances above the leak and the zeros
  /// of their sum; zeros in the right half plane, which no stable filter undoes, are mirrored, so that
  /// magnitudes are right and phases are not. A mass that rotates has no such inverse: its motor curve
  /// gives one (`init(spinUpTime:)`).
  public init?(inverting model: ActuatorModel) {
    let numerators = model.modes.indices.map(model.numerator)
    let modes = zip(model.modes, numerators).prefix(2).filter { mode, _ in
      mode.f0.value > 0 && mode.q.value > 0 && mode.gain.value != 0
    }
    switch (modes.count, model.piezoGain) {
    case (0, let gain?) where gain.value != 0: self.init(piezoGain: gain.value)
    case (1, _): self.init(inverting: modes[0].0)
    case (2, _): self.init(inverting: modes[0], and: modes[1])
    default: return nil
    }
  }

  /// The lead of an eccentric rotating mass: F = (1 + tau s) / (1 + tau/8 s), voltage to voltage, tau being the
  /// time constant of the speed in seconds.
  public init(spinUpTime: Double) {
    self.init(
      sections: [
        Section(
          numerator: Polynomial(1, spinUpTime, 0),
          denominator: Polynomial(1, spinUpTime / Self.leadRatio, 0))
      ], gain: 1, leak: 0)
  }

  /// How many times faster a mass is to follow its command than it would by itself.
  private static let leadRatio = 8.0

  private init(inverting mode: ActuatorModel.Mode) {
    let f0 = mode.f0.value
    let leak = Self.leak(belowResonance: f0)
    self.init(
      sections: [
        Section(
          numerator: .pair(frequency: f0, q: mode.q.value), denominator: .leak(frequency: leak))
      ], gain: mode.q.value / mode.gain.value, leak: leak)
  }

  /// A resonance far above the band stands for one that was not seen: below it, a = G (f/200 Hz)^2 V.
  private init(piezoGain gain: Double) {
    let numerator = Polynomial.pair(frequency: 4_000, q: 0.7)
    let leak = Self.leak(belowResonance: 4_000)
    self.init(
      sections: [Section(numerator: numerator, denominator: .leak(frequency: leak))], gain: 1,
      leak: leak)
    // The magnitude at the reference, the known leak apart, must be 1 / G.
    let reference = ActuatorModel.piezoReference
    let wanted = leakFactor(at: reference) / abs(gain)
    self.gain = (gain < 0 ? -1 : 1) * wanted / response(at: reference).magnitude
  }

  /// A mode with a and b of its numerator a + b s.
  private typealias Resonance = (
    mode: ActuatorModel.Mode, numerator: (constant: Double, slope: Double)
  )

  private init(inverting one: Resonance, and other: Resonance) {
    let (first, second) = (one.mode, other.mode)
    let numerators = [first, second].map {
      Polynomial.pair(frequency: $0.f0.value, q: $0.q.value)
    }
    let (k1, k2, b) = (one.numerator.constant, other.numerator.constant, one.numerator.slope)
    let highest = max(first.f0.value, second.f0.value)
    // (k1 + b s) D2 + (k2 - b s) D1; the cubes cancel.
    let zeros = Polynomial(
      k1 * numerators[1].c0 + k2 * numerators[0].c0,
      k1 * numerators[1].c1 + k2 * numerators[0].c1 + b * (numerators[1].c0 - numerators[0].c0),
      k1 + k2 + b * (numerators[1].c1 - numerators[0].c1)
    ).minimumPhase(highest: 2 * .pi * 8 * highest)
    let leak = Self.leak(belowResonance: min(first.f0.value, second.f0.value))
    self.init(
      sections: [
        Section(numerator: numerators[0], denominator: .leak(frequency: leak)),
        Section(numerator: numerators[1], denominator: zeros),
      ], gain: 1, leak: leak)
    // Right at the first mode, in magnitude and in sign.
    let response = Self.response(of: [one, other], at: first.f0.value)
    let wanted = leakFactor(at: first.f0.value) / response.magnitude
    let found = self.response(at: first.f0.value)
    let isTurned = cos(found.phase + response.phase) < 0
    gain = (isTurned ? -1 : 1) * wanted / found.magnitude
  }

  /// The sum of modes at a frequency.
  private static func response(
    of modes: [Resonance], at frequency: Double
  ) -> (magnitude: Double, phase: Double) {
    let w = 2 * Double.pi * frequency
    var (real, imaginary) = (0.0, 0.0)
    for (mode, numerator) in modes {
      let d = Polynomial.pair(frequency: mode.f0.value, q: mode.q.value).value(at: w)
      let (a, b) = (-w * w * numerator.constant, -w * w * w * numerator.slope)
      let square = d.real * d.real + d.imaginary * d.imaginary
      real += (a * d.real + b * d.imaginary) / square
      imaginary += (b * d.real - a * d.imaginary) / square
    }
    return (hypot(real, imaginary), atan2(imaginary, real))
  }
}

extension FeedForward.Polynomial {
  /// s^2 + sqrt(2) w s + w^2: in the place of s^2, a Butterworth high-pass filter.
  fileprivate static func leak(frequency: Double) -> Self {
    .pair(frequency: frequency, q: 0.5.squareRoot())
  }

  /// A polynomial of the same magnitude whose two roots lie left of the imaginary axis.
  ///
  /// Roots beyond the highest angular frequency are drawn in to it; they are none of the band's.
  fileprivate func minimumPhase(highest: Double) -> Self {
    let size = max(abs(c0) / (highest * highest), abs(c2))
    // Without a square term one root is infinitely far.
    let c2 = abs(self.c2) > 1e-9 * size ? self.c2 : 1e-9 * size
    let (half, product) = (c1 / (2 * c2), c0 / c2)
    let root = half * half - product
    if root < 0 {
      let w = min(highest, product.squareRoot())
      // A lightly damped zero would ring for as long as the actuator does: hold its Q.
      let damping = max(abs(half) * 2 / product.squareRoot(), 1 / Self.highestZeroQ)
      return Self(w * w, damping * w, 1)
    }
    let far = half + (half < 0 ? -root.squareRoot() : root.squareRoot())
    let near = far == 0 ? 0 : product / far
    let (a, b) = (min(highest, max(abs(far), 1)), min(highest, max(abs(near), 1)))
    return Self(a * b, a + b, 1)
  }

  private static let highestZeroQ = 50.0
}
