// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import Units

/// How a short transient's energy is shared between its pulse and what rings after it.
///
/// The windows and the pulse-to-ring ratio are this project's own definition: the pulse lasts from the
/// onset until the envelope has fallen to half of its peak, at least to the end of the drive; the ring is
/// the rest until the envelope reaches 3 standard deviations of the noise, at least 5 and at most 200 ms.
public struct PulseBalance: Sendable, Equatable {
  /// The frames of the pulse.
  public let pulse: Range<Int>
  /// The frames of the ring.
  public let ring: Range<Int>
  /// The energy of the pulse, less the noise's, not weighted.
  public let pulseEnergy: Estimate
  /// The energy of the ring, less the noise's, not weighted.
  public let ringEnergy: Estimate
  /// The time from the end of the drive until the envelope is 20 dB below its peak for good, in seconds.
  ///
  /// Below zero where that is reached before. Nil where the end is not known, and where noise hides that
  /// level: where it is below 5 standard deviations.
  public let tailTime: Double?

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

  /// Measures a transient that stands alone in a stretch of samples.
  ///
  /// `quiet` are frames that hold noise alone, at least 8 and better 100 ms of them; `frames` those that
  /// may hold the transient and its ring. `onsetThreshold` is the least onset in the signal's unit, by default 80 mg
  /// in m/s2; 6 standard deviations of the noise where that is more. `driveEnd` is the frame at which the
  /// drive ended, braking included, on the clock of the samples, the delay added. Envelope and energies are
  /// those of `band`. Gives nil where nothing passes the onset threshold or the quiet frames are too few.
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
  private let onset: OnsetDetector.Onset
  /// The highest value of the envelope, and the frame at which it stands.
  private let top: (frame: Int, value: Double)
  private let values: [Double]
  private let envelope: [Double]
  private let frames: Range<Int>
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
    self.rate = rate
    let centred = samples.map { $0 - Float(floor.offset.value) }
    let analytic = BandPass(band).analytic(centred, rate: rate)
    let envelope = analytic.map(\.magnitude)
    values = analytic.map(\.real)
    self.envelope = envelope
    let power = quiet.reduce(0) { $0 + analytic[$1].power / 2 } / Double(max(1, quiet.count))
    sigma = power.squareRoot()
    freedom = min(1, 2 * (band.upperBound - band.lowerBound) / rate.hertz)
    let frame = frames.max { envelope[$0] < envelope[$1] } ?? frames.lowerBound
    top = (frame, envelope[frame])
  }

  func balance(driveEnd: Double?) -> PulseBalance {
    let start = max(frames.lowerBound, Int(onset.frame))
    let pulse = start..<max(start, pulseEnd(driveEnd: driveEnd))
    let ring = pulse.upperBound..<ringEnd(after: pulse.upperBound)
    return PulseBalance(
      pulse: pulse, ring: ring, pulseEnergy: energy(of: pulse), ringEnergy: energy(of: ring),
      tailTime: driveEnd.flatMap { end in lastPassage(of: 0.1).map { rate.seconds($0 - end) } })
  }

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

  /// Where the envelope falls below a share of its top for the last time; nil where noise hides it.
  private func lastPassage(of share: Double) -> Double? {
    let level = share * top.value
    guard level > 5 * sigma,
      let last = (top.frame..<frames.upperBound).last(where: { envelope[$0] >= level }),
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
    return (top.frame..<(frames.upperBound - 1)).first { envelope[$0 + 1] < level }
      .map { crossing($0, level) }
  }

  /// Where the straight line from a frame to the next passes a level.
  private func crossing(_ frame: Int, _ level: Double) -> Double {
    let next = envelope[min(frame + 1, envelope.count - 1)]
    guard next != envelope[frame] else { return Double(frame) }
    return Double(frame) + max(0, min(1, (level - envelope[frame]) / (next - envelope[frame])))
  }
}
