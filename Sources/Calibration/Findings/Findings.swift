import Profiles
import SignalAnalysis

/// What a calibration has concluded so far; every stage adds its own part.
struct Findings: Sendable {
  /// What is calibrated, under the limits that hold: an amplifier may give less than the rig file allows.
  var subject: CalibrationSubject
  /// What the sensors showed at rest.
  var rest: RestFindings?
  /// Where the motion goes, and the noise along it.
  var motion = MotionFindings()
  /// The sensor's clock against the drive's.
  var clock = ClockFindings()
  /// The rig time so far.
  var time = RigTime()
  /// The sweeps that count.
  var sweeps = SweepFindings()
  /// The resonances at small signal.
  var resonance: ResonanceFindings?
  /// A piezo without a resonance in the band.
  var piezo: PiezoFindings?
  /// How far the actuator may be moved.
  var bounds = MotionBounds()
  /// The steady response with its level dependence.
  var levels: LevelModel?
  /// Steady tones that the level model rests on.
  var tones: [LevelModel.Point] = []
  /// The ceiling as found so far.
  var ceiling = CeilingSearch()
  /// The level of intensity 1 in dB above threshold.
  var referenceLevel = 30.0
  /// The inverse's resonance and Q at the level of taps.
  var taps: TapRefinement?
  /// What the inverse's commands are corrected by.
  var correction = ResponseCorrection.none
  /// What taps are corrected by besides.
  var tapCorrection = ResponseCorrection.none
  /// What was measured of points that nothing was fitted to.
  var verification = VerificationFindings()
  /// Whether it is still the same actuator.
  var identity = IdentityFindings()
  /// What a motor does.
  var motor = MotorFindings()
  /// What was wrong with the segment under way when it was played before.
  var trouble = SegmentTrouble()
  /// Sentences for a person.
  var notes: [String] = []

  init(subject: CalibrationSubject) { self.subject = subject }
}

/// What the sensors showed at rest.
struct RestFindings: Sendable {
  /// Noise, hum and gravity.
  let check: RestCheck
  /// What the sensors saw while the reference alone was driven.
  let markers: MarkerEcho?
  /// The names of the axes.
  let axisNames: [String]
}

/// Where the motion goes, and the noise along it.
struct MotionFindings: Sendable {
  /// The direction of the motion over the axes.
  private(set) var weights: [Double] = [1]
  /// The share of the motion that stands across the first axis.
  var offAxis = 0.0
  /// The noise along the motion in the band, rms in m/s2.
  private(set) var noise = 0.0
  /// The same over all frequencies.
  private(set) var sigma = 0.0

  init() {}

  /// A direction, with the noise that a check at rest found along it.
  init(weights: [Double], rest: RestCheck) {
    func combined(_ parts: [Double]) -> Double {
      zip(weights, parts).reduce(0) { $0 + $1.0 * $1.0 * $1.1 * $1.1 }.squareRoot()
    }
    self.weights = weights
    noise = combined(rest.bandNoise)
    sigma = combined(rest.sigmas)
  }
}

/// The sweeps that count, and what is asked of those to come.
struct SweepFindings: Sendable {
  /// The first look.
  var coarse: SweepReading?
  /// All sweeps of the identification that count.
  var all: [SweepReading] = []
  /// What stands for the highest drive of the sweeps, where the sensor bears less than what may last.
  var volts: Double?
  /// The acceleration at which the sensor was seen to clip, in m/s2.
  var sensorRange: Double?
  /// The captured reference over the drive as sent, sweep by sweep.
  var referenceScales: [Double] = []
  /// Resistance and inductance, where voltage and current are known.
  var coil: ImpedanceReading?

  /// The first that counts, or else the first look.
  var first: SweepReading? { all.first ?? coarse }

  /// The highest level of those that count, in volts.
  var highest: Double? { all.map(\.level).max() }

  /// The limits of a small signal of all modes, the one with the greatest gain first.
  ///
  /// Puts the modes of all sweeps into that order.
  mutating func smallSignalLimits() -> [SmallSignalLimit]? {
    guard let first = all.first else { return nil }
    let modes = first.model.modes.count
    let found = (0..<modes).compactMap { SmallSignalLimit(all, mode: $0) }
    guard found.count == modes else { return nil }
    guard modes == 2, abs(found[1].gain.value) > abs(found[0].gain.value) else { return found }
    let frequencies = [found[1].frequency.value, found[0].frequency.value]
    for index in all.indices { all[index].model = all[index].model.ordered(by: frequencies) }
    if let model = coarse?.model { coarse?.model = model.ordered(by: frequencies) }
    return found.reversed()
  }

  /// The first sweep that is like another in level and direction; the first of all where none is.
  func earlier(than sweep: SweepReading) -> SweepReading? {
    all.first {
      abs($0.level / sweep.level - 1) < Self.sameLevel && $0.direction == sweep.direction
        && $0.segment != sweep.segment
    } ?? all.first
  }

  /// Levels closer than this are one, as a share.
  private static let sameLevel = 1e-6

  /// Sweeps of one level, up and down, at small signal.
  var pairs: [(SweepReading, SweepReading)] {
    let highest = highest ?? 0
    return zip(all, all.dropFirst()).filter { first, second in
      first.level == second.level && first.level < Self.smallSignal * highest
        && second.time > first.time
    }
  }

  /// The share of the highest sweep below which a sweep is of a small signal.
  static let smallSignal = 0.3
}

/// The resonances at small signal.
struct ResonanceFindings: Sendable {
  /// The one with the greatest gain.
  let limit: SmallSignalLimit
  /// That of the second mode, where there is one.
  let second: SmallSignalLimit?
}

/// A piezo without a resonance in the band.
struct PiezoFindings: Sendable {
  /// m/s2 per volt at 200 Hz, signed as a resonator's gain is.
  let gain: Estimate
  /// The delay in seconds.
  let delay: Estimate
  /// The voltage of the sweep that told it.
  let level: Double
}

/// How far the actuator may be moved.
struct MotionBounds: Sendable {
  /// The sweep level above which the actuator is no resonance any more, in volts at its resonance.
  var level: Double?
  /// How far the mass of a mode may move, where it would strike a stop beyond: the amplitude in metres as
  /// the mount's acceleration tells it.
  var travel: (mode: Int, metres: Double)?
}

/// What was measured of points that nothing was fitted to.
struct VerificationFindings: Sendable {
  /// Steady tones, or a motor's steady speeds.
  var points: [VerifiedPoint] = []
  /// Taps.
  var taps: [TapReading] = []
  /// The pattern.
  var pattern: PatternReading?
}

/// Whether it is still the same actuator.
struct IdentityFindings: Sendable {
  /// The closing sweep.
  var closing: SweepReading?
  /// The small-signal sweeps after each remount.
  var remounts: [SweepReading] = []
}

/// What was wrong with the segment under way when it was played before.
struct SegmentTrouble: Sendable {
  /// Where it was disturbed: a time in seconds, or a tone's frequency.
  ///
  /// What comes back at the same place is the actuator's own.
  var suspect: Double?
  /// The response to it.
  var record: RepeatedRecord?
}

extension Findings {
  /// The names of the axes; none before the rest.
  var axisNames: [String] { rest?.axisNames ?? [] }

  /// The delay from drive to motion in seconds; 0 before it is known.
  var delay: Double { resonance?.limit.delay.value ?? piezo?.delay.value ?? 0 }

  /// The highest drive of the sweeps: what may last, or what the sensor bears of it.
  var sweepVolts: Double { min(subject.steadyVolts, sweeps.volts ?? .infinity) }
}
