// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Profiles
import SignalAnalysis
import Units

struct MotorReading: Sendable {
  let volts: Double
  let frequency: Estimate
  /// The peak acceleration in m/s2: the longer half-axis of the ellipse that the axes see.
  let acceleration: Estimate

  init?(_ capture: Capture, window: Range<Int>, noise: Double, filter: KnownFilter) {
    let window = window.clamped(to: capture.input.indices)
    guard window.count > 64 else { return nil }
    volts = window.reduce(0.0) { $0 + Double(capture.input[$1]) } / Double(window.count)
    let strongest = capture.axes.max {
      Amplitude.rms($0, frames: window) < Amplitude.rms($1, frames: window)
    }
    guard let axis = strongest,
      let line = DominantFrequency.estimate(
        Array(axis[window]), rate: capture.rate, band: 10...min(600, 0.4 * capture.rate.hertz)),
      line.amplitude > 4 * noise,
      let tone = ToneFit.refining(
        axis, frames: window, rate: capture.rate, frequency: line.frequency.value, harmonics: 1),
      abs(tone.frequency.value / line.frequency.value - 1) < 0.05
    else { return nil }
    var (sum, product) = (0.0, Complex(0))
    for axis in capture.axes {
      guard
        let fit = ToneFit.fit(
          axis, frames: window, rate: capture.rate, frequency: tone.frequency.value, harmonics: 1)
      else { continue }
      let part = fit.fundamental.amplitude.value * Complex(angle: fit.fundamental.phase.value)
      sum += part.power
      product = product + part * part
    }
    let size = (0.5 * (sum + product.magnitude)).squareRoot()
    let own = filter.response(at: tone.frequency.value).magnitude
    frequency = Estimate(
      tone.frequency.value * (1 + capture.clock),
      uncertainty: max(
        tone.frequency.uncertainty, 0.02 / capture.rate.seconds(Double(window.count))))
    acceleration = Estimate(size / own, uncertainty: tone.fundamental.amplitude.uncertainty / own)
  }
}

extension MotorPlan {
  /// What the motor does at each step, in the step's last part; nil where nothing turns.
  func readings(_ capture: Capture, noise: Double, filter: KnownFilter) -> [MotorReading?] {
    ranges(at: capture.rate).map { range in
      let frames = capture.frames(of: range, after: 0)
      let count = min(frames.count / 2, capture.rate.wholeFrames(0.2))
      return MotorReading(
        capture, window: frames.upperBound - count..<frames.upperBound, noise: noise, filter: filter
      )
    }
  }
}

struct SpinUp: Sendable {
  let time: Estimate
  /// When the speed begins to rise, in seconds after the step.
  let delay: Estimate
  /// Speed over time, for a picture: seconds after the step, turns a second.
  let course: [(time: Double, speed: Double)]

  /// Reads the step from rest to a steady speed.
  ///
  /// The force goes with the square of the speed, so the root of the envelope rises as
  /// 1 - exp(-(t - d) / tau): the logarithm of what is missing is a straight line.
  init?(_ capture: Capture, step: Range<Int>, steady: MotorReading) {
    let axis = capture.axes.max { Amplitude.rms($0) < Amplitude.rms($1) } ?? capture.axes[0]
    let envelope = Envelope.hilbert(
      axis, rate: capture.rate, band: 15...min(1_000, 0.4 * capture.rate.hertz))
    let first = capture.frame(of: step.lowerBound)
    let last = min(envelope.count, capture.frame(of: step.upperBound))
    guard last - first > 100 else { return nil }
    let end = envelope[(last - (last - first) / 4)..<last]
    let top = Statistics.median(Array(end))
    guard top > 0 else { return nil }
    var rows: [[Double]] = []
    var values: [Double] = []
    var weights: [Double] = []
    var course: [(time: Double, speed: Double)] = []
    let stride = max(1, Int(capture.rate.hertz / 1_000))
    var frame = first
    while frame < last {
      let share = (envelope[frame] / top).squareRoot()
      let time = capture.rate.seconds(Double(frame - first))
      course.append((time, min(1.2, share) * steady.frequency.value))
      if share > 0.35, share < 0.93 {
        rows.append([1, time])
        values.append(log(1 - share))
        weights.append(0.05 / (1 - share))
      } else if share >= 0.93 {
        if rows.count > 4 { break }
      }
      frame += stride
    }
    guard let fit = LinearFit(rows: rows, values: values, uncertainties: weights),
      fit.parameters[1] < 0
    else { return nil }
    let slope = -fit.parameters[1]
    time = Estimate(
      1 / slope, uncertainty: fit.uncertainty(of: 1) / (slope * slope) + 0.02 / slope)
    delay = Estimate(
      fit.parameters[0] / slope,
      uncertainty: fit.uncertainty(of: 0) / slope + 0.02 / slope)
    self.course = course
  }
}

struct MotorFindings: Sendable {
  /// The voltage at which it starts from rest.
  var startVolts: Double?
  /// Steady states by rising voltage.
  var readings: [MotorReading] = []
  var spinUp: SpinUp?
  /// How long a step is held, in seconds.
  var hold = 0.65

  private var rising: [MotorReading] {
    readings.sorted { $0.volts < $1.volts }.reduce(into: []) { kept, reading in
      if let last = kept.last,
        reading.frequency.value <= last.frequency.value
          || reading.acceleration.value <= last.acceleration.value
      {
        return
      }
      kept.append(reading)
    }
  }

  /// The curve; nil before there are three states and a time.
  var curve: MotorCurve? {
    let points = rising
    guard points.count >= 3, let spinUp, let startVolts else { return nil }
    return MotorCurve(
      points: points.map {
        MotorCurve.Point(
          volts: $0.volts, frequency: $0.frequency.value, acceleration: $0.acceleration.value)
      }, startVolts: startVolts,
      spinUpTime: MeasuredQuantity(
        spinUp.time.value, .second, uncertainty: spinUp.time.uncertainty))
  }

  /// What it holds at each speed; only the fastest is bound by the voltage.
  var ceiling: ReachableCeiling {
    let points = rising
    return ReachableCeiling(
      points: points.indices.map {
        ReachableCeiling.Point(
          frequency: points[$0].frequency.value, acceleration: points[$0].acceleration.value,
          binding: $0 + 1 < points.count ? .curve : .continuous)
      })
  }

  func model(hasReference: Bool) -> ActuatorModel {
    ActuatorModel(
      kind: .erm,
      delay: hasReference
        ? MeasuredQuantity(
          max(0, spinUp?.delay.value ?? 0), .second,
          uncertainty: spinUp?.delay.uncertainty ?? 0.01) : nil)
  }

  var curves: [CalibrationFigures.Curve] {
    let points = rising
    guard !points.isEmpty else { return [] }
    let volts = points.map(\.volts)
    let course = spinUp?.course ?? []
    return [
      .init(label: "speed", x: volts, y: points.map(\.frequency.value)),
      .init(label: "acceleration", x: volts, y: points.map(\.acceleration.value)),
      .init(label: "spin-up", x: course.map(\.time), y: course.map(\.speed)),
    ]
  }
}
