// SPDX-License-Identifier: Apache-2.0

private import Glibc
import JSONText

/// The inverse of a spring that stiffens or softens with the square of its travel.
///
/// y'' + y' w0/Q + w0^2 (1 + h y^2) y = volts / gain, y being how far the mount moves, in metres as the
/// acceleration tells it, so that the sensor's own scale is the same in h as it is in the gain.
extension FeedForward {
  /// The share by which the square of the travel may change the spring: beyond, the force is taken to grow in
  /// proportion.
  ///
  /// A spring that softens would pull less the further it goes beyond this.
  static let mostSpring = 1.0 / 3

  /// A spring's h, and how well that is known.
  static let springForm = JSONForm<MeasuredQuantity>(
    { field throws(ProfileError) in
      let value = try field.object("value", "unit", "uncertainty")["value"]
      let number = try value.number(in: -1e14...1e14, ProfileUnit.perSquareMetre.rawValue)
      try value.check(number != 0, "is 0, but a spring that is linear is left out")
      return try MeasuredQuantity(
        field, .perSquareMetre, in: -1e14...1e14, uncertaintyUpTo: abs(number))
    }, \.json)

  /// The square of the travel beyond which the spring is taken for one that changes no more, in m2.
  static func furthestSquare(ofSpring spring: Double) -> Double { mostSpring / abs(spring) }

  /// The volts per m/s2 of a steady vibration at a frequency in hertz, the actuator moving with an acceleration in m/s2.
  ///
  /// A spring counts as its fundamental does: 3/4 h y^2.
  package func magnitude(at frequency: Double, moving acceleration: Double) -> Double {
    let small = response(at: frequency).magnitude
    guard let spring, let numerator = sections.first?.numerator else { return small }
    let w = 2 * Double.pi * frequency
    let travel = acceleration / (w * w)
    let square = min(travel * travel, Self.furthestSquare(ofSpring: spring.value))
    let still = numerator.value(at: w)
    let moved = still.real + 0.75 * spring.value * square * numerator.c0
    return small * hypot(moved, still.imaginary) / hypot(still.real, still.imaginary)
  }

  /// The peak voltage of a steady command in m/s2 at a frequency in hertz.
  package func volts(of command: Double, at frequency: Double) -> Double {
    command * magnitude(at: frequency, moving: command * leakFactor(at: frequency))
  }

  /// A command in m/s2, or as much of it as needs no more than a voltage once it is steady.
  package func held(_ command: Double, at frequency: Double, volts highest: Double) -> Double {
    guard spring != nil else { return min(command, highest / response(at: frequency).magnitude) }
    var held = command
    for _ in 0..<Self.holdingSteps {
      let needed = volts(of: held, at: frequency)
      guard needed > highest else { break }
      held *= min(0.99, max(0.5, highest / needed))
    }
    return held
  }

  private static let holdingSteps = 200

  /// The acceleration in m/s2 up to which a steady vibration of a frequency in hertz stands; infinite where the spring
  /// is linear.
  ///
  /// Beside a resonance that its own motion moves there are up to three vibrations for one voltage, and the middle
  /// one stays nowhere. With A and B the spring's part less the mass's for the vibration and for a small change of
  /// it, and D the damping's, it stands where A B + D^2 > 0. Near that end a percent of voltage becomes many of
  /// motion; the limit is where it would become `leverage`.
  package func steadyLimit(at frequency: Double) -> Double {
    guard let spring, let numerator = sections.first?.numerator else { return .infinity }
    let w = 2 * Double.pi * frequency
    let still = numerator.value(at: w)
    let (distance, damping) = (still.real / numerator.c0, still.imaginary / numerator.c0)
    let sign: Double = spring.value < 0 ? -1 : 1
    for step in 1...Self.limitSteps {
      let share = sign * Self.mostSpring * Double(step) / Double(Self.limitSteps)
      let (a, b) = (distance + 0.75 * share, distance + 2.25 * share)
      if a * b + damping * damping < (a * a + damping * damping) / Self.leverage {
        return w * w * (share / spring.value).squareRoot()
      }
    }
    return .infinity
  }

  private static let limitSteps = 400
  private static let leverage = 4.0
}
