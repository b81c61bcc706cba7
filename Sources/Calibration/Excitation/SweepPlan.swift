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

  /// The sweep as a segment's voltage.
  func volts(at rate: SampleRate) -> [Float] {
    sweep.samples(at: rate).map(Float.init)
      + [Float](repeating: 0, count: rate.wholeFrames(silence))
  }

  /// A sweep by the resonance that is known so far.
  ///
  /// The separation of the harmonics, L ln 2 times 0.75, holds the ring down to -60 dB, 2.2 Q / f0.
  static func identification(
    near frequency: Double, q: Double, level: Double, direction: SynchronizedSweep.Direction,
    rate: SampleRate
  ) -> SweepPlan {
    let low = max(15, min(50, frequency / 3))
    let high = min(0.4 * rate.hertz, max(600, min(1_000, 4 * frequency), 1.7 * frequency))
    let ring = 2.2 * q / frequency
    let span = log(high * SynchronizedSweep.upperGuard * SynchronizedSweep.lowerGuard / low)
    let duration = max(0.8, min(4, span * ring / (0.75 * log(2))))
    return SweepPlan(
      sweep: SynchronizedSweep(
        band: low...high, duration: duration, amplitude: level, direction: direction),
      silence: max(0.15, min(1, 1.3 * ring)))
  }

  /// The sweep that looks for a resonance of which nothing is known.
  static func search(level: Double, rate: SampleRate, isPiezo: Bool) -> SweepPlan {
    let high = min(isPiezo ? 2_000 : 1_000, 0.4 * rate.hertz)
    return SweepPlan(
      sweep: SynchronizedSweep(band: 20...high, duration: 1.2, amplitude: level), silence: 0.3)
  }

  /// The highest amplitude that keeps a slope limit over the sweep.
  func level(keeping slope: Double?) -> Double {
    guard let slope else { return sweep.amplitude }
    return min(sweep.amplitude, slope / (2 * .pi * sweep.guardedBand.upperBound))
  }
}
