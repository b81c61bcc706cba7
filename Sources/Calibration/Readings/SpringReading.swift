// SPDX-License-Identifier: Apache-2.0

import SignalAnalysis
import Units

/// What a sweep says of a spring that stiffens, or softens, with the square of its travel.
///
/// y'' + (1 + d y^2) y' w0/Q + w0^2 (1 + h y^2) y = (1 - l y^2) (g/Q) V holds at every moment, whatever the motion
/// was before and however far it moves the resonance. The acceleration is y'', which gives y; so volts are a sum of
/// known courses with numbers to be found, bin by bin around the resonance. What the sweep's delay is off by is one of
/// them: a model without the spring finds it a little wrong, and h up to 4 % with it.
enum SpringReading {
  /// Where the equation is asked, and where the displacement is taken from, as shares of the resonance.
  private static let band = 0.85...1.2
  private static let motion = 0.4...2.2
  /// The seconds of silence that stand behind a record.
  private static let room = 0.2

  /// h in 1/m2 of the displacement as the acceleration tells it; nil for two modes, and where nothing can be told.
  static func hardening(_ capture: Capture, output: [Float], model: ModalModel) -> Estimate? {
    guard model.modes.count == 1 else { return nil }
    let (rate, f0) = (capture.rate, model.mode.frequency.value)
    guard Self.motion.upperBound * f0 < 0.45 * rate.hertz else { return nil }
    let filter = BandPass(Self.motion.lowerBound * f0...Self.motion.upperBound * f0)
    var transform = FourierTransform(
      length: FourierTransform.fastLength(
        atLeast: max(output.count, capture.input.count) + rate.wholeFrames(Self.room)))
    let width = rate.hertz / Double(transform.length)
    var bins = transform.forward(output.span)
    for bin in bins.indices {
      let frequency = Double(bin) * width
      let pass = filter.response(at: frequency)
      let w = 2 * Double.pi * frequency
      let seen = model.knownFilter.response(at: frequency) * Complex(angle: -w * model.delay.value)
      bins[bin] = pass > 0 ? (-pass / (w * w)) * bins[bin] / seen : Complex(0)
    }
    let place = transform.inverse(bins)
    let volts = transform.forward(capture.input.span)
    let furthest = place.reduce(0) { max($0, abs($1)) }
    guard furthest > 0 else { return nil }
    let cubes = place.map { $0 * $0 * $0 / (furthest * furthest) }
    let cube = transform.forward(cubes.span)
    let weakened = capture.input.indices.map { frame in
      let share = place[frame] / furthest
      return share * share * Double(capture.input[frame])
    }
    let loss = transform.forward(weakened.span)
    let w0 = 2 * Double.pi * f0
    let first = Int((Self.band.lowerBound * f0 / width).rounded(.up))
    let last = min(bins.count - 1, Int(Self.band.upperBound * f0 / width))
    guard last > first + 8 else { return nil }
    let scale = 1 / furthest
    var (rows, values): ([[Double]], [Double]) = ([], [])
    for bin in first...last {
      let ratio = 2 * Double.pi * Double(bin) * width / w0
      let y = scale * bins[bin]
      let courses: [Complex] = [
        (-ratio * ratio) * y, Complex(0, ratio) * y, y, scale * cube[bin], loss[bin],
        Complex(0, ratio * scale) * cube[bin], Complex(0, ratio) * volts[bin],
      ]
      rows.append(courses.map { $0.real })
      values.append(volts[bin].real)
      rows.append(courses.map { $0.imaginary })
      values.append(volts[bin].imaginary)
    }
    // Columns of one size, so that the equations are solved as well as they can be.
    let sizes = rows[0].indices.map { column in
      rows.reduce(0) { $0 + $1[column] * $1[column] }.squareRoot()
    }
    guard sizes.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
    let scaled = rows.map { row in zip(row, sizes).map { $0 / $1 } }
    let usual = (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
    guard usual > 0,
      let fit = LinearFit(
        rows: scaled, values: values,
        uncertainties: [Double](repeating: 1e-6 * usual, count: values.count)),
      fit.parameters[2] != 0
    else { return nil }
    // The linear force is known far better than what is added to it.
    let share = sizes[2] / sizes[3] / fit.parameters[2] / (furthest * furthest)
    return Estimate(
      share * fit.parameters[3], uncertainty: abs(share) * fit.uncertainty(of: 3))
  }
}
