private import Glibc
import Profiles
import SignalAnalysis
import Units

/// A sweep of a segment: how it is drawn and how its answer is read.
struct SweepPlan: Sendable, Equatable {
  /// The sweep in volts.
  let sweep: SynchronizedSweep
  /// The silence after it in seconds, in which the actuator rings out.
  let silence: Double
  /// Whether the ring may be longer than what its response is cut out by.
  let cutsRing: Bool

  /// The sweep as a segment's voltage.
  func volts(at rate: SampleRate) -> [Float] {
    sweep.samples(at: rate).map(Float.init)
      + [Float](repeating: 0, count: rate.wholeFrames(silence))
  }

  /// A sweep by the resonances that are known so far.
  ///
  /// The separation of the harmonics, L ln 2 times 0.75, holds the ring down to -60 dB, 2.2 Q / f0, up to
  /// the longest sweep: beyond, the model takes off what is cut. The silence after it lasts for what the
  /// rest of the sweep leaves of the ring.
  static func identification(
    near modes: [(frequency: Double, q: Double)], level: Double,
    direction: SynchronizedSweep.Direction, rate: SampleRate
  ) -> SweepPlan {
    let frequencies = modes.map(\.frequency)
    let (lowest, highest) = (frequencies.min() ?? 200, frequencies.max() ?? 200)
    let low = max(15, min(50, lowest / 3))
    let high = min(0.4 * rate.hertz, max(600, min(1_000, 4 * highest), 1.7 * highest))
    let ring = modes.map { 2.2 * $0.q / $0.frequency }.max() ?? 0.01
    let span = log(high * SynchronizedSweep.upperGuard * SynchronizedSweep.lowerGuard / low)
    let needed = span * ring / (0.75 * log(2))
    let duration = max(0.8, min(longest, needed))
    // Each mode rings on from when the sweep passed it.
    let silence =
      modes.map { mode -> Double in
        let rest = direction == .up ? log(high / mode.frequency) : log(mode.frequency / low)
        return 1.3 * 2.2 * mode.q / mode.frequency - rest / span * duration
      }.max() ?? 0
    return SweepPlan(
      sweep: SynchronizedSweep(
        band: low...high, duration: duration, amplitude: level, direction: direction),
      silence: max(0.15, min(1, silence)), cutsRing: needed > longest)
  }

  /// The length in seconds that no sweep exceeds.
  static let longest = 2.0

  /// The sweep that looks for a resonance of which nothing is known.
  static func search(level: Double, rate: SampleRate, isPiezo: Bool) -> SweepPlan {
    let high = min(isPiezo ? 2_000 : 1_000, 0.4 * rate.hertz)
    return SweepPlan(
      sweep: SynchronizedSweep(band: 20...high, duration: 1.2, amplitude: level), silence: 0.3,
      cutsRing: true)
  }

  /// The highest amplitude that keeps a slope limit over the sweep.
  func level(keeping slope: Double?) -> Double {
    guard let slope else { return sweep.amplitude }
    return min(sweep.amplitude, slope / (2 * .pi * sweep.guardedBand.upperBound))
  }
}
