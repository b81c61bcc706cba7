// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// An inverse at work: wanted acceleration in, drive out, sample by sample, within a peak voltage.
///
/// Below the peak it is the inverse F, section by section. Where the peak holds the voltage back, a
/// model of the actuator follows what was missed, the *deviation*, and damps it: the more of the peak
/// is left, the harder. So a tap ends when it should although the drive could not follow its start.
/// The damping only ever takes energy out of the deviation while F itself asks for less than the peak,
/// so that no swing can keep itself going. The force of a spring that is not linear is added for where the mass
/// is, what was missed included: what is left is linear. State is carried from block to block, so any block size
/// gives the same samples. *Render thread*: no allocation, no lock.
public struct FeedForwardFilter: Sendable {
  /// How many samples the peak voltage has held back since the filter was made.
  public private(set) var limitedCount = 0

  private var first: FilterSection
  private var second: FilterSection
  private var third: FilterSection
  private var firstDeviation: Deviation
  private var secondDeviation: Deviation
  private var thirdDeviation: Deviation
  private let sectionCount: Int
  private var isDeviating = false
  /// 1 / (1 + sum of damping times feed-through): solves the loop within a sample.
  private let loopGain: Double
  /// The deviation that counts as none, in volts of damping.
  private let leastDeviation: Double
  private let inputGain: Double
  private let peak: Double
  private let outputGain: Double
  private var spring: SpringForce?

  /// Makes a filter at rest for a rate in hertz, a highest voltage at any sample and the voltage that the drive
  /// calls 1.
  public init(
    _ inverse: FeedForward, rate: Double, peakVolts: Double, fullScaleVolts: Double = 1
  ) {
    precondition(
      rate > 0 && peakVolts > 0 && fullScaleVolts > 0,
      "a filter needs a rate, a peak and a full scale above 0, not \(rate) Hz, \(peakVolts) V and "
        + "\(fullScaleVolts) V")
    let sections = inverse.sections.map {
      FilterSection($0.numerator, over: $0.denominator, rate: rate)
    }
    let deviations = inverse.sections.map { Deviation(of: $0.numerator, rate: rate) }
    first = sections.first ?? FilterSection()
    second = sections.count > 1 ? sections[1] : FilterSection()
    third = sections.count > 2 ? sections[2] : FilterSection()
    firstDeviation = deviations.first ?? Deviation()
    secondDeviation = deviations.count > 1 ? deviations[1] : Deviation()
    thirdDeviation = deviations.count > 2 ? deviations[2] : Deviation()
    sectionCount = sections.count
    loopGain = 1 / deviations.reduce(1) { $0 + $1.damping * $1.model.b0 }
    inputGain = inverse.gain
    peak = peakVolts
    leastDeviation = 1e-9 * peakVolts
    outputGain = 1 / fullScaleVolts
    spring = SpringForce(of: inverse, rate: rate)
  }

  /// Turns one wanted acceleration in m/s2 (for a rotating mass: a voltage) into a drive.
  @_noAllocation @_noLocks
  public mutating func advance(_ wanted: Float) -> Float {
    Float(outputGain * volts(Double(wanted)))
  }

  /// Turns wanted accelerations into drive, in place.
  @_noAllocation @_noLocks
  public mutating func process(_ samples: inout MutableSpan<Float>) {
    for index in samples.indices { samples[index] = advance(samples[index]) }
  }

  /// The voltage for a wanted acceleration.
  @_noAllocation @_noLocks @inline(__always)
  mutating func volts(_ wanted: Double) -> Double {
    // What is no number asks for nothing; it must not stay in the state for ever.
    let scaled = wanted - wanted == 0 ? inputGain * wanted : 0
    var asked = first.advance(scaled)
    if sectionCount > 1 { asked = third.advance(second.advance(asked)) }
    if let force = spring?.advance(scaled) { asked += force }
    guard isDeviating || !(asked <= peak && asked >= -peak) else { return asked }
    return limited(asked)
  }

  /// The part of the last sample's voltage that a spring which is not linear took.
  var springVolts: Double { spring?.volts ?? 0 }

  /// Damps what was missed, within the peak.
  @_noAllocation @_noLocks
  private mutating func limited(_ asked: Double) -> Double {
    var volts = asked
    if isDeviating {
      volts -=
        loopGain
        * (firstDeviation.pull + secondDeviation.pull + thirdDeviation.pull)
    }
    if volts > peak || volts < -peak {
      volts = volts > 0 ? peak : -peak
      limitedCount += 1
    }
    let missed = volts - asked
    firstDeviation.advance(missed)
    secondDeviation.advance(missed)
    thirdDeviation.advance(missed)
    spring?.miss(missed)
    isDeviating =
      firstDeviation.isAbove(leastDeviation) || secondDeviation.isAbove(leastDeviation)
      || thirdDeviation.isAbove(leastDeviation)
    if !isDeviating {
      firstDeviation.model.rest()
      secondDeviation.model.rest()
      thirdDeviation.model.rest()
      spring?.rest()
    }
    return volts
  }
}

/// The voltage against what a spring adds to its linear force: gain w0^2 h y^3.
///
/// Displacements are counted as voltages, gain y, like all the filter's states.
private struct SpringForce: Sendable {
  /// Volts per cube of the counted displacement, and the square of that beyond which the spring changes no more.
  private let cube: Double
  private let furthest: Double
  /// Where the mass is to be, and how far it is from there for voltage that it did not get.
  private var place: FilterSection
  private var deviation: FilterSection
  private(set) var volts = 0.0

  init?(of inverse: FeedForward, rate: Double) {
    guard let spring = inverse.spring?.value, inverse.sections.count == 1 else { return nil }
    let (section, one) = (inverse.sections[0], FeedForward.Polynomial(1, 0, 0))
    let square = inverse.gain * inverse.gain
    cube = section.numerator.c0 * spring / square
    furthest = square * FeedForward.furthestSquare(ofSpring: spring)
    place = FilterSection(
      one, over: section.denominator, rate: rate, corner: section.denominator.corner)
    deviation = FilterSection(
      one, over: section.numerator, rate: rate, corner: section.numerator.corner)
  }

  /// The voltage for a sample that is wanted, counted as a voltage.
  @_noAllocation @_noLocks @inline(__always)
  mutating func advance(_ wanted: Double) -> Double {
    // What the sample's own drive moves within it is next to nothing.
    let y = place.advance(wanted) + deviation.z1
    let square = y * y
    volts = cube * (square < furthest ? square : furthest) * y
    return volts
  }

  @_noAllocation @_noLocks @inline(__always)
  mutating func miss(_ volts: Double) { _ = deviation.advance(volts) }

  @_noAllocation @_noLocks @inline(__always)
  mutating func rest() { deviation.rest() }
}

/// What one mode of an actuator does for voltage that it did not get, and the drive against it.
private struct Deviation: Sendable {
  /// Missed voltage to speed: s / (s^2 + s w/Q + w^2), or 1 / (1 + tau s).
  var model = FilterSection()
  /// Volts against a speed.
  let damping: Double

  /// No mode.
  init() {
    damping = 0
    model.b0 = 0
  }

  /// The mode whose inverse is a section's numerator.
  init(of numerator: FeedForward.Polynomial, rate: Double) {
    let isResonance = numerator.c2 > 0
    let speed = isResonance ? FeedForward.Polynomial(0, numerator.c2, 0) : .init(1, 0, 0)
    model = FilterSection(speed, over: numerator, rate: rate, corner: numerator.corner)
    damping = Self.strength * (isResonance ? numerator.corner : numerator.c0)
  }

  /// How strongly what was missed is damped: 2 is critical.
  ///
  /// At 16 the drive is at its peak against the motion until little of it is left.
  private static let strength = 16.0

  /// The voltage that damps, before what the sample's own drive does.
  var pull: Double {
    @_noAllocation @_noLocks @inline(__always) get { damping * model.z1 }
  }

  @_noAllocation @_noLocks @inline(__always)
  mutating func advance(_ missed: Double) { _ = model.advance(missed) }

  /// Whether more than some volts are still in the mode, as speed or as displacement.
  @_noAllocation @_noLocks @inline(__always)
  func isAbove(_ volts: Double) -> Bool {
    let (a, b) = (damping * model.z1, damping * model.z2)
    return a > volts || a < -volts || b > volts || b < -volts
  }
}

/// A fraction of two polynomials in s, made discrete: y = b0 x + z1 (transposed direct form II).
struct FilterSection: Sendable {
  var b0 = 1.0
  var b1 = 0.0
  var b2 = 0.0
  var a1 = 0.0
  var a2 = 0.0
  private(set) var z1 = 0.0
  private(set) var z2 = 0.0

  /// Passes everything on.
  @_noAllocation @_noLocks
  init() {}

  /// Makes a fraction discrete by the bilinear transform.
  ///
  /// Each polynomial is warped to be exact at its own corner, unless one is given for the numerator.
  init(
    _ numerator: FeedForward.Polynomial, over denominator: FeedForward.Polynomial, rate: Double,
    corner: Double? = nil
  ) {
    let degree = numerator.c2 > 0 || denominator.c2 > 0 ? 2 : 1
    let b = numerator.discretised(rate: rate, corner: corner ?? numerator.corner, degree: degree)
    let a = denominator.discretised(rate: rate, corner: denominator.corner, degree: degree)
    (b0, b1, b2) = (b.0 / a.0, b.1 / a.0, b.2 / a.0)
    (a1, a2) = (a.1 / a.0, a.2 / a.0)
  }

  @_noAllocation @_noLocks @inline(__always)
  mutating func advance(_ x: Double) -> Double {
    let y = b0 * x + z1
    z1 = b1 * x - a1 * y + z2
    z2 = b2 * x - a2 * y
    // Numbers too small to matter would be slow ones.
    if z1 < 1e-30 && z1 > -1e-30 { z1 = 0 }
    if z2 < 1e-30 && z2 > -1e-30 { z2 = 0 }
    return y
  }

  @_noAllocation @_noLocks @inline(__always)
  mutating func rest() {
    z1 = 0
    z2 = 0
  }
}

extension FeedForward.Polynomial {
  /// The polynomial in z^-1 for s = K (1 - z^-1) / (1 + z^-1), times (1 + z^-1)^degree.
  ///
  /// K = w / tan(w / (2 rate)) makes the polynomial exact at the corner w.
  fileprivate func discretised(
    rate: Double, corner: Double, degree: Int
  ) -> (Double, Double, Double) {
    // A corner near or beyond half the rate cannot be met; the nearest that can is.
    let w = min(corner, 0.8 * .pi * rate)
    let k = w > 0 ? w / tan(w / (2 * rate)) : 2 * rate
    guard degree > 1 else { return (c1 * k + c0, c0 - c1 * k, 0) }
    return (c2 * k * k + c1 * k + c0, 2 * (c0 - c2 * k * k), c2 * k * k - c1 * k + c0)
  }
}
