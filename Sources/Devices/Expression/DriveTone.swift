// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import Units

/// A tone as an intent asks for it, or a device makes it.
public struct DriveTone: Sendable, Hashable {
  /// Hertz.
  public var frequency: Double
  /// 0 to 1 of the device's safe highest.
  public var amplitude: Double

  /// Makes a tone.
  public init(frequency: Double, amplitude: Double) {
    self.frequency = frequency
    self.amplitude = amplitude
  }
}

extension DriveTone {
  /// The tone of the same energy as several of one length each: silent where all are.
  ///
  /// The effective amplitude, and the mean frequency in octaves, each weighted by its energy. An amplitude
  /// that is no number or below zero is silence. Where none has a frequency, as a motor's drive, which is a
  /// strength and no tone, the amplitude is the plain mean.
  public static func mean(of tones: some Sequence<DriveTone>) -> DriveTone {
    var count = 0
    var energy = 0.0
    var octaves = 0.0
    var pitched = 0.0
    var strength = 0.0
    for tone in tones {
      count += 1
      guard tone.amplitude > 0 else { continue }
      let share = tone.amplitude * tone.amplitude
      energy += share
      strength += tone.amplitude
      guard tone.frequency > 0 else { continue }
      octaves += share * log2(tone.frequency)
      pitched += share
    }
    return DriveTone(
      frequency: pitched > 0 ? exp2(octaves / pitched) : 0,
      amplitude: count == 0
        ? 0 : pitched > 0 ? (energy / Double(count)).squareRoot() : strength / Double(count))
  }
}

/// What a stretch of drive asks of a device that takes tones: one amplitude and one frequency.
///
/// For a tone x[n] = A sin(w n + p) and any lag k,
///
///     x[n+k] + x[n-k] = 2 cos(k w) x[n]         x[n]^2 - x[n-k] x[n+k] = A^2 sin(k w)^2
///
/// hold at every n, whatever the phase: a stretch of any length gives both numbers exactly (the second is
/// Teager's energy operator, Kaiser 1990). Sums over the stretch give the frequency at which its energy
/// lies, and the root mean square of its envelope times sqrt(2).
public struct ToneTracker: Sendable {
  /// What frames of drive are.
  public enum Form: Sendable, Hashable {
    /// The waveform that the actuator shall follow.
    case wave
    /// The strength itself: of a motor that turns one way.
    case level
  }

  /// Slower than this nothing is a tone: it counts by its highest sample, in hertz.
  public static let lowest = 20.0

  /// What frames are.
  public let form: Form
  /// Frames before and after a stretch that are looked at with it: half a millisecond.
  public let lag: Int
  private let rate: Double
  private let highestCosine: Double

  /// Makes a tracker for frames at a rate; tones up to a thousand hertz are told apart.
  public init(rate: SampleRate, form: Form) {
    self.form = form
    self.rate = rate.hertz
    lag = max(1, Int((rate.hertz * 0.5e-3).rounded()))
    highestCosine = cos(2 * .pi * Self.lowest * Double(lag) / rate.hertz)
  }

  /// What a stretch asks for: its frames with `lag` of them before and after it.
  public func tone(of samples: Span<Float>) -> DriveTone {
    precondition(samples.count > 2 * lag, "\(samples.count) frames leave no stretch")
    let stretch = lag..<(samples.count - lag)
    guard form == .wave else {
      let sum = stretch.reduce(0.0) { $0 + Double(samples[$1]) }
      return DriveTone(
        frequency: 0, amplitude: Self.limited(sum / Double(stretch.count)))
    }
    var energy = 0.0
    var pairs = 0.0
    var product = 0.0
    var highest = 0.0
    for index in stretch {
      let (before, here, after) = (
        Double(samples[index - lag]), Double(samples[index]), Double(samples[index + lag])
      )
      energy += here * here
      pairs += here * (before + after) / 2
      product += before * after
      highest = max(highest, abs(here))
    }
    guard energy > 1e-12 * Double(stretch.count) else {
      return DriveTone(frequency: 0, amplitude: 0)
    }
    let cosine = max(-1, pairs / energy)
    guard cosine < highestCosine else {
      return DriveTone(frequency: Self.lowest, amplitude: Self.limited(highest))
    }
    // Of a pure tone both are small together; the bound is for what is none.
    let sine = max(1 - cosine * cosine, 1e-3)
    let square = max(energy - product, 0) / Double(stretch.count) / sine
    return DriveTone(
      frequency: acos(cosine) / Double(lag) * rate / (2 * .pi),
      amplitude: Self.limited(square.squareRoot()))
  }

  /// What a device can be given: 0 to 1; what is no number is silence.
  private static func limited(_ amplitude: Double) -> Double {
    amplitude > 0 ? min(1, amplitude) : 0
  }
}
