// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Units

/// A motor with an eccentric mass that a step of its voltage turns up from rest, as an accelerometer sees it.
///
/// The speed rises as w (1 - exp(-s / tau)), s the time since the step less a pure delay d. The force goes with its
/// square and turns with the rotor, so with u = 1 - exp(-s / tau) the sensor sees
/// A u^2 cos(w (s - tau u) + phi). Maximum likelihood for white noise in w, tau, d, A and phi by Gauss-Newton, which would
/// slip by a turn if it did not begin where the rotor's angle, followed from turn to turn, puts it.
public struct SpinUpFit: Sendable {
  /// The pure delay after the step, in seconds.
  public let delay: Estimate
  /// The time constant of the speed, in seconds.
  public let time: Estimate
  /// The speed at the end, in turns a second.
  public let frequency: Estimate
  /// The peak acceleration at that speed.
  public let amplitude: Estimate
  /// What is left over beyond the noise, as a share of the response's amplitude.
  public let misfit: Double

  /// The time from 10 to 90 % of the acceleration, which is the speed's square: 2.590 time constants.
  ///
  /// u^2 passes 0.1 at -tau ln(1 - sqrt(0.1)), and 0.9 at -tau ln(1 - sqrt(0.9)).
  public static var rise: Double { log((1 - 0.1.squareRoot()) / (1 - 0.9.squareRoot())) }

  /// The time constants that are looked at, 5 to 500 ms.
  private static let times = (0..<42).map { 0.005 * pow(1.12, Double($0)) }
  private static let mostSteps = 30

  /// Fits a stretch about zero; `nil` where the samples do not determine the motor.
  ///
  /// `start` is the place of the step, with its fraction, `rate` samples a second, `noise` a standard deviation.
  public init?(_ samples: [Double], start: Double, rate: Double, noise: Double) {
    let fit = Problem(samples: samples, start: start, rate: rate)
    guard var now = fit.search(times: Self.times) else { return nil }
    var energy = fit.restEnergy(now)
    for _ in 0..<Self.mostSteps {
      guard let change = fit.normal(now)?.factored()?.solve(fit.gradient(now)) else { return nil }
      var share = 1.0
      var next = now
      var gained = 0.0
      while share > 0.01 {
        next = zip(now, change).map { $0 + share * $1 }
        if next[1] > 1e-3, next[0] > 0 {
          gained = energy - fit.restEnergy(next)
          if gained > 0 { break }
        }
        share /= 2
      }
      guard gained > 0 else { break }
      now = next
      energy -= gained
      if gained < 1e-9 * energy { break }
    }
    guard now.allSatisfy(\.isFinite), let inverse = fit.normal(now)?.factored()?.inverseBand()
    else { return nil }
    let white = noise * noise * Double(samples.count)
    let whole = max(samples.reduce(0) { $0 + $1 * $1 } - white, 1e-300)
    misfit = (max(0, energy - white) / whole).squareRoot()
    // What is left over beyond the noise lies in the response's own band: two values a turn, not one a sample.
    let excess = max(0, energy / Double(samples.count) - noise * noise)
    let variance = noise * noise + excess * max(1, rate / (2 * now[0]))
    func estimate(_ place: Int) -> Estimate {
      Estimate(now[place], uncertainty: (variance * inverse[place, place]).squareRoot())
    }
    frequency = estimate(0)
    time = estimate(1)
    delay = estimate(2)
    let size = (now[3] * now[3] + now[4] * now[4]).squareRoot()
    amplitude = Estimate(size, uncertainty: max(estimate(3).uncertainty, estimate(4).uncertainty))
  }
}

/// The stretch that is fitted, and the model with its slopes: speed, time constant, delay, cosine, sine.
private struct Problem {
  let samples: [Double]
  let start: Double
  let rate: Double

  private func shapes(_ index: Int, _ p: [Double]) -> (cosine: Double, sine: Double) {
    let s = (Double(index) - start) / rate - p[2]
    guard s > 0 else { return (0, 0) }
    let u = -expm1(-s / p[1])
    let angle = 2 * .pi * p[0] * (s - p[1] * u)
    return (u * u * cos(angle), u * u * sin(angle))
  }

  func value(_ index: Int, _ p: [Double]) -> Double {
    let shapes = shapes(index, p)
    return p[3] * shapes.cosine + p[4] * shapes.sine
  }

  func restEnergy(_ p: [Double]) -> Double {
    samples.indices.reduce(0) {
      let left = samples[$1] - value($1, p)
      return $0 + left * left
    }
  }

  /// The course of the rotor's angle where the sensor shows it, in turns from some angle, with its weight.
  private func angles() -> [(time: Double, turns: Double, weight: Double)] {
    let analytic = BandPass(12...min(1_000, 0.4 * rate)).analytic(
      samples.map(Float.init), rate: SampleRate(hertz: rate))
    // The filter sees the end of the stretch some milliseconds before it.
    let last = samples.count - Int(0.015 * rate)
    guard last > samples.count / 2 else { return [] }
    let top = Statistics.median(analytic[(3 * last / 4)..<last].map(\.magnitude))
    var course: [(time: Double, turns: Double, weight: Double)] = []
    var (turns, before) = (0.0, 0.0)
    // From the end, where it turns evenly, back to where a fifth of the speed is left.
    for index in stride(from: last - 1, to: Int(start), by: -1) {
      let size = analytic[index].magnitude
      guard size > 0.04 * top else { break }
      let angle = atan2(analytic[index].imaginary, analytic[index].real) / (2 * .pi)
      if !course.isEmpty { turns += (angle - before) - (angle - before).rounded() }
      before = angle
      course.append(((Double(index) - start) / rate, turns, size / top))
    }
    return course
  }

  /// Speed, time constant and delay by the rotor's angle alone, then cosine and sine.
  ///
  /// The angle is a + w t + w tau exp(d / tau) exp(-t / tau) in turns: linear but for tau, which is looked for.
  func search(times: [Double]) -> [Double]? {
    let course = angles()
    guard course.count > 20 else { return nil }
    func fit(_ time: Double) -> (energy: Double, speed: Double, fall: Double)? {
      var normal = BandedMatrix(size: 3, bandwidth: 2)
      var right = [0.0, 0, 0]
      for point in course {
        let row = [1, point.time, exp(-point.time / time)]
        for i in 0..<3 {
          right[i] += point.weight * row[i] * point.turns
          for j in 0...i { normal[i, j] += point.weight * row[i] * row[j] }
        }
      }
      guard let solved = normal.factored()?.solve(right) else { return nil }
      let energy = course.reduce(0.0) {
        let left =
          $1.turns - solved[0] - solved[1] * $1.time - solved[2] * exp(-$1.time / time)
        return $0 + $1.weight * left * left
      }
      return (energy, solved[1], solved[2])
    }
    func best(_ times: [Double]) -> (time: Double, speed: Double, fall: Double)? {
      times.compactMap { time in
        fit(time).flatMap { $0.speed > 0 && $0.fall > 0 ? (time: time, found: $0) : nil }
      }.min { $0.found.energy < $1.found.energy }.map { ($0.time, $0.found.speed, $0.found.fall) }
    }
    guard let rough = best(times),
      let fine = best((-20...20).map { rough.time * pow(1.12, Double($0) / 20) })
    else { return nil }
    let delay = fine.time * log(fine.fall / (fine.speed * fine.time))
    var p = [fine.speed, fine.time, delay, 0, 0]
    var (cc, cs, ss, cy, sy) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for index in samples.indices {
      let (c, s) = shapes(index, p)
      cc += c * c
      cs += c * s
      ss += s * s
      cy += c * samples[index]
      sy += s * samples[index]
    }
    let determinant = cc * ss - cs * cs
    guard determinant > 1e-9 * cc * ss else { return nil }
    p[3] = (ss * cy - cs * sy) / determinant
    p[4] = (cc * sy - cs * cy) / determinant
    return p
  }

  private func slopes(_ index: Int, _ p: [Double]) -> [Double] {
    let shapes = shapes(index, p)
    let here = p[3] * shapes.cosine + p[4] * shapes.sine
    var slopes = [0.0, 0, 0, shapes.cosine, shapes.sine]
    for (place, step) in [1e-5 * p[0], 1e-5 * p[1], 1e-7].enumerated() {
      var moved = p
      moved[place] += step
      slopes[place] = (value(index, moved) - here) / step
    }
    return slopes
  }

  func normal(_ p: [Double]) -> BandedMatrix? {
    var normal = BandedMatrix(size: 5, bandwidth: 4)
    for index in samples.indices {
      let slopes = slopes(index, p)
      for row in 0..<5 {
        for column in 0...row { normal[row, column] += slopes[row] * slopes[column] }
      }
    }
    return (0..<5).allSatisfy { normal[$0, $0] > 0 } ? normal : nil
  }

  func gradient(_ p: [Double]) -> [Double] {
    var gradient = [Double](repeating: 0, count: 5)
    for index in samples.indices {
      let left = samples[index] - value(index, p)
      for (place, slope) in slopes(index, p).enumerated() { gradient[place] += left * slope }
    }
    return gradient
  }
}
