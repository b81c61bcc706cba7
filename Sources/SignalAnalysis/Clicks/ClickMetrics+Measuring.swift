private import Glibc
public import Units

extension ClickMetrics {
  static func decibels(_ ratio: Double) -> Double { 10 * log10(ratio) }

  /// Measures a transient that stands alone in a stretch of samples.
  ///
  /// `quiet` are frames that hold noise alone, at least 8 and better 100 ms of them; `frames` those that
  /// may hold the transient and its ring. `onsetThreshold` is the least onset in the signal's unit, by default 80 mg
  /// in m/s2; 6 standard deviations of the noise where that is more. `driveEnd` is the frame at which the
  /// drive ended, braking included, and `intendedEnd` that of the event as intended, both on the clock of
  /// the samples, the delay added. `weight` is the factor of the energy at a frequency in hertz, such as
  /// the sensitivity of a contour. Envelope and energies are those of `band`. Gives nil where nothing
  /// passes the onset threshold or the quiet frames are too few. Costs a few transforms.
  public static func measure(
    _ samples: [Float], frames: Range<Int>, quiet: Range<Int>, rate: SampleRate,
    driveEnd: Double? = nil, intendedEnd: Double? = nil, band: ClosedRange<Double> = 20...1_000,
    onsetThreshold: Double = 0.785, weight: (_ frequency: Double) -> Double = { _ in 1 }
  ) -> ClickMetrics? {
    let frames = frames.clamped(to: samples.indices)
    let quiet = quiet.clamped(to: samples.indices)
    guard let floor = NoiseFloor.estimate(samples, frames: quiet), !frames.isEmpty else {
      return nil
    }
    let sigma = max(floor.sigma.value, 1e-12)
    let detector = OnsetDetector(threshold: max(6, onsetThreshold / sigma), rate: rate)
    let known = NoiseFloor(
      offset: floor.offset, sigma: Estimate(sigma, uncertainty: 0), count: floor.count)
    guard let onset = detector.first(in: samples, frames: frames, noise: known) else { return nil }
    let centred = samples.map { $0 - Float(floor.offset.value) }
    guard let peak = Amplitude.peak(centred, frames: frames) else { return nil }
    let shape = ClickShape(
      centred, frames: frames, quiet: quiet, rate: rate, band: band, onset: onset.frame)

    let pulseEnd = shape.pulseEnd(driveEnd: driveEnd)
    let start = max(frames.lowerBound, Int(onset.frame))
    let pulse = start..<max(start, pulseEnd)
    let ring = pulse.upperBound..<shape.ringEnd(after: pulse.upperBound)
    let whole = pulse.lowerBound..<ring.upperBound
    let fall = shape.lastPassage(of: 0.1)
    return ClickMetrics(
      onset: onset, peak: peak, envelopePeak: shape.top, pulse: pulse, ring: ring,
      riseTime: shape.rise.map { rate.seconds($0) },
      peakDuration: rate.seconds(shape.halfWidth),
      decayTime: fall.map { rate.seconds($0 - shape.top.frame) },
      tailTime: intendedEnd.flatMap { end in fall.map { rate.seconds($0 - end) } },
      energy: ClickEnergy.weighted(
        centred, frames: whole, quiet: quiet, rate: rate, band: band, weight: weight),
      pulseEnergy: shape.energy(of: pulse), ringEnergy: shape.energy(of: ring),
      centroid: ResponseSpectrum.centroid(Array(centred[whole]), rate: rate, band: band))
  }
}
