/// What a calibration found an actuator to do with its drive.
///
/// For the kinds with modes, H(f) = exp(-j 2 pi f d) sum (a + b s) s^2 / (s^2 + s w0/Q + w0^2): volts in,
/// m/s2 out, all numbers in the limit of a small signal. One mode has a = g/Q and b = 0. Two modes that
/// share a coil and a mount damp each other: with the coupling c, in the unit of the gains, and the
/// geometric mean f of both frequencies the first has b = c / (2 pi f) and the second -b, and a is
/// what makes |a + b s| Q = |g| at the mode's pole. An eccentric rotating mass has no modes; its
/// steady behaviour is the profile's `MotorCurve`.
public struct ActuatorModel: Sendable, Equatable {
  /// The form of a model; the raw value is what the file says.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// One resonance: a linear resonant actuator, a voice coil.
    case resonator
    /// Two resonances.
    case modes
    /// An eccentric rotating mass on a steady voltage.
    case erm
    /// A piezo: acceleration grows with the square of frequency over the whole band.
    case piezo
  }

  /// One resonance.
  public struct Mode: Sendable, Equatable {
    /// The frequency of resonance f0, in hertz.
    public var f0: MeasuredQuantity
    /// The quality factor Q.
    public var q: MeasuredQuantity
    /// The gain g at resonance, in m/s2 per volt; negative for turned polarity.
    public var gain: MeasuredQuantity

    /// Makes a mode.
    public init(f0: MeasuredQuantity, q: MeasuredQuantity, gain: MeasuredQuantity) {
      self.f0 = f0
      self.q = q
      self.gain = gain
    }
  }

  /// The resonance at one level of drive.
  public struct Level: Sendable, Equatable {
    /// The peak voltage of the drive, in volts.
    public var drive: Double
    /// The resonance as it was at this level.
    public var mode: Mode

    /// Makes a level.
    public init(drive: Double, mode: Mode) {
      self.drive = drive
      self.mode = mode
    }
  }

  /// The form of the model.
  public var kind: Kind
  /// The resonances, the one with the greatest gain first; at most two are used.
  ///
  /// Empty for `erm`, and for a `piezo` whose resonance lies too high to be told.
  public var modes: [Mode]
  /// How much two modes damp each other; nil for not at all.
  public var coupling: MeasuredQuantity?
  /// The gain of a `piezo` without a mode, in m/s2 per volt at `piezoReference`; negative for turned
  /// polarity.
  public var piezoGain: MeasuredQuantity?
  /// The delay of the response after the reference, in seconds, without the sensor's own.
  ///
  /// `nil` where no reference was captured: nobody knows which part of the delay is the converters'.
  public var delay: MeasuredQuantity?
  /// The first mode at rising levels.
  public var levels: [Level]
  /// The resistance, in ohms, where voltage and current are known.
  public var resistance: MeasuredQuantity?
  /// The inductance, in henries, where voltage and current are known.
  public var inductance: MeasuredQuantity?
  /// What the model leaves over of the response it was fitted to beyond noise, as a share of its rms.
  public var misfit: Double

  /// The frequency of `piezoGain`, in hertz.
  public static let piezoReference = 200.0

  /// Makes a model.
  public init(
    kind: Kind, modes: [Mode] = [], coupling: MeasuredQuantity? = nil,
    piezoGain: MeasuredQuantity? = nil, delay: MeasuredQuantity?, levels: [Level] = [],
    resistance: MeasuredQuantity? = nil,
    inductance: MeasuredQuantity? = nil, misfit: Double = 0
  ) {
    self.kind = kind
    self.modes = modes
    self.coupling = coupling
    self.piezoGain = piezoGain
    self.delay = delay
    self.levels = levels
    self.resistance = resistance
    self.inductance = inductance
    self.misfit = misfit
  }

  /// a and b of a mode's numerator a + b s.
  public func numerator(of index: Int) -> (constant: Double, slope: Double) {
    let (g, q) = (modes[index].gain.value, modes[index].q.value)
    guard modes.count > 1, index < 2, let coupling, coupling.value != 0 else { return (g / q, 0) }
    let mean = (modes[0].f0.value * modes[1].f0.value).squareRoot()
    let b = (index == 0 ? 1 : -1) * coupling.value / (2 * .pi * mean)
    // The pole is w (-1/(2 Q) + j sqrt(1 - 1/(4 Q^2))).
    let w = 2 * .pi * modes[index].f0.value
    let across = b * w * max(0, 1 - 1 / (4 * q * q)).squareRoot()
    let along = max(0, g * g / (q * q) - across * across).squareRoot()
    return ((g < 0 ? -along : along) + b * w / (2 * q), b)
  }
}
