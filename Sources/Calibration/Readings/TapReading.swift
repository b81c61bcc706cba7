// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

struct TapReading: Sendable {
  let tap: TapPlan.Tap
  /// The greatest size of what was measured, in m/s2; 0 where no tap was found.
  let peak: Double
  let figure: CalibrationFigures.Tap

  /// The peak and the root of the energy over those of the wanted tap; nil where the noise is too strong.
  private var shares: (peak: Double, size: Double)? {
    func peak(_ values: [Double]) -> Double { values.reduce(0) { max($0, abs($1)) } }
    func energy(_ values: [Double]) -> Double { values.reduce(0) { $0 + $1 * $1 } }
    let (measured, noise) = (figure.measured, figure.noise)
    let own = energy(measured) - Double(measured.count) * noise * noise
    let (ideal, top) = (energy(figure.wanted), peak(figure.wanted))
    guard ideal > 0, own > 0, noise <= CalibrationFigures.Tap.highestNoise * top
    else { return nil }
    return (peak(measured) / top, (own / ideal).squareRoot())
  }

  /// How much too strong it is, in dB: the mean of what its peak and its energy say.
  ///
  /// Nil where the noise is too strong for that.
  var error: Double? { shares.map { 10 * log10($0.peak * $0.size) } }

  /// Whether the mass struck something: a blow is a peak that its energy knows nothing of.
  var isStruck: Bool { shares.map { $0.peak > Self.blow * $0.size } ?? false }

  /// The peak over what the energy says from which on it is a blow: a quarter beyond the 13 % that the peak
  /// voltage may bend a tap by.
  private static let blow = 1.4

  /// What of a tap is compared with what was wanted.
  private static let view = TapView()

  init(
    _ plan: TapPlan, _ index: Int, output: [Float], volts: [Float], capture: Capture,
    delay: Double, filter: KnownFilter, noise: Double, contour: PerceptionContour
  ) {
    let tap = plan.taps[index]
    self.tap = tap
    let rate = capture.rate
    let view = Self.view
    let start = plan.start(of: index, rate: rate)
    let end = plan.start(of: index + 1, rate: rate)
    let frames = capture.frames(of: start..<end, after: delay)
    let room = max(0, frames.lowerBound - rate.wholeFrames(0.04))..<frames.upperBound
    let piece = Array(output[room.clamped(to: output.indices)])
    let begin = frames.lowerBound - room.lowerBound
    let quiet = 0..<min(capture.lead, output.count)
    // Noise is that of the lead; it is put before the tap, so that the ring of the one before is not it.
    let samples = Array(output[quiet]) + piece
    let offset = quiet.count
    let over = Double(offset + begin) + rate.frames(TapPlan.length)
    // A tap that starts at its crest is there at once: its onset is looked for from just before it.
    let onset = max(0, offset + begin - rate.wholeFrames(0.002))
    let balance = PulseBalance.measure(
      samples, frames: onset..<samples.count, quiet: quiet, rate: rate, driveEnd: over,
      onsetThreshold: min(0.785, 0.2 * tap.wanted))

    let stride = max(1, Int(rate.hertz / 8_000))
    let count = min(end - start, rate.wholeFrames(0.12)) / stride
    let ahead = rate.wholeFrames(0.004)
    let kept = (0..<count).map { $0 * stride - ahead }
    let step = Double(stride) / rate.hertz
    let first = -Double(ahead) / rate.hertz
    let found = view.apply(to: piece, rate: rate)
    let seen = kept.map { found.indices.contains(begin + $0) ? found[begin + $0] : 0 }
    peak = balance == nil ? 0 : seen.reduce(0) { max($0, abs($1)) }
    // The same times as the sensor's samples: the part of a frame that the delay leaves counts.
    let origin = Double(capture.frame(of: start) - room.lowerBound) + rate.frames(delay)
    let ideal = piece.indices.map { frame -> Float in
      let time = rate.seconds(Double(frame) - origin) / (1 + capture.clock)
      return Float(tap.wanted * plan.shape.value(at: time, frequency: tap.frequency))
    }
    let shown = view.apply(to: ideal, rate: rate, filter: filter)
    figure = CalibrationFigures.Tap(
      intensity: tap.intensity, sharpness: tap.sharpness,
      time: seen.indices.map { first + Double($0) * step },
      wanted: kept.map { shown.indices.contains(begin + $0) ? shown[begin + $0] : 0 },
      measured: seen,
      volts: kept.map { volts.indices.contains(start + $0) ? Double(volts[start + $0]) : 0 },
      end: TapPlan.length, t20: balance?.tailTime, pulseToRing: balance?.ratio,
      // White noise, known from 20 to 1,000 Hz.
      noise: noise * (view.noiseBand(rate) / 1_000).squareRoot(),
      asked: tap.command.map { command in
        CalibrationFigures.Tap.Asked(
          targetLevel: command.targetLevel, targetFrequency: command.targetFrequency,
          wantedLevel: contour.sensationLevel(acceleration: command.wanted, at: command.frequency),
          wantedFrequency: command.frequency, mapped: !command.mapping.isInside)
      })
  }
}

/// The waveform of a tap as it is compared: from 10 Hz up, and falling evenly to nothing at 5 kHz.
///
/// A wanted tap starts at its crest. A band with a steep end would overshoot there by 7 to 9 %, and so raise
/// the peak of what is wanted over that of every actuator whose voltage does not suffice for such a start. This
/// one has no overshoot, and a crest of 230 Hz at the start keeps 97 % of its height.
private struct TapView {
  private static let low = 10.0
  private static let high = 5_000.0
  private static let rateShare = 0.48

  private func end(_ rate: SampleRate) -> Double { min(Self.high, Self.rateShare * rate.hertz) }

  /// The bandwidth in hertz of as much white noise: cos^4 over a quarter turn has 3/8.
  func noiseBand(_ rate: SampleRate) -> Double { 3.0 / 8 * end(rate) }

  /// Samples as they are compared, with a filter as a sensor's shows them; its delay is part of that.
  func apply(
    to samples: [Float], rate: SampleRate, filter: KnownFilter? = nil
  ) -> [Double] {
    let end = end(rate)
    let pass = BandPass(Self.low...end)
    let room = Int(rate.frames(4 / Self.low))
    return FourierTransform.shape(samples, rate: rate, room: room) { frequency, bin in
      guard frequency < end else { return Complex(0) }
      let share = pass.response(at: frequency) * 0.5 * (1 + cos(.pi * frequency / end))
      guard share > 0 else { return Complex(0) }
      return bin * (filter.map { share * $0.response(at: frequency) } ?? Complex(share))
    }
  }
}

/// Finds what the inverse's resonance and Q must be at the level of taps, so that least rings on.
///
/// The same taps are played with the inverse as it is, with its resonance raised, and with its Q raised.
/// What follows the intended end is linear in small changes, so the two changes that leave least of it
/// are a small least-squares problem over the recorded samples themselves; no model enters.
struct TapRefinement: Sendable {
  var frequency: Double
  var q: Double

  /// By how much the resonance, and Q, are raised for the trial.
  static let frequencyStep = 0.01
  static let qStep = 0.1

  var trials: [(frequency: Double, q: Double)] {
    [
      (frequency, q), (frequency * (1 + Self.frequencyStep), q), (frequency, q * (1 + Self.qStep)),
    ]
  }

  /// Changes both numbers by what the tails say.
  ///
  /// `tails` holds the samples after the intended end for each tap, each with its three trials in
  /// their order; `noise` is the standard deviation of a sample.
  mutating func refine(tails: [[[Double]]], noise: Double) {
    var rows: [[Double]] = []
    var values: [Double] = []
    for tail in tails where tail.count == 3 {
      // Clocks apart, the three cuts may differ by a sample.
      for sample in 0..<(tail.map(\.count).min() ?? 0) {
        rows.append([tail[1][sample] - tail[0][sample], tail[2][sample] - tail[0][sample]])
        values.append(-tail[0][sample])
      }
    }
    guard !rows.isEmpty else { return }
    var uncertainties = [Double](repeating: max(noise, 1e-9), count: rows.count)
    // Both changes are small: 3 % of the resonance, 30 % of Q, in trial steps.
    rows += [[1, 0], [0, 1]]
    values += [0, 0]
    uncertainties += [3, 3]
    guard let fit = LinearFit(rows: rows, values: values, uncertainties: uncertainties) else {
      return
    }
    let (a, b) = (max(-6, min(6, fit.parameters[0])), max(-4, min(6, fit.parameters[1])))
    frequency *= 1 + Self.frequencyStep * a
    q *= max(0.5, 1 + Self.qStep * b)
  }
}
