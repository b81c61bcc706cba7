// SPDX-License-Identifier: Apache-2.0

import SignalAnalysis
import Units

struct SweepReading: Sendable {
  let segment: Int
  let level: Double
  let direction: SynchronizedSweep.Direction
  let response: SweepResponse
  /// The model that fits it; all sweeps of two modes have them in one order.
  var model: ModalModel
  let motions: [PassingMotion]
  /// The highest acceleration, in m/s2.
  let peak: Double
  /// When it was played, in seconds of drive since the calibration began.
  var time = 0.0
  /// The share of the record that neither the model nor noise explains.
  let disturbance: SweepDisturbance
  /// By which share the spring of a single mode stiffens with the square of the displacement, in 1/m2.
  let spring: Estimate?

  /// The strongest mode at small signal.
  var mode: ModalModel.Mode { model.mode }

  /// Reads the answer to a sweep.
  ///
  /// `noise` is the standard deviation of the motion in the band, `filter` what the sensor does. Where
  /// two modes are `known` from another sweep there are two, in that order.
  static func measure(
    _ plan: SweepPlan, _ capture: Capture, output: [Float], segment: Int, filter: KnownFilter,
    modes: ClosedRange<Int>, noise: Double, known: ModalModel? = nil
  ) -> Result<SweepReading, SweepFailure> {
    guard let response = capture.response(to: plan, output: output) else {
      return .failure(.dead)
    }
    let pair = known.flatMap { $0.modes.count == 2 ? $0 : nil }
    let fit = ModalFit(
      modes: pair == nil ? modes : 2...2, delays: -0.0005...0.03, knownFilter: filter,
      maximumMisfit: 0.35, leastDistance: 0.2)
    do {
      // A ring that the gate cuts is taken off by the model itself.
      let fitted =
        plan.cutsRing
        ? try fit.fit(response, from: pair) : try fit.fit(response.linear, from: pair)
      let model = fitted.ordered(by: pair?.modes.map(\.frequency.value) ?? [])
      let peak = output.reduce(0) { max($0, abs(Double($1))) }
      return .success(
        SweepReading(
          segment: segment, level: plan.sweep.amplitude, direction: plan.sweep.direction,
          response: response, model: model,
          motions: motions(output, capture, plan, model), peak: peak,
          disturbance: SweepDisturbance(
            input: capture.input, output: output, lead: capture.lead, rate: capture.rate,
            model: model, noise: noise, band: plan.sweep.band),
          spring: SpringReading.hardening(capture, output: output, model: model)))
    } catch .deadResponse {
      return .failure(.dead)
    } catch .outsideBand(let model, let band) {
      let places = model.modes.map(\.frequency.value)
      return .failure(
        .outside(outside(places.first { !band.contains($0) } ?? places[0], of: band)))
    } catch .doesNotFit(let model) {
      return .failure(
        .unlike(
          misfit: model.quality?.misfit ?? 1,
          ModalFitError.doesNotFit(model).description + leftover(response.linear, model)))
    } catch {
      return .failure(.dead)
    }
  }

  /// Where the most is that a model leaves over, as a clause.
  private static func leftover(_ linear: TransferFunction, _ model: ModalModel) -> String {
    let places = linear.frequencies.indices
    let most = places.max { one, other in
      let a = linear.response[one] - model.response(at: linear.frequencies[one])
      let b = linear.response[other] - model.response(at: linear.frequencies[other])
      return a.power < b.power
    }
    return most.map { ", most of it near \(text(linear.frequencies[$0])) Hz" } ?? ""
  }

  static func motions(
    _ output: [Float], _ capture: Capture, _ plan: SweepPlan, _ model: ModalModel
  ) -> [PassingMotion] {
    model.modes.map {
      PassingMotion(
        output, capture: capture, sweep: plan.sweep, resonance: $0.frequency.value,
        delay: model.delay.value)
    }
  }

  static func outside(_ frequency: Double, of band: ClosedRange<Double>) -> String {
    let isLow = frequency < (band.lowerBound * band.upperBound).squareRoot()
    return "the resonance, near \(text(frequency)) Hz, lies outside of the sweep "
      + (isLow
        ? "(below \(text(1.1 * band.lowerBound)) Hz): this is no actuator for vibrations that are felt; "
          + "check how it and the sensor are fixed"
        : "(above \(text(band.upperBound / 1.1)) Hz): this is no actuator for vibrations that are felt, or "
          + "a piezo, whose 'kind: piezo' belongs into the rig file")
  }
}

enum SweepFailure: Error, Equatable {
  case dead
  case outside(String)
  case unlike(misfit: Double, String)
}

/// What a record holds that its model cannot explain, stretch by stretch.
///
/// Stretches of 10 ms of the record less the model's prediction, band-passed. A stretch is disturbed
/// where that exceeds 8 standard deviations of the noise, a fiftieth of the strongest motion, and half of
/// what is predicted within 40 ms, or the time in which its ringing decays: a real actuator is not linear, so
/// what is left over near its resonance follows its motion, and what a slammed door leaves does not.
struct SweepDisturbance: Sendable {
  let share: Double
  /// When the worst stretch is, in seconds from the segment's beginning.
  let time: Double
  /// Its rms in m/s2.
  let strength: Double

  var isDisturbed: Bool { share > 0 }

  init(
    input: [Float], output: [Float], lead: Int, rate: SampleRate, model: ModalModel, noise: Double,
    band: ClosedRange<Double>
  ) {
    let filter = BandPass(band)
    let predicted = FourierTransform.shape(
      input, rate: rate, room: rate.wholeFrames(0.2)
    ) { frequency, bin in
      let pass = filter.response(at: frequency)
      return pass > 0 ? bin * (pass * model.response(at: frequency)) : Complex(0)
    }
    let measured = filter.apply(to: output, rate: rate)
    let size = max(8, Int(rate.frames(0.010)))
    let count = output.count / size
    func rms(_ block: Int, _ value: (Int) -> Double) -> Double {
      let frames = block * size..<(block + 1) * size
      return (frames.reduce(0) { $0 + value($1) * value($1) } / Double(size)).squareRoot()
    }
    // What rings for long is in motion for long after it was driven.
    let decay = model.mode.q.value / (.pi * model.mode.frequency.value)
    let reach = max(4, min(20, Int((decay / 0.010).rounded(.up))))
    let motion = (0..<count).map { rms($0) { predicted[$0] } }
    var (disturbed, worst, place) = (0, 0.0, 0)
    let top = motion.max() ?? 0
    for block in 0..<count {
      let near = max(0, block - reach)...min(count - 1, block + reach)
      let moving = near.reduce(0) { max($0, motion[$1]) }
      let left = rms(block) { measured[$0] - predicted[$0] }
      let limit = max(8 * noise, 0.5 * moving, 0.02 * top)
      guard left > limit else { continue }
      disturbed += 1
      if left > worst { (worst, place) = (left, block) }
    }
    share = count > 0 ? Double(disturbed) / Double(count) : 0
    time = rate.seconds(Double(place * size - lead))
    strength = worst
  }
}

struct PassingMotion: Sendable {
  let resonance: Double
  /// The greatest displacement, in metres as the mount's acceleration tells it.
  let displacement: Double
  let frequency: Double

  init(
    _ output: [Float], capture: Capture, sweep: SynchronizedSweep, resonance: Double, delay: Double
  ) {
    let rate = capture.rate
    let filter = BandPass(0.7 * resonance...1.7 * resonance)
    let moved = FourierTransform.shape(output, rate: rate, room: rate.wholeFrames(0.2)) {
      place, bin in
      let pass = filter.response(at: place)
      let w = 2 * Double.pi * place
      return pass > 0 ? (-pass / (w * w)) * bin : Complex(0)
    }
    var (furthest, place) = (0.0, 0)
    for frame in output.indices where abs(moved[frame]) > furthest {
      (furthest, place) = (abs(moved[frame]), frame)
    }
    self.resonance = resonance
    displacement = furthest
    let time = rate.seconds(Double(place - capture.lead)) / (1 + capture.clock) - delay
    frequency = sweep.frequency(at: max(0, min(sweep.duration, time)))
  }
}

extension Capture {
  /// What some output answers to a sweep; nil where it is too short or not finite.
  func response(to plan: SweepPlan, output: [Float], harmonics: Int = 5) -> SweepResponse? {
    try? SweepResponse.measure(
      plan.sweep, input: input, output: output, rate: rate, harmonics: harmonics)
  }

  /// The unit vector along which the strongest part of a sweep's response lies, in phase.
  ///
  /// Nil for one axis, and where no axis answers clearly. Its first component is not negative.
  func direction(_ plan: SweepPlan) -> [Double]? {
    guard axes.count > 1 else { return nil }
    let responses = axes.compactMap { response(to: plan, output: $0, harmonics: 1)?.linear }
    guard responses.count == axes.count, let first = responses.first else { return nil }
    func strength(_ bin: Int) -> Double { responses.reduce(0) { $0 + $1.response[bin].power } }
    guard
      let top = first.frequencies.indices.max(by: { strength($0) < strength($1) }),
      strength(top) > 100 * responses.reduce(0, { $0 + $1.uncertainty[top] * $1.uncertainty[top] })
    else { return nil }
    let values = responses.map { $0.response[top] }
    let strongest = values.max { $0.power < $1.power } ?? Complex(1)
    let parts = values.map { ($0 * strongest.conjugate).real }
    let size = parts.reduce(0) { $0 + $1 * $1 }.squareRoot()
    guard size > 0 else { return nil }
    let sign: Double = parts[0] < 0 ? -1 : 1
    return parts.map { sign * $0 / size }
  }
}

struct ImpedanceReading: Sendable {
  let resistance: Estimate
  let inductance: Estimate

  /// Fits the coil to a sweep's voltage and current; nil where they are not measured or do not fit.
  init?(_ capture: Capture, _ plan: SweepPlan) {
    guard let current = capture.current,
      let impedance = try? SweepResponse.measure(
        plan.sweep, input: current, output: capture.voltage ?? capture.input, rate: capture.rate,
        harmonics: 1
      ).linear
    else { return nil }
    if let model = ImpedanceFit().fit(impedance) {
      resistance = model.resistance
      inductance = model.inductance
      return
    }
    // A coil that feels no motion has no motional branch: R + j 2 pi f L, read above the resonance.
    let high = impedance.frequencies.indices.filter {
      impedance.frequencies[$0] > 0.5 * impedance.band.upperBound
    }
    let spread = high.map {
      max(impedance.uncertainty[$0], 1e-6 * impedance.response[$0].magnitude)
    }
    guard
      let real = LinearFit(
        rows: high.map { _ in [1] }, values: high.map { impedance.response[$0].real },
        uncertainties: spread),
      let imaginary = LinearFit(
        rows: high.map { [2 * .pi * impedance.frequencies[$0]] },
        values: high.map { impedance.response[$0].imaginary }, uncertainties: spread)
    else { return nil }
    resistance = Estimate(real.parameters[0], uncertainty: real.uncertainty(of: 0))
    inductance = Estimate(
      max(0, imaginary.parameters[0]), uncertainty: imaginary.uncertainty(of: 0))
  }
}
