private import Glibc
public import Units

/// What a short transient did: its strength, its times, and how much rings on after it.
///
/// The windows and the pulse-to-ring ratio are this project's own definition: the pulse lasts from the
/// onset until the envelope has fallen to half of its peak, at least to the end of the drive; the ring is
/// the rest until the envelope reaches 3 standard deviations of the noise, at least 5 and at most 200 ms.
public struct ClickMetrics: Sendable, Equatable {
  /// The first passage of the onset threshold.
  public let onset: OnsetDetector.Onset
  /// The largest excursion, with its sign, in the signal's unit.
  public let peak: Amplitude.Peak
  /// The highest value of the envelope, and the frame at which it stands.
  public let envelopePeak: Amplitude.Peak
  /// Pulse and ring against each other.
  public let balance: PulseBalance
  /// The time from 10 to 90 % of the envelope's peak, in seconds.
  public let riseTime: Double?
  /// How long the envelope is above half of its peak, in seconds.
  public let peakDuration: Double
  /// The time from the envelope's peak until it is below 10 % for good, in seconds.
  ///
  /// Nil where noise hides that level: where it is below 5 standard deviations.
  public let decayTime: Double?
  /// The time from the end of the intended event until the envelope is 20 dB below its peak for good.
  ///
  /// In seconds; below zero where that is reached before. Nil as `decayTime` is.
  public let tailTime: Double?
  /// The weighted energy of pulse and ring, less the noise's, in the square of the unit times seconds.
  public let energy: Estimate
  /// The centre of the energy over frequency, in hertz.
  public let centroid: Double?

  /// The ratio of pulse to ring over the peak's duration, in dB a millisecond.
  ///
  /// Of the form of Android's figure of merit for clicks, by the definitions here.
  public var figureOfMerit: Double? {
    peakDuration > 0 ? balance.ratio.map { $0 / (1e3 * peakDuration) } : nil
  }

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
    let balance = click.balance(driveEnd: driveEnd)
    let whole = balance.pulse.lowerBound..<balance.ring.upperBound
    let fall = click.lastPassage(of: 0.1)
    return ClickMetrics(
      onset: click.onset, peak: peak, envelopePeak: click.top, balance: balance,
      riseTime: click.rise.map { rate.seconds($0) },
      peakDuration: rate.seconds(click.halfWidth),
      decayTime: fall.map { rate.seconds($0 - click.top.frame) },
      tailTime: intendedEnd.flatMap { end in fall.map { rate.seconds($0 - end) } },
      energy: click.weightedEnergy(of: whole, band: band, weight: weight),
      centroid: ResponseSpectrum.centroid(Array(click.centred[whole]), rate: rate, band: band))
  }
}

/// How a transient's energy is shared between its pulse and what rings after it.
public struct PulseBalance: Sendable, Equatable {
  /// The frames of the pulse.
  public let pulse: Range<Int>
  /// The frames of the ring.
  public let ring: Range<Int>
  /// The energy of the pulse, less the noise's, not weighted.
  public let pulseEnergy: Estimate
  /// The energy of the ring, less the noise's, not weighted.
  public let ringEnergy: Estimate

  /// The ratio of pulse to ring in dB, less the noise of both.
  ///
  /// Where the ring is no more than its uncertainty, that stands in its place: the ratio is then a
  /// lower bound, as `isBound` says. Nil where the pulse is not above its own noise.
  public var ratio: Double? {
    let ring = max(ringEnergy.value, ringEnergy.uncertainty)
    guard pulseEnergy.value > 0, ring > 0 else { return nil }
    return 10 * log10(pulseEnergy.value / ring)
  }

  /// Whether the ratio is a lower bound only.
  public var isBound: Bool { ringEnergy.value <= ringEnergy.uncertainty }

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

/// A transient that was found in a stretch of samples: its envelope over its noise.
private struct Click {
  let onset: OnsetDetector.Onset
  /// The samples without their offset.
  let centred: [Float]
  let top: Amplitude.Peak
  private let values: [Double]
  private let envelope: [Double]
  private let frames: Range<Int>
  private let quiet: Range<Int>
  private let rate: SampleRate
  /// The standard deviation of the noise in the band.
  private let sigma: Double
  /// How many independent numbers a frame of band-limited noise holds.
  private let freedom: Double

  init?(
    _ samples: [Float], frames: Range<Int>, quiet: Range<Int>, rate: SampleRate,
    band: ClosedRange<Double>, onsetThreshold: Double
  ) {
    let quiet = quiet.clamped(to: samples.indices)
    guard let floor = NoiseFloor.estimate(samples, frames: quiet), !frames.isEmpty else {
      return nil
    }
    let white = max(floor.sigma.value, 1e-12)
    let detector = OnsetDetector(threshold: max(6, onsetThreshold / white), rate: rate)
    let known = NoiseFloor(
      offset: floor.offset, sigma: Estimate(white, uncertainty: 0), count: floor.count)
    guard let onset = detector.first(in: samples, frames: frames, noise: known) else { return nil }
    self.onset = onset
    self.frames = frames
    self.quiet = quiet
    self.rate = rate
    centred = samples.map { $0 - Float(floor.offset.value) }
    let analytic = BandPass(band).analytic(centred, rate: rate)
    let envelope = analytic.map(\.magnitude)
    values = analytic.map(\.real)
    self.envelope = envelope
    let power = quiet.reduce(0) { $0 + analytic[$1].power / 2 } / Double(max(1, quiet.count))
    sigma = power.squareRoot()
    freedom = min(1, 2 * (band.upperBound - band.lowerBound) / rate.hertz)
    let frame = frames.max { envelope[$0] < envelope[$1] } ?? frames.lowerBound
    top = Amplitude.Peak(frame: Double(frame), value: envelope[frame])
  }

  func balance(driveEnd: Double?) -> PulseBalance {
    let start = max(frames.lowerBound, Int(onset.frame))
    let pulse = start..<max(start, pulseEnd(driveEnd: driveEnd))
    let ring = pulse.upperBound..<ringEnd(after: pulse.upperBound)
    return PulseBalance(
      pulse: pulse, ring: ring, pulseEnergy: energy(of: pulse), ringEnergy: energy(of: ring))
  }

  private var topFrame: Int { Int(top.frame) }

  /// Where the envelope first falls to half after its top, or the end of the drive if that is later.
  private func pulseEnd(driveEnd: Double?) -> Int {
    let half = fall(below: 0.5) ?? Double(frames.upperBound)
    return min(frames.upperBound, Int(max(half, driveEnd ?? half).rounded(.up)))
  }

  /// Where the envelope first falls to 3 standard deviations, at least 5 ms and at most 200 ms on.
  private func ringEnd(after start: Int) -> Int {
    let limit = min(frames.upperBound, start + rate.wholeFrames(0.2))
    let least = min(limit, start + rate.wholeFrames(0.005))
    guard start < limit else { return start }
    return (least..<limit).first { envelope[$0] < 3 * sigma } ?? limit
  }

  var halfWidth: Double {
    let half = 0.5 * top.value
    let before =
      (frames.lowerBound...topFrame).last { envelope[$0] < half }.map { crossing($0, half) }
      ?? Double(frames.lowerBound)
    return (fall(below: 0.5) ?? Double(frames.upperBound)) - before
  }

  /// The frames from 10 to 90 % before the top; nil where the stretch begins above 10 %.
  var rise: Double? {
    let (low, high) = (0.1 * top.value, 0.9 * top.value)
    guard let first = (frames.lowerBound...topFrame).last(where: { envelope[$0] < low }),
      let last = (first...topFrame).first(where: { envelope[$0 + 1] >= high })
    else { return nil }
    return crossing(last, high) - crossing(first, low)
  }

  /// Where the envelope falls below a share of its top for the last time; nil where noise hides it.
  func lastPassage(of share: Double) -> Double? {
    let level = share * top.value
    guard level > 5 * sigma,
      let last = (topFrame..<frames.upperBound).last(where: { envelope[$0] >= level }),
      last + 1 < frames.upperBound
    else { return nil }
    return crossing(last, level)
  }

  /// The energy of some frames less that of the noise.
  ///
  /// The noise of a sum of squares over m independent numbers: s^2 sqrt(2 m) dt, and 2 s sqrt(E dt) where there is a signal.
  private func energy(of frames: Range<Int>) -> Estimate {
    let step = rate.period
    let sum = frames.reduce(0) { $0 + values[$1] * values[$1] }
    let noise = sigma * sigma
    let count = Double(frames.count)
    let energy = (sum - noise * count) * step
    let own = noise * (2 * count / max(freedom, 1e-12)).squareRoot()
    let cross = 2 * sigma * (max(0, energy) / step / max(freedom, 1e-12)).squareRoot()
    return Estimate(energy, uncertainty: step * (own * own + cross * cross).squareRoot())
  }

  private func fall(below share: Double) -> Double? {
    let level = share * top.value
    return (topFrame..<(frames.upperBound - 1)).first { envelope[$0 + 1] < level }
      .map { crossing($0, level) }
  }

  /// Where the straight line from a frame to the next passes a level.
  private func crossing(_ frame: Int, _ level: Double) -> Double {
    let next = envelope[min(frame + 1, envelope.count - 1)]
    guard next != envelope[frame] else { return Double(frame) }
    return Double(frame) + max(0, min(1, (level - envelope[frame]) / (next - envelope[frame])))
  }

  /// The integral of the weighted square over some frames, less that of the noise of the quiet frames.
  ///
  /// By Parseval: 2 dt / n times the sum over the band of (weight |X|)^2.
  func weightedEnergy(
    of frames: Range<Int>, band: ClosedRange<Double>, weight: (Double) -> Double
  ) -> Estimate {
    let length = FourierTransform.fastLength(
      atLeast: max(frames.count, quiet.count, rate.wholeFrames(0.5)))
    var transform = FourierTransform(length: length)
    let width = rate.hertz / Double(length)
    let factors = (0..<transform.binCount).map { bin in
      let frequency = Double(bin) * width
      return band.contains(frequency) ? weight(frequency) : 0
    }
    func energy(_ frames: Range<Int>) -> Double {
      let stretch = Array(centred[frames])
      let bins = transform.forward(stretch.span)
      let sum = bins.indices.reduce(0.0) { $0 + factors[$1] * factors[$1] * bins[$1].power }
      return 2 * rate.period / Double(length) * sum
    }
    let share = Double(frames.count) / Double(max(1, quiet.count))
    let noise = share * energy(quiet)
    let rest = energy(frames) - noise
    let (squares, fourths) = factors.reduce((0.0, 0.0)) { sums, factor in
      let square = factor * factor
      return (sums.0 + square, sums.1 + square * square)
    }
    guard fourths > 0 else { return Estimate(0, uncertainty: 0) }
    // How many independent complex numbers noise of this weight has in the time of the frames.
    let bandwidth = squares * squares / fourths * width
    let freedom = max(1, bandwidth * rate.seconds(Double(frames.count)))
    // |A + N|^2 varies by 2 |A|^2 |N|^2 + |N|^4; the noise known from the quiet frames by its own share.
    let variance = noise * noise * (1 + share) / freedom + 2 * max(0, rest) * noise / freedom
    return Estimate(rest, uncertainty: variance.squareRoot())
  }
}
