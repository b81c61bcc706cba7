private import Glibc
import SignalAnalysis
import Units

/// What an upward sweep says of an end stop that the moving mass strikes.
///
/// A mass at its stop is held by something stiff: it goes on with the rising frequency, no further than
/// the stop, where it had fallen back before. So the frequency at which it goes furthest rises at once, from one
/// level to the next, while far above the resonance, where it hardly moves, the response is what it was.
/// A spring that stiffens or softens moves that frequency from the first level on, with the square of the
/// displacement. All a stop adds is in step with the drive, and alike on both sides: odd harmonics near the
/// resonance; what is loose rattles, and has even ones as well.
struct EndStop: Sendable, Equatable {
  /// What the mass that strikes did in this sweep.
  let motion: PassingMotion

  /// The share by which the frequency rises.
  private static let rise = 0.08

  /// Compares a sweep with weaker ones; nil where nothing speaks of a stop.
  ///
  /// `motions` are those of the sweep, `weaker` upward sweeps that count, by rising level, the last at most
  /// 0.7 of this one's.
  init?(_ strong: SweepResponse, _ motions: [PassingMotion], weaker: [SweepReading]) {
    guard let first = weaker.first, let last = weaker.last else { return nil }
    let found = motions.compactMap { motion -> (motion: PassingMotion, rise: Double)? in
      guard let small = first.motion(near: motion.resonance),
        let before = last.motion(near: motion.resonance)
      else { return nil }
      let rise = motion.frequency / small.frequency - 1
      let foretold = small.displacement * strong.sweep.amplitude / first.level
      guard rise > Self.rise, abs(before.frequency / small.frequency - 1) < 0.1 * rise,
        motion.displacement < 1.1 * foretold, Self.isOdd(strong, near: motion.resonance)
      else { return nil }
      return (motion, rise)
    }
    guard let worst = found.max(by: { $0.rise < $1.rise }), Self.isUnchangedAside(strong, first)
    else { return nil }
    motion = worst.motion
  }

  /// Whether the third harmonic is far above the second while the sweep passes a resonance.
  private static func isOdd(_ response: SweepResponse, near resonance: Double) -> Bool {
    func greatest(_ order: Int) -> Double? {
      let transfer = response.harmonics.first { $0.order == order }?.transfer
      return (0...8).compactMap { step -> Double? in
        let place = Double(order) * resonance * (0.9 + 0.08 * Double(step))
        return transfer?.magnitude(at: place)?.value
      }.max()
    }
    guard let third = greatest(3), let second = greatest(2) else { return false }
    return third > 3 * second
  }

  /// Whether the response far above the resonances is that of the weak sweep.
  private static func isUnchangedAside(_ strong: SweepResponse, _ weak: SweepReading) -> Bool {
    let highest = weak.model.modes.map(\.frequency.value).max() ?? 0
    let top = min(strong.linear.band.upperBound, weak.response.linear.band.upperBound)
    let low = 1.7 * highest
    guard low < 0.9 * top else { return true }
    let ratios = (0...12).compactMap { step -> Double? in
      let place = low * pow(0.95 * top / low, Double(step) / 12)
      guard let now = strong.linear.magnitude(at: place),
        let before = weak.response.linear.magnitude(at: place),
        now.relativeUncertainty < 0.1, before.relativeUncertainty < 0.1
      else { return nil }
      return now.value / before.value
    }
    guard ratios.count >= 3 else { return true }
    return abs(Statistics.median(ratios) - 1) < 0.15
  }
}

extension SweepReading {
  /// What the mass did whose resonance is nearest to a frequency in hertz.
  func motion(near resonance: Double) -> PassingMotion? {
    motions.min { abs($0.resonance - resonance) < abs($1.resonance - resonance) }
  }
}
