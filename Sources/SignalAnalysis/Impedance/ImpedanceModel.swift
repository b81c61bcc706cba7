private import Glibc

/// The electrical impedance of a moving-coil or resonant actuator.
///
/// Z(f) = R + s L + Zm (s w0/Qm) / (s^2 + s w0/Qm + w0^2), s = j 2 pi f: coil, and in series with it what the
/// motion gives back. Zm = Bl^2 / c is the height of the motional peak at f0.
public struct ImpedanceModel: Sendable, Equatable {
  /// The resistance R of the coil in ohms.
  public let resistance: Estimate
  /// The inductance L of the coil in henries.
  public let inductance: Estimate
  /// The frequency of mechanical resonance f0 in hertz.
  public let frequency: Estimate
  /// The mechanical quality factor Qm, the terminals open.
  public let q: Estimate
  /// The height Zm of the motional peak in ohms.
  public let motional: Estimate
  /// What the model leaves over, rms, over the impedance.
  public let misfit: Double

  /// Makes a model.
  public init(
    resistance: Estimate, inductance: Estimate, frequency: Estimate, q: Estimate,
    motional: Estimate, misfit: Double = 0
  ) {
    self.resistance = resistance
    self.inductance = inductance
    self.frequency = frequency
    self.q = q
    self.motional = motional
    self.misfit = misfit
  }

  /// The quality factor of the coil's damping under voltage drive: Qe = Qm R / Zm.
  public var electricalQ: Double { q.value * resistance.value / motional.value }

  /// The quality factor under voltage drive from a source without resistance: Qm R / (R + Zm).
  public var totalQ: Double {
    q.value * resistance.value / (resistance.value + motional.value)
  }

  /// The impedance at a frequency in hertz, in ohms.
  public func impedance(at frequency: Double) -> Complex {
    let ratio = frequency / self.frequency.value
    let damping = Complex(0, ratio / q.value)
    let branch = damping / Complex(1 - ratio * ratio, ratio / q.value)
    return Complex(resistance.value, 2 * .pi * frequency * inductance.value)
      + motional.value * branch
  }
}
