// SPDX-License-Identifier: Apache-2.0

import Profiles
import SignalAnalysis
import Units

/// What a calibration has concluded so far; every stage adds its own part.
///
/// Here and in the readings, numbers are in hertz, seconds, volts and m/s2, levels in dB above threshold.
struct Findings: Sendable {
  /// What is calibrated, under the limits that hold: an amplifier may give less than the rig file allows.
  var subject: CalibrationSubject
  var rest: RestFindings?
  var motion = MotionFindings()
  var clock = ClockFindings()
  var time = RigTime()
  var sweeps = SweepFindings()
  var resonance: ResonanceFindings?
  /// A piezo without a resonance in the band.
  var piezo: PiezoFindings?
  var bounds = MotionBounds()
  var levels: LevelModel?
  var tones: [LevelModel.Point] = []
  var ceiling = CeilingSearch()
  /// The level of intensity 1 in dB above threshold.
  var referenceLevel = 30.0
  /// The inverse's resonance and Q at the level of taps.
  var taps: TapRefinement?
  var correction = ResponseCorrection.none
  var tapCorrection = ResponseCorrection.none
  var verification = VerificationFindings()
  var identity = IdentityFindings()
  var motor = MotorFindings()
  var trouble = SegmentTrouble()
  var notes: [String] = []

  var axisNames: [String] { rest?.axisNames ?? [] }

  /// The delay from drive to motion in seconds; 0 before it is known.
  var delay: Double { resonance?.limit.delay.value ?? piezo?.delay.value ?? 0 }

  /// The highest drive of the sweeps: what may last, or what the sensor bears of it.
  var sweepVolts: Double { min(subject.steadyVolts, sweeps.volts ?? .infinity) }
}

struct RestFindings: Sendable {
  let check: RestCheck
  /// What the sensors saw while the reference alone was driven.
  let markers: MarkerEcho?
  let axisNames: [String]
}

struct MotionFindings: Sendable {
  private(set) var weights: [Double] = [1]
  /// The share of the motion that stands across the first axis.
  var offAxis = 0.0
  /// The noise along the motion in the band, rms in m/s2.
  private(set) var noise = 0.0
  /// The same over all frequencies.
  private(set) var sigma = 0.0
}

extension MotionFindings {
  init(weights: [Double], rest: RestCheck) {
    func combined(_ parts: [Double]) -> Double {
      zip(weights, parts).reduce(0) { $0 + $1.0 * $1.0 * $1.1 * $1.1 }.squareRoot()
    }
    self.weights = weights
    noise = combined(rest.bandNoise)
    sigma = combined(rest.sigmas)
  }
}

struct SweepFindings: Sendable {
  var coarse: SweepReading?
  var all: [SweepReading] = []
  /// What stands for the highest drive of the sweeps, where the sensor bears less than what may last.
  var volts: Double?
  /// The acceleration at which the sensor was seen to clip, in m/s2.
  var sensorRange: Double?
  /// The captured reference over the drive as sent, sweep by sweep.
  var referenceScales: [Double] = []
  var coil: ImpedanceReading?
  /// Where something beside the actuator shook alike each time: the sweep's frequency, and m/s2 for a volt.
  private(set) var partsOfRig: [(frequency: Double, gain: Double)] = []

  /// Within which share a later sweep shakes at the same frequency, and as much for a volt.
  private static let samePart = (frequency: 0.1, gain: 0.2)

  /// Whether what a sweep was disturbed by came at the same place, in proportion to the drive, before.
  ///
  /// A door slams at any time and as hard as it is slammed; what rattles does so above a level.
  func isOfRig(_ reading: SweepReading) -> Bool {
    let (frequency, gain) = reading.disturbed
    return reading.disturbance.isDisturbed
      && partsOfRig.contains {
        abs($0.frequency / frequency - 1) < Self.samePart.frequency
          && abs($0.gain / gain - 1) < Self.samePart.gain
      }
  }

  mutating func add(partOfRig reading: SweepReading) { partsOfRig.append(reading.disturbed) }

  var first: SweepReading? { all.first ?? coarse }

  var highest: Double? { all.map(\.level).max() }

  /// The limits of a small signal of all modes, the actuator's own first.
  ///
  /// Puts the modes of all sweeps into that order.
  mutating func smallSignalLimits() -> [SmallSignalLimit]? {
    guard let first = all.first else { return nil }
    let modes = first.model.modes.count
    let found = (0..<modes).compactMap { SmallSignalLimit(all, mode: $0) }
    guard found.count == modes else { return nil }
    guard modes == 2, found[1].isOwn(beside: found[0]) else { return found }
    let frequencies = [found[1].frequency.value, found[0].frequency.value]
    for index in all.indices { all[index].model = all[index].model.ordered(by: frequencies) }
    if let model = coarse?.model { coarse?.model = model.ordered(by: frequencies) }
    // The coupling has the other sign from the other side.
    return (0..<modes).compactMap { SmallSignalLimit(all, mode: $0) }
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

struct ResonanceFindings: Sendable {
  let limit: SmallSignalLimit
  let second: SmallSignalLimit?
}

/// A piezo without a resonance in the band.
struct PiezoFindings: Sendable {
  /// m/s2 per volt at 200 Hz, signed as a resonator's gain is.
  let gain: Estimate
  let delay: Estimate
  /// The voltage of the sweep that told it.
  let level: Double
}

struct MotionBounds: Sendable {
  /// The sweep level above which the actuator is no resonance any more, in volts at its resonance.
  var level: Double?
  /// How far the mass of a mode may move, where it would strike a stop beyond: the amplitude in metres as
  /// the mount's acceleration tells it.
  var travel: (mode: Int, metres: Double)?
}

struct VerificationFindings: Sendable {
  var points: [VerifiedPoint] = []
  var taps: [TapReading] = []
  /// The dB by which verified taps, of a frequency in hertz, were to be asked for more.
  var tapRights: [(frequency: Double, decibels: Double)] = []
  var pattern: PatternReading?
}

struct IdentityFindings: Sendable {
  var closing: SweepReading?
  var remounts: [SweepReading] = []
}

struct SegmentTrouble: Sendable {
  /// Where it was disturbed: a time in seconds, or a tone's frequency.
  ///
  /// What comes back at the same place is the actuator's own.
  var suspect: Double?
  var record: RepeatedRecord?
}

/// The sensor's clock against the drive's, as the segments told it.
struct ClockFindings: Sendable {
  /// Its error as a share, segment by segment.
  private(set) var shares: [Double] = []
  /// The same where the responses were brought to the drive's clock before.
  private(set) var offsets: [Estimate] = []
  /// How the electrical delay scatters, in seconds, as the segments said.
  private(set) var delaySpread = 0.0

  /// Further from the drive's than this share it is a wrong rate and no clock that is off.
  private static let wrongRate = 0.06
  private static let sameClock = 1.0
  /// No rate is told more finely, in ppm.
  private static let finest = 0.01

  var share: Double { shares.isEmpty ? 0 : Statistics.median(shares) }

  /// How much faster the sensor's clock runs than the drive's, in ppm; nil where no segment tells.
  var offset: Double? {
    offsets.isEmpty ? nil : 1e6 * Statistics.median(offsets.map(\.value))
  }

  /// Takes in what a response to silence says, which has no drive to be compared with.
  mutating func learn(fromRest response: SegmentResponse) {
    if let clock = response.clock { offsets.append(clock) }
  }

  mutating func learn(from response: SegmentResponse) throws(CalibrationRefusal) {
    if let drift = response.drift { shares.append(1e-6 * drift) }
    if let clock = response.clock { offsets.append(clock) }
    delaySpread = max(delaySpread, response.delayUncertainty ?? 0)
    guard abs(share) < Self.wrongRate else {
      throw CalibrationRefusal(
        .sensorRate,
        "the sensor's clock differs by \(text(100 * share)) % from the reference's: correct the "
          + "rate of the capture in the rig file")
    }
  }

  /// What is said of the sensor's clock where it is not the drive's; nil where it is, or is not known.
  var note: String? {
    guard let ppm = offset else { return nil }
    let spread = 1e6 * Statistics.moments(offsets.map(\.value)).sigma
    let uncertainty = max(
      Self.finest, spread, 1e6 * Statistics.median(offsets.map(\.uncertainty)))
    guard abs(ppm) > max(Self.sameClock, 3 * uncertainty) else { return nil }
    let told = EngineeringFormat.text(abs(ppm), .partsPerMillion, uncertainty: uncertainty)
    return
      "The sensor's clock runs \(told) \(ppm > 0 ? "fast" : "slow") against the drive's; every "
      + "response was brought to the drive's clock."
  }
}
