private import Glibc
import Perception
import Profiles
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
  /// One standard deviation of the greatest of these, as a share of it.
  let bandSpread: Double
  /// The noise of the first axis in m/s2 per root hertz over hertz.
  let spectrum: [(frequency: Double, density: Double)]
  /// What gravity says of the sensor.
  let gravity: GravityReading
  /// Sentences for a person.
  let notes: [String]

  /// A sensor that does not change at all is at its end where it shows more than this, in m/s2.
  private static let still: Float = 1

  static func == (left: Self, right: Self) -> Bool {
    left.offsets == right.offsets && left.sigmas == right.sigmas
      && left.bandNoise == right.bandNoise && left.gravity == right.gravity
      && left.notes == right.notes
  }

  /// The band that vibrations are felt in, as far as a rate shows it.
  static func band(_ rate: SampleRate) -> ClosedRange<Double> { 20...min(1_000, 0.4 * rate.hertz) }

  /// Judges a quiet stretch; throws where a calibration would be worth nothing.
  init(
    _ response: SegmentResponse, contour: PerceptionContour, sensorUncertainty: Double?
  ) throws(CalibrationRefusal) {
    var notes: [String] = []
    var (offsets, sigmas, noises): ([Double], [Double], [Double]) = ([], [], [])
    var spreads: [Double] = []
    let faintest = contour.acceleration(sensationLevel: 10, at: 150)
    for axis in response.axes {
      guard let floor = NoiseFloor.estimate(axis.samples) else {
        throw CalibrationRefusal(
          .sensorDead, "axis \(axis.name) of the accelerometer delivered no usable samples")
      }
      if let first = axis.samples.first, abs(first) > Self.still,
        axis.samples.allSatisfy({ $0 == first })
      {
        throw CalibrationRefusal(
          .sensorClipped,
          "axis \(axis.name) of the accelerometer stands at \(text(Double(first))) m/s2 without any change: "
            + "it clips there, because gravity alone is beyond its range; choose a wider range of the "
            + "sensor or its converter")
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
      spreads.append(Self.spread(of: filtered))
      guard noise < 0.5 * faintest else {
        throw CalibrationRefusal(
          .sensorNoise,
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
    bandSpread = zip(noises, spreads).max { $0.0 < $1.0 }?.1 ?? 1
    gravity = try GravityReading(
      offsets, response.axes.map(\.name), uncertainty: sensorUncertainty)
    if gravity.deviation == nil {
      notes.append("The sensor does not show gravity: its scale is not checked.")
    }
    self.notes = notes
  }

  /// The noisiest axis, as a profile keeps it.
  var quantity: MeasuredQuantity? {
    guard let noise = bandNoise.max(), noise > 0 else { return nil }
    return MeasuredQuantity(
      noise, .metrePerSecondSquared, uncertainty: noise * min(1, max(1e-3, bandSpread)))
  }

  /// How well the noise of a stretch is known, as a share: by how its parts scatter.
  private static func spread(of samples: [Double]) -> Double {
    let length = samples.count / parts
    guard length > 1 else { return 1 }
    let sizes: [Double] = (0..<parts).map { part in
      let cut = samples[part * length..<(part + 1) * length]
      return Statistics.median(cut.map { abs($0) })
    }
    let mean = sizes.reduce(0, +) / Double(parts)
    guard mean > 0 else { return 1 }
    let squares = sizes.reduce(0.0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Double(parts * (parts - 1))).squareRoot() / mean
  }

  /// Into how many parts a stretch is cut to see how it scatters.
  private static let parts = 6

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
          .sensorHum,
          "axis \(axis) of the accelerometer hums with \(amplitude) m/s2 at "
            + "\(Int(strongest.frequency.rounded())) Hz: break the ground loop or shield the cable; "
            + "\(text(limit)) m/s2 is allowed")
      }
      return "Mains hum of \(amplitude) m/s2 at \(Int(strongest.frequency.rounded())) Hz on axis "
        + "\(axis)."
    }
    return nil
  }
}
