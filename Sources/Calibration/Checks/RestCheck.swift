private import Glibc
import Perception
import SignalAnalysis
import Units

/// What the sensors show while nothing is driven.
struct RestCheck: Sendable, Equatable {
  /// The mean of each axis in m/s2.
  let offsets: [Double]
  /// The standard deviation of each axis over all frequencies, in m/s2.
  let sigmas: [Double]
  /// The same within 20 to 1,000 Hz.
  let bandNoise: [Double]
  /// The noise of the first axis in m/s2 per root hertz over hertz.
  let spectrum: [(frequency: Double, density: Double)]
  /// Sentences for a person.
  let notes: [String]

  static func == (left: Self, right: Self) -> Bool {
    left.offsets == right.offsets && left.sigmas == right.sigmas
      && left.bandNoise == right.bandNoise && left.notes == right.notes
  }

  /// The band that vibrations are felt in, as far as a rate shows it.
  static func band(_ rate: SampleRate) -> ClosedRange<Double> { 20...min(1_000, 0.4 * rate.hertz) }

  /// Judges a quiet stretch; throws where a calibration would be worth nothing.
  init(_ response: SegmentResponse, contour: PerceptionContour) throws(CalibrationRefusal) {
    var notes: [String] = []
    var (offsets, sigmas, noises): ([Double], [Double], [Double]) = ([], [], [])
    let faintest = contour.acceleration(sensationLevel: 10, at: 150)
    for axis in response.axes {
      guard let floor = NoiseFloor.estimate(axis.samples) else {
        throw CalibrationRefusal(
          "sensor.dead", "axis \(axis.name) of the accelerometer delivered no usable samples")
      }
      offsets.append(floor.offset.value)
      sigmas.append(floor.sigma.value)
      let centred = axis.samples.map { $0 - Float(floor.offset.value) }
      if let hum = try Self.hum(centred, axis.name, response.rate, limit: 0.1 * faintest) {
        notes.append(hum)
      }
      let filtered = BandPass(Self.band(response.rate)).apply(to: centred, rate: response.rate)
      let noise = 1.4826 * Statistics.median(filtered.map(abs))
      noises.append(noise)
      guard noise < 0.5 * faintest else {
        throw CalibrationRefusal(
          "sensor.noise",
          "axis \(axis.name) of the accelerometer has \(text(noise)) m/s2 rms of noise from 20 to "
            + "1,000 Hz, more than half of the \(text(faintest)) m/s2 of the weakest vibration: use "
            + "a quieter sensor or find what shakes the rig")
      }
      if noise > 0.1 * faintest / 2.0.squareRoot() {
        notes.append(
          "The noise of axis \(axis.name), \(text(noise)) m/s2 rms, is less than 20 dB below the "
            + "weakest vibration.")
      }
    }
    // A point's level is that of a sine; white noise of density d over T seconds shows d sqrt(2 / T).
    let first = response.axes.first?.samples.map { $0 - Float(offsets[0]) } ?? []
    let seconds = response.rate.seconds(Double(first.count))
    spectrum = ResponseSpectrum.logarithmic(first, rate: response.rate).map { point in
      (point.frequency, Decibels.amplitude(point.level) * (seconds / 2).squareRoot())
    }
    self.offsets = offsets
    self.sigmas = sigmas
    bandNoise = noises
    try Self.checkGravity(offsets, response.axes.map(\.name), notes: &notes)
    self.notes = notes
  }

  /// Mains: a sentence where it can be seen, a refusal where it would be felt.
  private static func hum(
    _ samples: [Float], _ axis: String, _ rate: SampleRate, limit: Double
  ) throws(CalibrationRefusal) -> String? {
    for mains in [50.0, 60.0] {
      guard
        let fit = ToneFit.refining(samples, rate: rate, frequency: mains, harmonics: 3),
        abs(fit.frequency.value - mains) < 0.5
      else { continue }
      let strongest = fit.components.max { $0.amplitude.value < $1.amplitude.value }
      guard let strongest, strongest.amplitude.value > 8 * strongest.amplitude.uncertainty,
        strongest.amplitude.value > 0.1 * limit
      else { continue }
      let amplitude = text(strongest.amplitude.value)
      guard strongest.amplitude.value < limit else {
        throw CalibrationRefusal(
          "sensor.hum",
          "axis \(axis) of the accelerometer hums with \(amplitude) m/s2 at "
            + "\(Int(strongest.frequency.rounded())) Hz: break the ground loop or shield the cable; "
            + "\(text(limit)) m/s2 is allowed")
      }
      return "Mains hum of \(amplitude) m/s2 at \(Int(strongest.frequency.rounded())) Hz on axis "
        + "\(axis)."
    }
    return nil
  }

  /// Gravity, where the sensor feels it, tells a wrong unit and a sensor that is upside down.
  private static func checkGravity(
    _ offsets: [Double], _ names: [String], notes: inout [String]
  ) throws(CalibrationRefusal) {
    let standard = 9.80665
    let size = offsets.reduce(0) { $0 + $1 * $1 }.squareRoot()
    func isNear(_ value: Double, _ expected: Double) -> Bool { abs(value / expected - 1) < 0.04 }
    for (expected, sentence) in [
      (1.0, "g are taken for m/s2: multiply the sensor's scale by 9.80665"),
      (standard * standard, "m/s2 are taken for g: divide the sensor's scale by 9.80665"),
    ] where isNear(size, expected) {
      throw CalibrationRefusal(
        "sensor.units",
        "at rest the accelerometer reads \(text(size)) m/s2 where gravity is 9.807: units mixed up, "
          + sentence)
    }
    guard isNear(size, standard) else {
      if offsets.count >= 3, size > 0.5 {
        throw CalibrationRefusal(
          "sensor.units",
          "at rest the accelerometer's axes together read \(text(size)) m/s2 where gravity is 9.807: "
            + "correct its scale in the rig file ('haprig sensor --flip' measures it)")
      }
      return
    }
    let strongest = offsets.indices.max { abs(offsets[$0]) < abs(offsets[$1]) } ?? 0
    if offsets[strongest] < 0, abs(offsets[strongest]) > 0.8 * size {
      throw CalibrationRefusal(
        "sensor.polarity",
        "gravity pulls axis \(names[strongest]) the wrong way: the accelerometer is upside down; turn "
          + "it over")
    }
  }
}
