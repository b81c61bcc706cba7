// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Units

/// The search for hum at the start of a recording.
struct HumSearch {
  struct Line {
    let order: Int
    let amplitude: Estimate
  }

  /// The hum at the end of a recording.
  struct End {
    let stretch: MainsHum.Stretch
    let frequency: Estimate
  }

  let frequency: Estimate
  let lines: [Line]
  private let residual: Double
  private let count: Int

  /// What mains there are, in hertz.
  private static let mains = [50.0, 60.0]
  /// How far mains are off at most, in hertz, and how far is looked, so that something beside them
  /// is seen to be it.
  private static let reach = (believed: 0.5, looked: 0.8)
  /// The step of the search in hertz: an eighth harmonic turns by a fifth of a turn more in 0.3 s.
  private static let step = 0.1
  /// The frequencies of a first look, in hertz beside the mains: the third harmonic loses at most a
  /// fifth in 0.3 s.
  private static let glances = [-0.4, 0, 0.4]
  /// How many uncertainties a line must have at a first look: one of 10^5 quiet takes is looked at
  /// more closely.
  private static let glimpsed = 5.0
  /// How many uncertainties the strongest line must have, as in the rest of a calibration, and the
  /// others beside it.
  private static let sure = (strongest: 8.0, other: 4.0)
  /// How much a strongest line may differ between quarters of the stretch: a share of their mean,
  /// more is the ring of a blow; four standard deviations where that is more.
  private static let even = (parts: 4, share: 0.2, deviations: 4.0)
  /// How surely the frequency must be known to be believed to be the mains', in hertz.
  private static let surestOff = 0.25
  /// Up to the eighth harmonic: beyond, hum is faint, and what is felt of it is fainter.
  private static let harmonics = 8
  /// Fewer periods than this tell no line from what stands beside it.
  private static let fewestPeriods = 8.0
  /// Where the noise beside a line is looked at, in turns over the stretch: free of the line, and
  /// short of halfway to the next one.
  private static let beside = [2.0, 3, 4]
  /// Rounds in which a frequency is refined, and the change in hertz at which it stands.
  private static let refinement = (rounds: 12, settled: 1e-8)
  /// How much louder than the start the end may be, hum apart: a ring or a motor that coasts is no
  /// quiet; three standard deviations of both where that is more.
  private static let louder = (share: 0.1, deviations: 3.0)
  /// What is tried of the end, as shares from its last frame: an actuator may still ring in the
  /// whole of it.
  private static let endShares = [1, 2.0 / 3, 0.5]

  /// Looks for hum; `isEven` asks for as much of it at the end of the samples as at their start.
  static func find(in samples: [Float], rate: SampleRate, isEven: Bool) -> HumSearch? {
    mains.compactMap { HumSearch(mains: $0, samples, rate, isEven: isEven) }
      .min { $0.residual < $1.residual }
  }

  private init?(mains: Double, _ samples: [Float], _ rate: SampleRate, isEven: Bool) {
    guard Double(samples.count) * mains >= Self.fewestPeriods * rate.hertz else { return nil }
    func fit(_ frequency: Double) -> ToneFit? {
      ToneFit.fit(samples, rate: rate, frequency: frequency, harmonics: Self.harmonics)
    }
    func stands(_ fit: ToneFit, _ times: Double) -> [Int] {
      fit.components.filter { $0.amplitude.value > times * $0.amplitude.uncertainty }.map(\.order)
    }
    guard
      Self.glances.contains(where: { glance in
        fit(mains + glance).map { !stands($0, Self.glimpsed).isEmpty } ?? false
      })
    else { return nil }
    let steps = Int((Self.reach.looked / Self.step).rounded())
    let fits = (-steps...steps).compactMap { fit(mains + Double($0) * Self.step) }
    guard let best = fits.min(by: { $0.residual < $1.residual }) else { return nil }
    let orders = stands(best, Self.sure.other)
    guard
      let refined = Self.refined(samples, 0..<samples.count, best.frequency.value, orders, rate),
      abs(refined.frequency.value - mains) <= Self.reach.believed
    else { return nil }
    let left = Self.rest(of: samples, refined.fit, rate)
    let lines = refined.fit.components.compactMap { component -> Line? in
      let own = component.amplitude
      let beside = Self.noise(beside: component.frequency, left, rate)
      let uncertainty = max(own.uncertainty, beside)
      return own.value > Self.sure.other * uncertainty
        ? Line(order: component.order, amplitude: Estimate(own.value, uncertainty: uncertainty))
        : nil
    }
    let information = Self.information(lines.map { ($0.order, $0.amplitude) })
    let uncertainty = Self.uncertainty(information, seconds: rate.seconds(Double(samples.count)))
    guard
      lines.contains(where: {
        $0.amplitude.value > Self.sure.strongest * $0.amplitude.uncertainty
      }), uncertainty < Self.surestOff,
      let strongest = lines.max(by: { $0.amplitude.value < $1.amplitude.value }),
      !isEven || Self.isEven(strongest.order, samples, refined.frequency.value, rate)
    else { return nil }
    frequency = Estimate(refined.frequency.value, uncertainty: uncertainty)
    self.lines = lines
    residual = refined.fit.residual
    count = samples.count
  }

  /// Whether a line is equally strong in all quarters of the stretch.
  ///
  /// Lines above it are left out of these fits: a quarter is too short for many.
  private static func isEven(
    _ order: Int, _ samples: [Float], _ frequency: Double, _ rate: SampleRate
  ) -> Bool {
    let length = samples.count / even.parts
    let amplitudes = (0..<even.parts).compactMap { part in
      ToneFit.fit(
        samples, frames: part * length..<(part + 1) * length, rate: rate, frequency: frequency,
        harmonics: order)?
        .components.first { $0.order == order }?.amplitude
    }
    guard amplitudes.count == even.parts,
      let least = amplitudes.min(by: { $0.value < $1.value }),
      let most = amplitudes.max(by: { $0.value < $1.value })
    else { return false }
    let mean = amplitudes.reduce(0) { $0 + $1.value } / Double(even.parts)
    let doubt = least.widened(by: most.uncertainty).uncertainty
    return most.value - least.value <= max(even.share * mean, even.deviations * doubt)
  }

  /// The hum at the end, in as much of it as is quiet; nil where none of it is.
  func followed(into end: MainsHum.Stretch, rate: SampleRate) -> End? {
    for share in Self.endShares {
      let length = Int(share * Double(end.samples.count))
      guard Double(length) * frequency.value >= Self.fewestPeriods * rate.hertz else { return nil }
      let from = end.samples.count - length
      guard
        let found = Self.refined(
          end.samples, from..<end.samples.count, frequency.value, lines.map(\.order), rate),
        isQuiet(found.fit.residual, length)
      else { continue }
      return End(
        stretch: MainsHum.Stretch(
          first: end.first + from, samples: Array(end.samples[from...])),
        frequency: found.frequency)
    }
    return nil
  }

  private func isQuiet(_ noise: Double, _ frames: Int) -> Bool {
    let deviation = (0.5 / Double(frames) + 0.5 / Double(count)).squareRoot()
    return noise <= (1 + max(Self.louder.share, Self.louder.deviations * deviation)) * residual
  }

  /// The complex amplitudes of some lines with their uncertainties, of Im (value exp(j 2 pi k f
  /// t)), t from a frame.
  static func amplitudes(
    _ stretch: MainsHum.Stretch, at frequency: Double, orders: [Int], from origin: Double,
    rate: SampleRate
  ) -> [(order: Int, value: Complex, uncertainty: Double)]? {
    guard
      let fit = ToneFit.fit(
        stretch.samples, rate: rate, frequency: frequency, harmonics: harmonics)
    else { return nil }
    return fit.components.filter { orders.contains($0.order) }.map { component in
      let turns = component.frequency * (Double(stretch.first) - origin) / rate.hertz
      let angle = component.phase.value - 2 * .pi * (turns - turns.rounded())
      return (
        component.order, component.amplitude.value * Complex(angle: angle),
        component.amplitude.uncertainty
      )
    }
  }

  /// The frequency by what the phases of some lines turn between both halves of a stretch.
  private static func refined(
    _ samples: [Float], _ frames: Range<Int>, _ start: Double, _ orders: [Int], _ rate: SampleRate
  ) -> (frequency: Estimate, fit: ToneFit)? {
    let middle = frames.lowerBound + frames.count / 2
    let seconds = rate.seconds(Double(frames.count))
    var found = start
    func fit(_ frames: Range<Int>) -> ToneFit? {
      ToneFit.fit(samples, frames: frames, rate: rate, frequency: found, harmonics: harmonics)
    }
    for _ in 0..<refinement.rounds {
      guard let first = fit(frames.lowerBound..<middle),
        let second = fit(middle..<frames.upperBound)
      else { return nil }
      var (change, weights) = (0.0, 0.0)
      for (one, other) in zip(first.components, second.components)
      where orders.contains(one.order) {
        let turn = other.phase.value - one.phase.value
        let nearest = turn - 2 * .pi * (turn / (2 * .pi)).rounded()
        let weight = Double(one.order * one.order) * one.amplitude.value * other.amplitude.value
        // The halves' middles are half the stretch apart.
        change += weight * nearest / (.pi * seconds * Double(one.order))
        weights += weight
      }
      guard weights > 0 else { return nil }
      found += change / weights
      // Something else turns the phases: that is no hum.
      guard abs(found - start) <= 2 * reach.looked else { return nil }
      if abs(change / weights) < refinement.settled { break }
    }
    guard let whole = fit(frames) else { return nil }
    let own = whole.components.filter { orders.contains($0.order) }.map { ($0.order, $0.amplitude) }
    return (
      Estimate(found, uncertainty: uncertainty(information(own), seconds: seconds)), whole
    )
  }

  /// The sum of (k A / u)^2 over lines.
  private static func information(_ lines: [(order: Int, amplitude: Estimate)]) -> Double {
    lines.reduce(0) { sum, line in
      let share =
        Double(line.order) * line.amplitude.value / max(line.amplitude.uncertainty, 1e-300)
      return sum + share * share
    }
  }

  /// The bound of Cramer and Rao in hertz, sqrt(3) / (pi T sqrt(information)), and a little more
  /// for the halves.
  private static func uncertainty(_ information: Double, seconds: Double) -> Double {
    ToneFit.halvesOverBound * 3.0.squareRoot()
      / (.pi * seconds * max(information, 1e-300).squareRoot())
  }

  /// What a fit leaves of a stretch.
  private static func rest(of samples: [Float], _ fit: ToneFit, _ rate: SampleRate) -> [Double] {
    var left = samples.map { Double($0) - fit.offset.value }
    for component in fit.components {
      let step = Complex(angle: 2 * .pi * component.frequency / rate.hertz)
      var turn = component.amplitude.value * Complex(angle: component.phase.value)
      for index in left.indices {
        left[index] -= turn.imaginary
        turn = turn * step
      }
    }
    return left
  }

  /// The uncertainty that the noise beside a frequency gives an amplitude there: no sensor's noise
  /// is quite white, and a tone that is not of the mains stands beside them.
  private static func noise(beside frequency: Double, _ left: [Double], _ rate: SampleRate)
    -> Double
  {
    let seconds = rate.seconds(Double(left.count))
    let offsets = beside.map { $0 / seconds }
    let places = (offsets.map { frequency - $0 } + offsets.map { frequency + $0 })
      .filter { $0 > 0 && $0 < rate.hertz / 2 }
    let powers = places.map { place -> Double in
      let step = Complex(angle: 2 * .pi * place / rate.hertz)
      var turn = Complex(1)
      var sum = Complex(0)
      for value in left {
        sum = sum + value * turn
        turn = turn * step
      }
      let amplitude = 2 / Double(left.count) * sum
      return amplitude.power
    }
    return (powers.reduce(0, +) / Double(2 * max(1, powers.count))).squareRoot()
  }
}
