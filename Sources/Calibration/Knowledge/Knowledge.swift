import Perception
import Profiles
import SignalAnalysis
import Units

/// What a calibration has found out so far.
struct Knowledge: Sendable {
  /// The sensors at rest.
  var rest: RestCheck?
  /// What the sensors saw while the reference alone was driven.
  var markers: MarkerEcho?
  /// The names of the axes.
  var axisNames: [String] = []
  /// The direction of the motion over the axes.
  var weights: [Double] = [1]
  /// The share of the motion that stands across the first axis.
  var offAxis = 0.0
  /// The noise along the motion in the band, and over all frequencies, in m/s2.
  var noise = 0.0
  var sigma = 0.0
  /// Capture clock against drive clock as a share: what segments said of it.
  var clocks: [Double] = []
  /// The same where the responses were brought to the drive's clock before.
  var clockOffsets: [Estimate] = []
  /// How the electrical delay scatters, in seconds, as the segments said.
  var delaySpread = 0.0
  /// The captured reference over the drive as sent, segment by segment of the sweeps.
  var referenceScales: [Double] = []

  /// The rig time so far.
  var time = RigTime()

  /// The first look.
  var coarse: SweepReading?
  /// All sweeps that count.
  var sweeps: [SweepReading] = []
  /// The limit of a small signal; of two modes, of the one with the greatest gain.
  var limit: SmallSignalLimit?
  /// That of the second mode, where there is one.
  var second: SmallSignalLimit?
  /// A piezo without a resonance in the band: m/s2 per volt at 200 Hz, and its delay.
  var piezo: (gain: Estimate, delay: Estimate)?
  /// The voltage of the sweep that told it.
  var piezoLevel = 0.0
  /// Resistance and inductance, where voltage and current are known.
  var coil: ImpedanceReading?
  /// The sweep level above which the actuator is no resonance any more, in volts at its resonance.
  var levelCap: Double?
  /// How far the mass of a mode may move, where it would strike a stop beyond: the amplitude in metres as
  /// the mount's acceleration tells it.
  var travel: (mode: Int, metres: Double)?
  /// What stands for the highest drive of the sweeps, where the sensor bears less than what may last.
  var sweepVolts: Double?
  /// The acceleration at which the sensor was seen to clip, in m/s2.
  var sensorRange: Double?
  /// Seconds of drive so far.
  var elapsed = 0.0

  /// The ceiling as found so far.
  var ceiling = CeilingSearch()
  /// The inverse's resonance and Q at the level of taps.
  var taps: TapRefinement?
  /// The steady response with its level dependence.
  var levels: LevelModel?
  /// Steady tones that the level model rests on.
  var tones: [LevelModel.Point] = []
  /// The correction.
  var builder = CorrectionBuilder()
  var correction = ResponseCorrection.none
  /// The grid of the refinement.
  var grid: RefinementGrid?
  /// The level of intensity 1 in dB above threshold.
  var referenceLevel = 30.0

  /// The verification.
  var points: [VerifiedPoint] = []
  var tapReadings: [TapReading] = []
  /// What taps take besides.
  var tapCorrection = ResponseCorrection.none
  /// The pattern that nothing was fitted to.
  var pattern: PatternReading?
  /// The small-signal sweeps after each remount.
  var remounts: [SweepReading] = []
  /// The closing sweep against the first of its kind.
  var closing: SweepReading?
  /// What a motor does.
  var motor = MotorKnowledge()
  /// Where the segment under way was disturbed before: a time in seconds, or a tone's frequency.
  ///
  /// What comes back at the same place is the actuator's own.
  var suspect: Double?
  /// The response to the segment under way, where it was in trouble when it was played before.
  var record: RepeatedRecord?
  /// Sentences for a person.
  var notes: [String] = []

  /// The limits of a small signal of all modes, the one with the greatest gain first.
  ///
  /// Puts the modes of all sweeps into that order.
  mutating func smallSignalLimits() -> [SmallSignalLimit]? {
    guard let first = sweeps.first else { return nil }
    let modes = first.model.modes.count
    let found = (0..<modes).compactMap { SmallSignalLimit(sweeps, mode: $0) }
    guard found.count == modes else { return nil }
    guard modes == 2, abs(found[1].gain.value) > abs(found[0].gain.value) else { return found }
    let frequencies = [found[1].frequency.value, found[0].frequency.value]
    for index in sweeps.indices {
      sweeps[index].model = sweeps[index].model.ordered(by: frequencies)
    }
    if let model = coarse?.model { coarse?.model = model.ordered(by: frequencies) }
    return found.reversed()
  }

  /// The clock's error as a share.
  var clock: Double { clocks.isEmpty ? 0 : Statistics.median(clocks) }
}
