import Perception
import Profiles
import SignalAnalysis

/// What a calibration has found out so far.
struct Knowledge: Sendable {
  /// The sensors at rest.
  var rest: RestCheck?
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
  /// How the electrical delay scatters, in seconds, as the segments said.
  var delaySpread = 0.0
  /// The captured reference over the drive as sent, segment by segment of the sweeps.
  var referenceScales: [Double] = []

  /// The first look.
  var coarse: SweepReading?
  /// All sweeps that count.
  var sweeps: [SweepReading] = []
  /// The limit of a small signal.
  var limit: SmallSignalLimit?
  /// The second mode, where there is one.
  var second: ModalModel.Mode?
  /// A piezo without a resonance in the band: m/s2 per volt at 200 Hz, and its delay.
  var piezo: (gain: Estimate, delay: Estimate)?
  /// Resistance and inductance, where voltage and current are known.
  var coil: ImpedanceReading?
  /// The sweep level above which the actuator no longer follows, and why.
  var levelCap: (volts: Double, binding: ReachableCeiling.Binding)?

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
  /// The closing sweep against the first of its kind.
  var closing: SweepReading?
  /// What a motor does.
  var motor = MotorKnowledge()
  /// Where the segment under way was disturbed before: a time in seconds, or a tone's frequency.
  ///
  /// What comes back at the same place is the actuator's own.
  var suspect: Double?
  /// Sentences for a person.
  var notes: [String] = []

  /// The clock's error as a share.
  var clock: Double { clocks.isEmpty ? 0 : Statistics.median(clocks) }
}
