private import Glibc
import Perception
import Profiles
import SignalAnalysis

/// Makes the curves of a certificate.
struct FigureAssembly: Sendable {
  let findings: Findings

  private var subject: CalibrationSubject { findings.subject }
  let profile: CalibrationProfile

  private typealias Curve = CalibrationFigures.Curve

  /// All figures.
  var figures: CalibrationFigures {
    var figures = CalibrationFigures()
    for sweep in findings.sweeps.all {
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
    figures.coherence = RepeatCoherence.curves(of: findings.sweeps.all)
    if subject.hasReference {
      figures.delayScatter = findings.clock.delaySpread > 0 ? findings.clock.delaySpread : nil
      figures.clockOffset = findings.clock.offset
    }
    figures.model = model
    figures.impulse = impulse
    figures.levels = levels
    let points = profile.ceiling.points
    if !points.isEmpty {
      figures.ceiling = Curve(
        label: "ceiling", x: points.map(\.frequency), y: points.map(\.acceleration))
    }
    if let spectrum = findings.rest?.check.spectrum, !spectrum.isEmpty {
      figures.noise = Curve(
        label: "noise at rest", x: spectrum.map(\.frequency), y: spectrum.map(\.density))
    }
    figures.grid = findings.verification.points.filter { !$0.isHeldOut }.map(gridPoint)
    figures.heldOut = findings.verification.points.filter(\.isHeldOut).map(gridPoint)
    figures.taps = findings.verification.taps.map(tap)
    if let pattern = findings.verification.pattern, !pattern.times.isEmpty {
      figures.pattern = [
        Curve(label: "asked", x: pattern.times, y: pattern.asked),
        Curve(label: "measured", x: pattern.times, y: pattern.measured),
      ]
    }
    figures.motor = findings.motor.curves
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
    let delay = findings.resonance?.limit.delay.value ?? 0
    let response = linear.response(at: frequency) ?? Complex(0)
    return (response * Complex(angle: 2 * .pi * frequency * delay)).angle * 180 / .pi
  }

  private var model: Curve? {
    guard let sweep = findings.sweeps.all.first, let levels = findings.levels else { return nil }
    let places = Self.places(sweep.response.linear.band)
    return Curve(
      label: "model at small signal", x: places,
      y: places.map { levels.magnitude(at: $0, acceleration: 0) })
  }

  private var impulse: Curve? {
    guard let impulse = findings.sweeps.all.last(where: { $0.direction == .up })?.response.impulse
    else { return nil }
    let count = min(impulse.samples.count, Int(0.15 * impulse.sampleRate))
    let samples = (0..<count).map { impulse[$0] }
    let largest = samples.map(abs).max() ?? 1
    return Curve(
      label: "impulse response", x: (0..<count).map { Double($0) / impulse.sampleRate },
      y: samples.map { largest > 0 ? $0 / largest : 0 })
  }

  private var levels: [Curve] {
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
      intensity: point.intensity, sharpness: point.sharpness,
      targetLevel: point.command.targetLevel, targetFrequency: point.command.targetFrequency,
      beforeLevel: before(point), level: point.reading.level,
      frequency: point.reading.feltFrequency, uncertainty: point.reading.levelUncertainty,
      mapped: !point.command.mapping.isInside)
  }

  /// Without a profile the drive is the law's share of what may last.
  private func before(_ point: VerifiedPoint) -> Double? {
    guard let levels = findings.levels else { return nil }
    let volts = subject.target.law.share(of: point.intensity) * subject.steadyVolts
    let frequency = point.command.targetFrequency
    let weak = levels.magnitude(at: frequency, acceleration: 0) * volts
    let acceleration = levels.magnitude(at: frequency, acceleration: weak) * volts
    guard acceleration > 0 else { return nil }
    return subject.target.contour.sensationLevel(acceleration: acceleration, at: frequency)
  }

  private func tap(_ reading: TapReading) -> CalibrationFigures.Tap {
    CalibrationFigures.Tap(
      intensity: reading.tap.intensity, sharpness: reading.tap.sharpness,
      time: reading.measured.indices.map { reading.first + Double($0) * reading.step },
      wanted: reading.wanted, measured: reading.measured, volts: reading.volts,
      end: TapPlan.length, t20: reading.tail, pulseToRing: reading.pulseToRing,
      noise: reading.noise,
      asked: reading.tap.command.map { command in
        CalibrationFigures.Tap.Asked(
          targetLevel: command.targetLevel, targetFrequency: command.targetFrequency,
          wantedLevel: subject.target.contour.sensationLevel(
            acceleration: command.wanted, at: command.frequency),
          wantedFrequency: command.frequency, mapped: !command.mapping.isInside)
      })
  }
}
