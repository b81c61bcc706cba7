// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Perception
import Profiles
import SignalAnalysis

extension Findings {
  private typealias Curve = CalibrationFigures.Curve

  func figures(_ profile: CalibrationProfile) -> CalibrationFigures {
    var figures = CalibrationFigures()
    for sweep in sweeps.all {
      let direction = sweep.direction == .up ? "up" : "down"
      let label = "\(text(sweep.level)) V \(direction)"
      let linear = sweep.response.linear
      let places = Self.places(linear.band)
      figures.responses.append(
        Curve(label: label, x: places, y: places.map { linear.magnitude(at: $0)?.value ?? 0 }))
      figures.phases.append(
        Curve(label: label, x: places, y: places.map { phase(linear, at: $0) }))
      let low = places.filter { $0 < linear.band.upperBound / 2 }
      figures.distortion.append(
        Curve(label: label, x: low, y: low.map { sweep.response.distortion(at: $0)?.value ?? 0 }))
    }
    figures.coherence = RepeatCoherence.curves(of: sweeps.all)
    if subject.hasReference {
      figures.delayScatter = clock.delaySpread > 0 ? clock.delaySpread : nil
      figures.clockOffset = clock.offset
    }
    figures.model = modelCurve
    figures.impulse = impulse
    figures.levels = levelCurves(profile)
    let points = profile.ceiling.points
    if !points.isEmpty {
      figures.ceiling = Curve(
        label: "ceiling", x: points.map(\.frequency), y: points.map(\.acceleration))
    }
    if let spectrum = rest?.check.spectrum, !spectrum.isEmpty {
      figures.noise = Curve(
        label: "noise at rest", x: spectrum.map(\.frequency), y: spectrum.map(\.density))
    }
    figures.grid = verification.points.filter { !$0.asked.isHeldOut }.map(gridPoint)
    figures.heldOut = verification.points.filter(\.asked.isHeldOut).map(gridPoint)
    figures.taps = verification.taps.map(\.figure)
    if let pattern = verification.pattern, !pattern.times.isEmpty {
      figures.pattern = [
        Curve(label: "asked", x: pattern.times, y: pattern.asked),
        Curve(label: "measured", x: pattern.times, y: pattern.measured),
      ]
    }
    figures.motor = motor.curves
    return figures
  }

  /// About 48 frequencies an octave-wide decade is drawn with.
  private static func places(_ band: ClosedRange<Double>) -> [Double] {
    let count = 160
    let ratio = band.upperBound / band.lowerBound
    return (0...count).map { band.lowerBound * pow(ratio, Double($0) / Double(count)) }
      .map { min($0, band.upperBound) }
  }

  private func phase(_ linear: TransferFunction, at frequency: Double) -> Double {
    let delay = resonance?.limit.delay.value ?? 0
    let response = linear.response(at: frequency) ?? Complex(0)
    return (response * Complex(angle: 2 * .pi * frequency * delay)).angle * 180 / .pi
  }

  private var modelCurve: Curve? {
    guard let sweep = sweeps.all.first, let levels else { return nil }
    let places = Self.places(sweep.response.linear.band)
    return Curve(
      label: "model at small signal", x: places,
      y: places.map { levels.magnitude(at: $0, acceleration: 0) })
  }

  private var impulse: Curve? {
    guard let impulse = sweeps.all.last(where: { $0.direction == .up })?.response.impulse
    else { return nil }
    let count = min(impulse.samples.count, Int(0.15 * impulse.sampleRate))
    let samples = (0..<count).map { impulse[$0] }
    let largest = samples.map(abs).max() ?? 1
    return Curve(
      label: "impulse response", x: (0..<count).map { Double($0) / impulse.sampleRate },
      y: samples.map { largest > 0 ? $0 / largest : 0 })
  }

  private func levelCurves(_ profile: CalibrationProfile) -> [Curve] {
    let found = profile.model.levels
    guard !found.isEmpty else { return [] }
    let drives = found.map(\.drive)
    return [
      Curve(label: "f0", x: drives, y: found.map(\.mode.f0.value)),
      Curve(label: "Q", x: drives, y: found.map(\.mode.q.value)),
      Curve(label: "gain", x: drives, y: found.map { abs($0.mode.gain.value) }),
    ]
  }

  private func gridPoint(_ point: VerifiedPoint) -> CalibrationFigures.GridPoint {
    CalibrationFigures.GridPoint(
      intensity: point.asked.intensity, sharpness: point.asked.sharpness,
      targetLevel: point.asked.command.targetLevel,
      targetFrequency: point.asked.command.targetFrequency,
      beforeLevel: before(point), level: point.reading.level,
      frequency: point.reading.feltFrequency, uncertainty: point.reading.levelUncertainty,
      mapped: !point.asked.command.mapping.isInside)
  }

  /// Without a profile the drive is the law's share of what may last.
  private func before(_ point: VerifiedPoint) -> Double? {
    guard let levels else { return nil }
    let volts = subject.target.law.share(of: point.asked.intensity) * subject.steadyVolts
    let frequency = point.asked.command.targetFrequency
    let weak = levels.magnitude(at: frequency, acceleration: 0) * volts
    let acceleration = levels.magnitude(at: frequency, acceleration: weak) * volts
    guard acceleration > 0 else { return nil }
    return subject.target.contour.sensationLevel(acceleration: acceleration, at: frequency)
  }
}

/// How much of a response follows the drive, told by sweeps of one level: its coherence.
///
/// The power that the responses H have in common, against that of one of them:
/// |mean H|^2 / (|mean H|^2 + S), S their sample variance. For equal drives that is the coherence
/// |Sxy|^2 / (Sxx Syy) of a single sweep (Bendat and Piersol, "Random Data", 9.2) without the bias of few.
/// What two sweeps alone tell of S scatters as much as S itself, so powers are summed over third octaves.
struct RepeatCoherence: Sendable {
  let frequencies: [Double]
  let values: [Double]

  init?(_ responses: [TransferFunction]) {
    guard responses.count >= 2, let first = responses.first else { return nil }
    let band = responses.dropFirst().map(\.band).reduce(first.band) { $0.clamped(to: $1) }
    let count = max(1, Int((3 * log2(band.upperBound / band.lowerBound)).rounded()))
    let ratio = pow(band.upperBound / band.lowerBound, 1 / Double(count))
    var sums = [(common: Double, scatter: Double)](repeating: (0, 0), count: count)
    for frequency in first.frequencies {
      let found = responses.compactMap { $0.response(at: frequency) }
      guard found.count == responses.count else { continue }
      let mean = found.reduce(Complex(0)) { $0 + $1 } / Complex(Double(found.count))
      let place = Int(log(frequency / band.lowerBound) / log(ratio))
      let scatter = found.reduce(0) { $0 + ($1 - mean).power } / Double(found.count - 1)
      sums[min(count - 1, max(0, place))].common += mean.power
      sums[min(count - 1, max(0, place))].scatter += scatter
    }
    let kept = sums.indices.filter { sums[$0].common > 0 }
    guard !kept.isEmpty else { return nil }
    frequencies = kept.map { band.lowerBound * pow(ratio, Double($0) + 0.5) }
    values = kept.map { sums[$0].common / (sums[$0].common + sums[$0].scatter) }
  }

  static func curves(of sweeps: [SweepReading]) -> [CalibrationFigures.Curve] {
    Set(sweeps.map(\.level)).sorted().compactMap { level in
      let same = sweeps.filter { $0.level == level }
      return RepeatCoherence(same.map(\.response.linear)).map {
        CalibrationFigures.Curve(
          label: "\(text(level)) V, \(same.count) sweeps", x: $0.frequencies, y: $0.values)
      }
    }
  }
}
