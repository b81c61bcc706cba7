// SPDX-License-Identifier: Apache-2.0

import Actuators
import JSONText

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

    fileprivate static let form = JSONForm(
      Self.init(f0:q:gain:), ("f0", \.f0, .positive(.hertz, upTo: 20_000)),
      ("q", \.q, .positive(.one, upTo: 1000)), ("gain", \.gain, .gain))
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

    fileprivate static let form = JSONForm(
      { drive, f0, q, gain in Level(drive: drive, mode: Mode(f0: f0, q: q, gain: gain)) },
      ("drive", \.drive, .positive(upTo: DriveLimits.highestVolts, "V")),
      ("f0", \.mode.f0, .positive(.hertz, upTo: 20_000)),
      ("q", \.mode.q, .positive(.one, upTo: 1000)), ("gain", \.mode.gain, .gain))
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

extension ActuatorModel {
  /// The first mode's numbers stand in the model itself; `modes` has all where there are two.
  var json: JSONValue {
    .object(present: [
      "kind": .string(kind.rawValue),
      "f0": modes.first?.f0.json,
      "q": modes.first?.q.json,
      "gain": (modes.first?.gain ?? piezoGain)?.json,
      "delay": delay?.json,
      "modes": modes.count > 1 ? JSONForm.list(Mode.form).json(modes) : JSONValue?.none,
      "coupling": coupling?.json,
      "levels": JSONForm.list(Level.form).json(levels),
      "resistance": resistance?.json,
      "inductance": inductance?.json,
      "misfit": .finite(misfit),
    ])
  }

  init(_ field: JSONField) throws(ProfileError) {
    let model = try field.object(
      "kind", "f0", "q", "gain", "delay", "modes", "coupling", "levels", "resistance", "inductance",
      "misfit")
    let kind = try model["kind"].word(Kind.self)
    var levels: [Level] = []
    for element in try model["levels"].elements() {
      let level = try Level.form.value(of: element)
      try element["drive"].check(
        level.drive > levels.last?.drive ?? 0,
        "is not above the one before it, but drives must rise")
      levels.append(level)
    }
    self.init(
      kind: kind, modes: try Self.modes(model, kind: kind),
      coupling: try JSONForm.optional(.gain).member("coupling", of: model),
      delay: try model.member("delay").map(Self.delay), levels: levels,
      resistance: try JSONForm.optional(.positive(.ohm, upTo: 1e7)).member("resistance", of: model),
      inductance: try JSONForm.optional(.positive(.henry, upTo: 1e3))
        .member("inductance", of: model),
      misfit: try model["misfit"].number(in: 0...1))
    if kind == .piezo, modes.isEmpty { piezoGain = try JSONForm.gain.member("gain", of: model) }
  }

  /// No response comes before the reference, but for what is not known of both.
  private static func delay(_ field: JSONField) throws(ProfileError) -> MeasuredQuantity {
    let delay = try MeasuredQuantity(field, .second, in: -1...10, uncertaintyUpTo: 1)
    guard delay.value >= -max(5e-5, 5 * min(1, delay.uncertainty)) else {
      throw try field["value"].error(
        "\(field.path).value is \(delay.value) s, but a response cannot come before its drive: "
          + "the sensor's own delay in the rig file is too long")
    }
    return delay
  }

  private static func modes(
    _ model: JSONField, kind: Kind
  ) throws(ProfileError) -> [Mode] {
    if let list = try model.member("modes") {
      let modes = try JSONForm.list(Mode.form).value(of: list)
      try list.check(
        kind == .modes && modes.count == 2,
        "has \(modes.count) modes under the kind '\(kind.rawValue)', but belongs "
          + "to the kind 'modes', with two")
      guard try first(of: model) == modes[0] else {
        throw list.error(
          "\(list.path)[0] differs from f0, q and gain of \(model.path), but must be the same")
      }
      return modes
    }
    switch kind {
    case .modes: throw model.error("\(model.path).modes is missing under the kind 'modes'")
    case .erm:
      for key in ["f0", "q", "gain"] {
        if let found = try model.member(key) {
          throw found.error(
            "\(found.path) is there, but a rotating mass has no resonance: its motorCurve tells "
              + "what it does")
        }
      }
      return []
    case .piezo where try model.member("f0") == nil:
      if let found = try model.member("q") {
        throw found.error("\(found.path) is there without \(model.path).f0")
      }
      return []
    case .piezo, .resonator: return [try first(of: model)]
    }
  }

  /// The mode whose numbers stand in the model itself.
  private static func first(of model: JSONField) throws(ProfileError) -> Mode {
    Mode(
      f0: try JSONForm.positive(.hertz, upTo: 20_000).member("f0", of: model),
      q: try JSONForm.positive(.one, upTo: 1000).member("q", of: model),
      gain: try JSONForm.gain.member("gain", of: model))
  }
}
