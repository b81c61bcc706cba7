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
    guard
      let click = Click(
        samples, frames: frames, quiet: quiet, rate: rate, band: band,
        onsetThreshold: onsetThreshold),
      let peak = Amplitude.peak(click.centred, frames: frames)
    else { return nil }
    let (shape, balance) = (click.shape, click.balance(driveEnd: driveEnd))
    let whole = balance.pulse.lowerBound..<balance.ring.upperBound
    let fall = shape.lastPassage(of: 0.1)
    return ClickMetrics(
      onset: click.onset, peak: peak, envelopePeak: shape.top, balance: balance,
      riseTime: shape.rise.map { rate.seconds($0) },
      peakDuration: rate.seconds(shape.halfWidth),
      decayTime: fall.map { rate.seconds($0 - shape.top.frame) },
      tailTime: intendedEnd.flatMap { end in fall.map { rate.seconds($0 - end) } },
      energy: ClickEnergy.weighted(
        click.centred, frames: whole, quiet: click.quiet, rate: rate, band: band, weight: weight),
      centroid: ResponseSpectrum.centroid(Array(click.centred[whole]), rate: rate, band: band))
  }
}

extension PulseBalance {
  /// Measures pulse and ring of a transient alone: at a fraction of the cost of all its metrics.
  ///
  /// The parameters are those of `ClickMetrics.measure`.
  public static func measure(
    _ samples: [Float], frames: Range<Int>, quiet: Range<Int>, rate: SampleRate,
    driveEnd: Double? = nil, band: ClosedRange<Double> = 20...1_000,
    onsetThreshold: Double = 0.785
  ) -> PulseBalance? {
    Click(
      samples, frames: frames.clamped(to: samples.indices), quiet: quiet, rate: rate, band: band,
      onsetThreshold: onsetThreshold)?.balance(driveEnd: driveEnd)
  }
}

/// A transient that was found in a stretch of samples.
private struct Click {
  let onset: OnsetDetector.Onset
  /// The samples without their offset.
  let centred: [Float]
  let shape: ClickShape
  let frames: Range<Int>
  let quiet: Range<Int>

  init?(
    _ samples: [Float], frames: Range<Int>, quiet: Range<Int>, rate: SampleRate,
    band: ClosedRange<Double>, onsetThreshold: Double
  ) {
    let quiet = quiet.clamped(to: samples.indices)
    guard let floor = NoiseFloor.estimate(samples, frames: quiet), !frames.isEmpty else {
      return nil
    }
    let sigma = max(floor.sigma.value, 1e-12)
    let detector = OnsetDetector(threshold: max(6, onsetThreshold / sigma), rate: rate)
    let known = NoiseFloor(
      offset: floor.offset, sigma: Estimate(sigma, uncertainty: 0), count: floor.count)
    guard let onset = detector.first(in: samples, frames: frames, noise: known) else { return nil }
    self.onset = onset
    self.frames = frames
    self.quiet = quiet
    centred = samples.map { $0 - Float(floor.offset.value) }
    shape = ClickShape(
      centred, frames: frames, quiet: quiet, rate: rate, band: band, onset: onset.frame)
  }

  func balance(driveEnd: Double?) -> PulseBalance {
    let pulseEnd = shape.pulseEnd(driveEnd: driveEnd)
    let start = max(frames.lowerBound, Int(onset.frame))
    let pulse = start..<max(start, pulseEnd)
    let ring = pulse.upperBound..<shape.ringEnd(after: pulse.upperBound)
    return PulseBalance(
      pulse: pulse, ring: ring, pulseEnergy: shape.energy(of: pulse),
      ringEnergy: shape.energy(of: ring))
  }
}
