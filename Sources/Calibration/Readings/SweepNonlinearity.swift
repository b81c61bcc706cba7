// SPDX-License-Identifier: Apache-2.0

private import Glibc
import SignalAnalysis
import Units

/// What a sweep says of an amplifier that clips.
///
/// Volts that are cut off hold a third harmonic of one size, whatever the frequency and however far the
/// actuator moves. Over the actuator's own response at three times the frequency it is the drive's. A
/// spring or a magnet that is not linear, and an end stop, have harmonics near the resonance alone, where
/// the mass moves far.
struct AmplifierClipping: Sendable {
  let volts: Double
  let thirdHarmonic: Double

  /// The least third harmonic that is taken for clipping.
  private static let least = 0.02
  /// How far from a resonance a harmonic is the drive's, in nepers.
  private static let distance = 0.3
  /// Up to which relative uncertainty a harmonic counts, and how many are needed.
  private static let certain = 0.15
  private static let enough = 6
  /// The third harmonic from which on it is no magnet's and no spring's.
  private static let own = 0.1
  /// How a weaker sweep's harmonic lies to what the square of the level says where it is the actuator's own.
  private static let square = 0.5...1.7

  /// Reads a sweep of an actuator of known resonances in hertz; nil where nothing speaks of clipping.
  ///
  /// `weaker` is a sweep of a lower level, where there is one: far below a resonance the mass moves alike at
  /// all frequencies, and what a magnet or a spring adds is of one size as well. That grows with the square
  /// of the level, while an amplifier that clips adds nothing until it does.
  init?(_ response: SweepResponse, weaker: SweepResponse?, resonances: [Double]) {
    let shares = Self.shares(response, resonances)
      .filter { $0.relativeUncertainty < Self.certain }.map(\.value).sorted()
    guard shares.count >= Self.enough else { return nil }
    let (few, middle, most) = (
      shares[shares.count / 6], shares[shares.count / 2], shares[shares.count * 5 / 6]
    )
    guard middle > Self.least, most < 1.7 * few else { return nil }
    if let weaker, middle < Self.own, Self.hasSquare(of: middle, response, weaker, resonances) {
      return nil
    }
    thirdHarmonic = middle
    volts = ClippedSine.share(ofThirdHarmonic: middle) * response.sweep.amplitude
  }

  /// Whether a weaker sweep has of a harmonic what the square of the level leaves, or cannot tell it for noise.
  ///
  /// One whose own response is unsure nearly everywhere is no witness: the strong sweep's word stands.
  private static func hasSquare(
    of harmonic: Double, _ response: SweepResponse, _ weaker: SweepResponse, _ resonances: [Double]
  ) -> Bool {
    let shares = shares(weaker, resonances)
    guard shares.count >= enough else { return false }
    let level = weaker.sweep.amplitude / response.sweep.amplitude
    let told = harmonic * level * level
    func mean(_ part: (Estimate) -> Double) -> Double {
      shares.reduce(0) { $0 + part($1) * part($1) } / Double(shares.count)
    }
    // Each of them may drown in noise, which has two parts, and all together tell.
    let noise = 2 * mean(\.uncertainty)
    let found = max(0, mean(\.value) - noise).squareRoot()
    return noise > told * told / 2 || square.contains(found / told)
  }

  /// The drive's third harmonic where the resonances are far, as shares of the drive.
  private static func shares(_ response: SweepResponse, _ resonances: [Double]) -> [Estimate] {
    guard let third = response.harmonics.first(where: { $0.order == 3 })?.transfer else {
      return []
    }
    let (low, high) = (1.05 * third.band.lowerBound / 3, third.band.upperBound / 3.05)
    guard low < high else { return [] }
    return (0...32).compactMap { step -> Estimate? in
      let frequency = low * pow(high / low, Double(step) / 32)
      guard resonances.allSatisfy({ abs(log(frequency / $0)) > distance }),
        let harmonic = third.magnitude(at: 3 * frequency),
        let linear = response.linear.magnitude(at: 3 * frequency),
        linear.relativeUncertainty < certain
      else { return nil }
      return Estimate(
        harmonic.value / linear.value, uncertainty: harmonic.uncertainty / linear.value)
    }
  }
}

enum ClippedSine {
  /// The fundamental over the sine asked for: (2 / pi) (asin r + r sqrt(1 - r^2)).
  static func fundamental(at share: Double) -> Double {
    let share = max(0, min(1, share))
    return 2 / .pi * (asin(share) + share * (1 - share * share).squareRoot())
  }

  /// The third harmonic over the fundamental; the harmonic is (4 / (3 pi)) r (1 - r^2)^(3/2).
  static func thirdHarmonic(at share: Double) -> Double {
    let share = max(1e-6, min(1, share))
    let rest = 1 - share * share
    return 4 / (3 * .pi) * share * rest * rest.squareRoot() / fundamental(at: share)
  }

  /// The share at which so much of the fundamental is left; 1 where nothing is missing.
  static func share(ofFundamental left: Double) -> Double {
    root { fundamental(at: $0) > left }
  }

  /// The share at which the third harmonic is so much of the fundamental, at most a third.
  static func share(ofThirdHarmonic part: Double) -> Double {
    root { thirdHarmonic(at: $0) < part }
  }

  private static func root(_ holds: (Double) -> Bool) -> Double {
    holds(1) ? Statistics.bisect(0...1, rounds: 50, until: holds).high : 1
  }
}

/// What an upward sweep says of an end stop that the moving mass strikes.
///
/// A mass at its stop is held by something stiff: it goes on with the rising frequency, no further than
/// the stop, where it had fallen back before. So the frequency at which it goes furthest rises at once, from one
/// level to the next, while far above the resonance, where it hardly moves, the response is what it was.
/// A spring that stiffens or softens moves that frequency from the first level on, with the square of the
/// displacement. All a stop adds is in step with the drive, and alike on both sides: odd harmonics near the
/// resonance; what is loose rattles, and has even ones as well.
struct EndStop: Sendable {
  let motion: PassingMotion

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
  func motion(near resonance: Double) -> PassingMotion? {
    motions.min { abs($0.resonance - resonance) < abs($1.resonance - resonance) }
  }
}
