// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Perception
import SignalAnalysis
import Units

struct ToneReading: Sendable {
  let frequency: Double
  /// The peak voltage of the fundamental, as captured.
  let volts: Double
  /// The peak acceleration of the fundamental in m/s2, the sensor's filter taken out.
  let acceleration: Double
  let uncertainty: Double
  let distortion: Double
  /// The level in dB above threshold, harmonics counted.
  let level: Double
  let feltFrequency: Double
  /// What is neither tone nor harmonic nor noise, in m/s2 rms.
  let excess: Double
  /// The part of that which does not come again with every period, in m/s2 rms.
  var aperiodic = 0.0

  var levelUncertainty: Double {
    acceleration > 0 ? 20 / log(10) * uncertainty / acceleration : .infinity
  }
}

extension ToneReading {
  init?(
    _ capture: Capture, frequency: Double, output: [Float], window: Range<Int>, noise: Double,
    filter: KnownFilter, contour: PerceptionContour, harmonics: Int
  ) {
    let (rate, clock) = (capture.rate, capture.clock)
    let nominal = frequency / (1 + clock)
    guard
      let fit = ToneFit.refining(
        output, frames: window, rate: rate, frequency: nominal, harmonics: harmonics),
      let drive = ToneFit.fit(
        capture.input, frames: window, rate: rate, frequency: nominal, harmonics: 1)
    else { return nil }
    // A tone that drowns in noise has no frequency of its own to be found.
    let isFound = abs(fit.frequency.value / nominal - 1) < 0.01
    let found =
      isFound
      ? fit
      : ToneFit.fit(
        output, frames: window, rate: rate, frequency: nominal, harmonics: harmonics) ?? fit
    self.frequency = frequency
    volts = drive.fundamental.amplitude.value
    func amplitude(_ component: ToneFit.Component) -> Double {
      let noise = component.amplitude.uncertainty
      let square = component.amplitude.value * component.amplitude.value - 2 * noise * noise
      return max(0, square).squareRoot() / filter.response(at: component.frequency).magnitude
    }
    let parts = found.components.map {
      VibrationComponent(
        frequency: $0.frequency * (1 + clock), acceleration: amplitude($0))
    }
    acceleration = parts[0].acceleration
    uncertainty = found.fundamental.amplitude.uncertainty
    distortion = found.distortion.value
    let audible = parts.enumerated().filter { $0.offset == 0 || $0.element.acceleration > 0 }
      .map(\.element)
    level = PerceivedLevel.of(audible, contour: contour)
    feltFrequency =
      SharpnessCentroid.of(audible, contour: contour) ?? parts[0].frequency
    let excess = max(0, found.residual * found.residual - noise * noise).squareRoot()
    self.excess = excess
    guard excess > 0.05 * parts[0].acceleration else {
      aperiodic = excess
      return
    }
    // What strikes a stop has many harmonics.
    let rich = ToneFit.fit(
      output, frames: window, rate: rate, frequency: found.frequency.value, harmonics: 40)
    let left = rich?.residual ?? found.residual
    aperiodic = max(0, left * left - noise * noise).squareRoot()
  }
}

extension TonePlan {
  /// Above this no harmonic is looked for, in hertz.
  private static let highestHarmonic = 2_000.0

  /// Reads every tone of a captured plan; nil in the place of a tone without a reading.
  ///
  /// What rings on from a tone's beginning is taken out where it is known.
  func read(
    _ capture: Capture, output: [Float], delay: Double, noise: Double, filter: KnownFilter,
    contour: PerceptionContour, harmonics: Int = 5, ring: RingRemoval? = nil
  ) -> [ToneReading?] {
    zip(tones, windows(at: capture.rate)).map { tone, window in
      let frames = capture.frames(of: window, after: delay)
      let cleared = ring?.apply(
        to: output, frames: frames, rate: capture.rate,
        tone: tone.frequency / (1 + capture.clock))
      return ToneReading(
        capture, frequency: tone.frequency, output: cleared ?? output, window: frames, noise: noise,
        filter: filter, contour: contour,
        harmonics: max(1, min(harmonics, Int(Self.highestHarmonic / tone.frequency))))
    }
  }
}

/// Takes out of a window what still rings from the tone's beginning.
///
/// A ringing of known frequency and decay is fitted beside the tone, its harmonics and an offset, and
/// taken off. So a tone on an actuator that rings for long need not be waited for.
struct RingRemoval: Sendable {
  /// The frequency of the ringing in hertz, on the capture's clock.
  let frequency: Double
  /// The time in which it falls by the factor e, in seconds.
  let decay: Double

  /// The samples of a window without the ringing; unchanged where it cannot be told from the tone.
  func apply(
    to samples: [Float], frames: Range<Int>, rate: SampleRate, tone: Double
  ) -> [Float] {
    let frames = frames.clamped(to: samples.indices)
    // Every few samples say all there is to say of a tone and its harmonics.
    let step = max(1, Int(rate.hertz / (16 * max(tone, frequency))))
    let places = stride(from: frames.lowerBound, to: frames.upperBound, by: step)
    let top = samples[frames].reduce(Float(0)) { max($0, abs($1)) }
    guard top > 0 else { return samples }
    func time(_ place: Int) -> Double { rate.seconds(Double(place - frames.lowerBound)) }
    func ring(_ time: Double) -> (Double, Double) {
      let size = exp(-time / decay)
      let turn = 2 * .pi * frequency * time
      return (size * cos(turn), size * sin(turn))
    }
    let rows = places.map { place -> [Double] in
      let (time, turn) = (time(place), 2 * .pi * tone * time(place))
      let (a, b) = ring(time)
      return [
        a, b, cos(turn), sin(turn), cos(2 * turn), sin(2 * turn), cos(3 * turn), sin(3 * turn), 1,
      ]
    }
    guard
      let fit = LinearFit(
        rows: rows, values: places.map { Double(samples[$0]) },
        uncertainties: [Double](repeating: 0.01 * Double(top), count: rows.count)),
      // Right at the resonance a short window may not tell the two apart.
      fit.covariance[0, 0].squareRoot() < 0.1 * Double(top)
    else { return samples }
    var cleared = samples
    for place in frames {
      let (a, b) = ring(time(place))
      cleared[place] -= Float(fit.parameters[0] * a + fit.parameters[1] * b)
    }
    return cleared
  }
}

struct VerifiedPoint: Sendable {
  let asked: AskedPoint
  let reading: ToneReading
}
