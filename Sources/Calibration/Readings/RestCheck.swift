// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

struct RestCheck: Sendable {
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
  let gravity: GravityReading
  let notes: [String]

  /// A sensor that does not change at all is at its end where it shows more than this, in m/s2.
  private static let still: Float = 1

  /// The band that vibrations are felt in, as far as a rate shows it.
  static func band(_ rate: SampleRate) -> ClosedRange<Double> { 20...min(1_000, 0.4 * rate.hertz) }

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
      let left = axis.hum?.left ?? 0
      sigmas.append(Self.widened(floor.sigma.value, by: left))
      let centred = axis.samples.map { $0 - Float(floor.offset.value) }
      let limit = 0.1 * faintest
      let seen = try Self.hum(centred, axis.name, response.rate, limit: limit)
      if let hum = axis.hum {
        try Self.checkRemainder(of: hum, limit: limit)
        notes.append(hum.sentence.prefix(1).uppercased() + hum.sentence.dropFirst() + ".")
      } else if let seen {
        notes.append(seen)
      }
      let filtered = BandPass(Self.band(response.rate)).apply(to: centred, rate: response.rate)
      let noise = Self.widened(1.4826 * Statistics.median(filtered.map(abs)), by: left)
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

  /// A noise with what may be left of a hum; itself where there is none.
  private static func widened(_ noise: Double, by left: Double) -> Double {
    left == 0 ? noise : (noise * noise + left * left).squareRoot()
  }

  /// Refuses where what may be left of a hum would be felt; what was not taken off is seen in the samples.
  private static func checkRemainder(
    of hum: SegmentResponse.Hum, limit: Double
  ) throws(CalibrationRefusal) {
    guard let left = hum.left else { return }
    let amplitude = 2.0.squareRoot() * left
    guard amplitude < limit else {
      throw CalibrationRefusal(
        .sensorHum,
        "\(hum.sentence); taken off, \(text(amplitude)) m/s2 of it may be left, and "
          + "\(text(limit)) m/s2 are allowed")
    }
  }

  /// Mains: a sentence where it can be seen, a refusal where it would be felt.
  private static func hum(
    _ samples: [Float], _ axis: String, _ rate: SampleRate, limit: Double
  ) throws(CalibrationRefusal) -> String? {
    guard let line = MainsHum.strongest(in: samples, rate: rate),
      line.amplitude.value > 0.1 * limit
    else { return nil }
    let seen = "\(text(line.amplitude.value)) m/s2 at \(Int(line.frequency.rounded())) Hz"
    guard line.amplitude.value < limit else {
      throw CalibrationRefusal(
        .sensorHum,
        "axis \(axis) of the accelerometer hums with \(seen): break the ground loop or shield the "
          + "cable; \(text(limit)) m/s2 is allowed")
    }
    return "Mains hum of \(seen) on axis \(axis)."
  }
}

/// What gravity says of an accelerometer at rest.
///
/// A sensor that feels gravity shows its scale and how it stands. One that does not, because it is
/// coupled by a capacitor or its axis lies level, shows neither.
struct GravityReading: Sendable {
  /// How far gravity reads off, as a share of it; nil where the sensor does not show it.
  ///
  /// A tilt by t makes it read cos t, and every motion along the true axis alike.
  let deviation: Double?

  private static let standard = SensorFlip.standardGravity
  /// Less than this share of gravity is an axis that lies level, or an offset.
  private static let faintest = 0.25
  private static let wholeLimit = 0.04

  /// Judges the means of the axes at rest; throws for mixed units, a sensor that is upside down, a
  /// tilt and a wrong scale.
  init(
    _ offsets: [Double], _ names: [String], uncertainty: Double?
  ) throws(CalibrationRefusal) {
    let size = offsets.reduce(0) { $0 + $1 * $1 }.squareRoot()
    try Self.checkUnits(size)
    if offsets.count < 3, size < Self.faintest * Self.standard {
      deviation = nil
      return
    }
    // No axis shows anything of it: the sensor does not pass what is constant.
    if size < 0.5 {
      deviation = nil
      return
    }
    let limit =
      offsets.count >= 3
      ? Self.wholeLimit : uncertainty.map { max(0.025, min(0.1, 2 * $0)) } ?? 0.03
    let share = size / Self.standard
    guard abs(share - 1) <= limit else { throw Self.refusal(size, names) }
    let strongest = offsets.indices.max { abs(offsets[$0]) < abs(offsets[$1]) } ?? 0
    if offsets[strongest] < 0, abs(offsets[strongest]) > 0.8 * size {
      throw CalibrationRefusal(
        .sensorPolarity,
        "gravity pulls axis \(names[strongest]) the wrong way: the accelerometer is upside down; turn "
          + "it over")
    }
    deviation = abs(share - 1)
  }

  private static func checkUnits(_ size: Double) throws(CalibrationRefusal) {
    for (expected, sentence) in [
      (1.0, "g are taken for m/s2: multiply the sensor's scale by 9.80665"),
      (standard * standard, "m/s2 are taken for g: divide the sensor's scale by 9.80665"),
    ] where abs(size / expected - 1) < 0.04 {
      throw CalibrationRefusal(
        .sensorUnits,
        "at rest the accelerometer reads \(text(size)) m/s2 where gravity is 9.807: units mixed up, "
          + sentence)
    }
  }

  private static func refusal(_ size: Double, _ names: [String]) -> CalibrationRefusal {
    let share = size / standard
    if names.count >= 3 {
      return CalibrationRefusal(
        .sensorUnits,
        "at rest the accelerometer's axes together read \(text(size)) m/s2 where gravity is 9.807: "
          + "correct its scale in the rig file ('haprig sensor --flip' measures it)")
    }
    let axes = names.count > 1 ? "axes \(names.joined(separator: " and "))" : "axis \(names[0])"
    let read = "at rest \(axes) of the accelerometer read\(names.count > 1 ? "" : "s") "
    let scale = "correct its scale in the rig file ('haprig sensor --flip' measures it)"
    guard share < 1 else {
      return CalibrationRefusal(
        .sensorUnits,
        read
          + "\(text(size)) m/s2 where gravity is 9.807: its scale is \(text(share)) times what it "
          + "should be; \(scale)")
    }
    let tilt = Int((acos(share) * 180 / .pi).rounded())
    return CalibrationRefusal(
      .sensorTilt,
      read
        + "\(text(size)) m/s2 where gravity is 9.807: the sensor is tilted by \(tilt) degrees, or its "
        + "scale is \(text(share)) times what it should be; set its axis upright, or level where the "
        + "actuator moves so, or \(scale)")
  }
}

/// What the sensors saw while the reference was driven and the actuator's own channel was silent.
///
/// An actuator that hangs on the reference's output follows all that is played, markers too.
struct MarkerEcho: Sendable {
  private let rate: SampleRate
  private let input: [Float]
  /// The axes in m/s2, their means at rest taken out.
  private let axes: [[Float]]

  /// The share of what the actuator would do there, from which on it is the actuator.
  private static let answer = 0.5

  init?(_ response: SegmentResponse, from frame: Int, offsets: [Double]) {
    guard response.inputIsMeasured, frame < response.input.count else { return nil }
    rate = response.rate
    input = Array(response.input[frame...])
    axes = zip(response.axes, offsets).map { axis, offset in
      axis.samples[frame...].map { $0 - Float(offset) }
    }
    let before = response.input[..<frame].suffix(input.count)
    guard Amplitude.rms(input) > 20 * Amplitude.rms(Array(before)), Amplitude.rms(input) > 0 else {
      return nil
    }
  }

  /// Whether the motion is that of the actuator driven by the reference.
  ///
  /// Least squares of the motion on what the response foretells, both within a band; the share found must
  /// stand six standard deviations clear of what is left over.
  ///
  /// `response` is that of the actuator to volts at a frequency, sensor and delay included, known within `band`.
  func isActuator(
    following response: (Double) -> Complex, along weights: [Double], band: ClosedRange<Double>
  ) -> Bool {
    let filter = BandPass(band)
    let told = FourierTransform.shape(input, rate: rate, room: rate.wholeFrames(0.2)) {
      place, bin in
      let pass = filter.response(at: place)
      return pass > 0 ? bin * (pass * response(place)) : Complex(0)
    }
    let motion = input.indices.map { frame in
      Float(zip(weights, axes).reduce(0.0) { $0 + $1.0 * Double($1.1[frame]) })
    }
    let felt = filter.apply(to: motion, rate: rate)
    let power = felt.indices.reduce(0) { $0 + told[$1] * told[$1] }
    let product = felt.indices.reduce(0) { $0 + told[$1] * felt[$1] }
    guard power > 0, felt.count > 2 else { return false }
    let share = product / power
    let rest = felt.indices.reduce(0) { sum, frame in
      let left = felt[frame] - share * told[frame]
      return sum + left * left
    }
    // Within the band only some of the frames tell anything of their own.
    let width = 2 * (band.upperBound - band.lowerBound) / rate.hertz
    let variance = rest / Double(felt.count) / (power * min(1, width))
    return share > Self.answer && share * share > 36 * variance
  }
}
