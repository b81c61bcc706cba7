private import Glibc
import Perception
import SignalAnalysis
import Units

/// What one tone of a plan did.
struct ToneReading: Sendable, Equatable {
  /// The frequency that was played, in hertz.
  let frequency: Double
  /// The peak voltage of the fundamental, as captured.
  let volts: Double
  /// The peak acceleration of the fundamental in m/s2, the sensor's filter taken out.
  let acceleration: Double
  /// One standard deviation of it.
  let uncertainty: Double
  /// Harmonics over the fundamental.
  let distortion: Double
  /// The level in dB above threshold, harmonics counted.
  let level: Double
  /// The frequency that is felt, in hertz.
  let feltFrequency: Double
  /// What is neither tone nor harmonic nor noise, in m/s2 rms.
  let excess: Double
  /// The part of that which does not come again with every period, in m/s2 rms.
  let aperiodic: Double

  init(
    frequency: Double, volts: Double, acceleration: Double, uncertainty: Double,
    distortion: Double, level: Double, feltFrequency: Double, excess: Double
  ) {
    self.frequency = frequency
    self.volts = volts
    self.acceleration = acceleration
    self.uncertainty = uncertainty
    self.distortion = distortion
    self.level = level
    self.feltFrequency = feltFrequency
    self.excess = excess
    aperiodic = 0
  }

  /// Reads a tone; nil where the window holds none.
  init?(
    frequency: Double, output: [Float], input: [Float], window: Range<Int>, rate: SampleRate,
    noise: Double, filter: KnownFilter, contour: PerceptionContour, clock: Double,
    harmonics: Int = 5
  ) {
    let nominal = frequency / (1 + clock)
    guard
      let fit = ToneFit.refining(
        output, frames: window, rate: rate, frequency: nominal, harmonics: harmonics),
      let drive = ToneFit.fit(
        input, frames: window, rate: rate, frequency: nominal, harmonics: 1)
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

  /// One standard deviation of the level in dB.
  var levelUncertainty: Double {
    acceleration > 0 ? 20 / log(10) * uncertainty / acceleration : .infinity
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
        frequency: tone.frequency, output: cleared ?? output, input: capture.input,
        window: frames, rate: capture.rate, noise: noise, filter: filter, contour: contour,
        clock: capture.clock,
        harmonics: max(1, min(harmonics, Int(Self.highestHarmonic / tone.frequency))))
    }
  }
}
