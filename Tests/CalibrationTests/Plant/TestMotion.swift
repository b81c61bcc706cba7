// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A resonator with what real ones have besides: x'' + w/Q x' + w^2 (1 + h (x/X)^2) x = (1 - l (x/X)^2) u.
///
/// The mount's acceleration is (g/Q) x'', so the small-signal response to volts is exactly
/// (g/Q) s^2 / (s^2 + s w/Q + w^2). X is the amplitude at resonance under `rated` volts. Solved by RK4.
struct TestMotion: Sendable {
  var frequency: Double
  var q: Double
  /// m/s2 per volt at resonance.
  var gain: Double
  /// The peak voltage of full travel.
  var rated: Double
  var hardening = 0.0
  var loss = 0.0
  /// Where an end stop stands, as a multiple of full travel.
  var stop: Double?

  private(set) var x = 0.0
  private(set) var v = 0.0

  init(
    frequency: Double, q: Double, gain: Double, rated: Double, hardening: Double = 0,
    loss: Double = 0, stop: Double? = nil
  ) {
    self.frequency = frequency
    self.q = q
    self.gain = gain
    self.rated = rated
    self.hardening = hardening
    self.loss = loss
    self.stop = stop
  }

  private var angular: Double { 2 * .pi * frequency }

  private func force(_ x: Double, _ v: Double, _ volts: Double) -> Double {
    let w = angular
    let travel = q * rated / (w * w)
    let share = x / travel
    var sum = (1 - loss * share * share) * volts
    sum -= w / q * v + w * w * (1 + hardening * share * share) * x
    if let stop, abs(share) > stop {
      sum -= 100 * w * w * (x - (x > 0 ? stop : -stop) * travel)
    }
    return sum
  }

  /// Goes one step on and gives the acceleration at its beginning; volts at begin, middle and end.
  mutating func step(_ a: Double, _ b: Double, _ c: Double, length h: Double) -> Double {
    let k1 = force(x, v, a)
    let v2 = v + h / 2 * k1
    let k2 = force(x + h / 2 * v, v2, b)
    let v3 = v + h / 2 * k2
    let k3 = force(x + h / 2 * v2, v3, b)
    let v4 = v + h * k3
    let k4 = force(x + h * v3, v4, c)
    let old = v
    x += h / 6 * (old + 2 * v2 + 2 * v3 + v4)
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return gain / q * k1
  }
}

/// An eccentric mass on a motor: the speed follows the voltage with a lag, the force is that of w^2.
struct TestMotor: Sendable {
  /// Turns a second at `rated` volts.
  var speed: Double
  var rated: Double
  var lag: Double
  /// m/s2 at the rated speed.
  var acceleration: Double
  var startVolts: Double

  private(set) var turns = 0.0
  private(set) var rate = 0.0
  private var isTurning = false

  init(speed: Double, rated: Double, lag: Double, acceleration: Double, startVolts: Double) {
    self.speed = speed
    self.rated = rated
    self.lag = lag
    self.acceleration = acceleration
    self.startVolts = startVolts
  }

  /// Goes one step on; the two accelerations across the shaft.
  mutating func step(_ volts: Double, length h: Double) -> (Double, Double) {
    if abs(volts) >= startVolts { isTurning = true }
    if abs(volts) < startVolts / 2, abs(rate) < 0.05 * speed {
      isTurning = false
      rate = 0
    }
    let goal = isTurning && abs(volts) >= startVolts / 2 ? speed * volts / rated : 0
    rate += (goal - rate) * (1 - exp(-h / lag))
    turns += rate * h
    let force = acceleration * (rate / speed) * (rate / speed)
    return (force * cos(2 * .pi * turns), force * sin(2 * .pi * turns))
  }
}
