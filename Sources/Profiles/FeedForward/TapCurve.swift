// SPDX-License-Identifier: Apache-2.0

public import Actuators
private import Glibc

/// How a tap is drawn for an actuator that has a profile.
///
/// a(t) = A sin(2 pi (f t + phase)) (1 + cos(pi t / T)) / 2 for 0 <= t < T. A tap that starts at its
/// crest, a quarter of a turn, is as strong at once as it will ever be, and its velocity swings around
/// zero: no displacement has to be dragged along and brought back, which is what would take most of the
/// voltage below a resonance, and bend the tap.
public struct TapShape: Sendable, Equatable {
  /// The length T, in seconds.
  public let length: Double
  /// Where the carrier starts, in turns.
  public let phase: Double

  /// Makes a shape.
  public init(length: Double, phase: Double = 0.25) {
    self.length = length
    self.phase = phase
  }

  /// The acceleration at a time after the start, as a share of the amplitude.
  public func value(at time: Double, frequency: Double) -> Double {
    guard time >= 0, time < length else { return 0 }
    return sin(2 * .pi * (frequency * time + phase)) * 0.5 * (1 + cos(.pi * time / length))
  }
}

extension DriveLimits {
  /// The shape of taps of a length in seconds: from their crest, or from zero where a slope is limited.
  public func tapShape(length: Double) -> TapShape {
    TapShape(length: length, phase: slope == nil ? 0.25 : 0)
  }
}

/// What an actuator makes of taps of one frequency under a peak voltage: asked against given.
///
/// A tap counts by its energy and its peak: one that is given as A has, in the mean of both, those of one
/// that does exactly what its `TapShape` says. Where the peak holds the drive back, more has to be asked
/// for than is given, and peak and energy part: the curve ends where they do by more than an eighth.
public struct TapCurve: Sendable, Equatable {
  /// What the inverse filter is fed with, as peak accelerations in m/s2, rising.
  public let asked: [Double]
  /// What the actuator then does, in m/s2, rising.
  public let given: [Double]

  /// The strongest tap, in m/s2.
  public var ceiling: Double { given.last ?? 0 }

  /// What to ask for so that a tap is given, in m/s2; above the ceiling what the ceiling takes.
  ///
  /// Between the curve's points straight on logarithmic axes, below them in proportion.
  public func asked(for wanted: Double) -> Double {
    guard let first = given.first, wanted > first else {
      return wanted * (asked.first ?? 1) / (given.first ?? 1)
    }
    let place = Interpolation(of: wanted, in: given, logarithmic: true)
    let (a, b) = (asked[place.lower], asked[place.upper])
    return a * pow(b / a, place.share)
  }
}

extension FeedForward {
  /// Works out what an actuator makes of taps; frequency and rate are in hertz.
  ///
  /// The curve ends at the steady vibration that the peak would hold, or where a tap would not be
  /// 20 dB down 13 ms after its end, or where the peak would not brake it and a fiftieth of its energy or more
  /// would ring on, or move further than an end stop lets it, or where its peak would not
  /// fit its energy any more: more than 13 % above or 12 % below what that says, and worse than that of a
  /// weak tap. Far below its resonance an actuator stands where the voltage puts it: there the curve ends
  /// where the peak begins to hold the voltage back, which would be a blow. It has two points at least. The
  /// travel is how far the mass may move, in metres as the acceleration tells it; infinite without an end stop.
  /// Some 80,000 steps of the filter.
  public func tapCurve(
    frequency: Double, shape: TapShape, peakVolts: Double, rate: Double = 16_000,
    travel: Double = .infinity
  ) -> TapCurve {
    let frames = max(8, Int((shape.length * rate).rounded(.up)))
    let settled = frames + Int((Self.settling * rate).rounded(.up))
    // What is still there after the settling is looked at for a while.
    let tap = (0..<settled + frames).map {
      shape.value(at: Double($0) / rate, frequency: frequency)
    }
    let energy = tap.reduce(0) { $0 + $1 * $1 }
    let isStiff = sections.allSatisfy { $0.numerator.corner > 2 * .pi * Self.stiff * frequency }
    let crest = tap.reduce(0) { max($0, abs($1)) }
    // What is looked at last goes on as the resonance does.
    let fade =
      (sections.first?.numerator).map { $0.c2 > 0 ? $0.c1 / $0.c2 : .infinity } ?? .infinity
    let goesOn = 1 / (1 - exp(-fade * Double(frames) / rate))
    func given(
      _ amplitude: Double
    ) -> (amplitude: Double, bend: Double, ring: Double, isSettled: Bool, isHeld: Bool) {
      var filter = FeedForwardFilter(
        self, rate: rate, peakVolts: isStiff ? Self.room * peakVolts : peakVolts)
      var actuator = actuatorSections(rate: rate)
      var mass = travel.isFinite ? displacementSections(rate: rate) : []
      var (sum, peak, rest, furthest) = (0.0, 0.0, 0.0, 0.0)
      var ring = 0.0
      for (frame, sample) in tap.enumerated() {
        // What a spring takes leaves a linear actuator the rest.
        let volts = filter.volts(amplitude * sample)
        var value = (volts - filter.springVolts) / gain
        var place = value
        for index in mass.indices { place = mass[index].advance(place) }
        if !mass.isEmpty { furthest = max(furthest, abs(place)) }
        for index in actuator.indices { value = actuator[index].advance(value) }
        sum += value * value
        if frame >= frames { ring += value * value * (frame < settled ? 1 : goesOn) }
        if frame < settled { peak = max(peak, abs(value)) } else { rest = max(rest, abs(value)) }
      }
      let isHeld = filter.limitedCount > 0
      let byEnergy = (sum / energy).squareRoot()
      let bend = peak / crest / byEnergy
      let weight = bend > 1 ? Self.highPeakWeight : Self.lowPeakWeight
      return (
        byEnergy * pow(bend, weight), log(bend), ring / sum,
        rest < 0.1 * peak && furthest < travel && !(isStiff && isHeld), isHeld
      )
    }
    let highest = peakVolts / response(at: frequency).magnitude
    // At the lowest the peak is far away.
    var power = -40.0
    var asked = [highest * pow(Self.step, power)]
    let weakest = given(asked[0])
    let bends =
      min(
        Self.bends.lowerBound, weakest.bend - 0.01)...max(
        Self.bends.upperBound, weakest.bend + 0.01)
    let most = max(Self.ring, weakest.ring)
    var reached = [weakest.amplitude]
    var isHeld = weakest.isHeld
    while power < 0 {
      // 1.5 dB apart in proportion; what the peak leaves of more comes in stairs, and takes a point every 0.75 dB.
      power += isHeld ? 0.5 : 1
      let next = highest * pow(Self.step, power)
      let value = given(next)
      isHeld = value.isHeld
      guard value.isSettled, value.ring <= most, bends.contains(value.bend) else { break }
      // Where the peak leaves nothing of what more is asked for, the curve goes straight past it.
      guard value.amplitude > reached[reached.count - 1] * Self.flat else { continue }
      asked.append(next)
      reached.append(value.amplitude)
    }
    if asked.count == 1 {
      asked.append(asked[0] * Self.step)
      reached.append(reached[0] * Self.step)
    }
    return TapCurve(asked: asked, given: reached)
  }

  private static let step = pow(10, 0.075)
  /// By what a curve rises at least from point to point.
  private static let flat = 1.002
  /// The share of the peak that is used where reaching it would be a blow.
  private static let room = 0.95
  /// How many times as high as a tap a resonance stands that is far above it.
  private static let stiff = 3.5
  /// How much the peak counts beside the energy where it is above what that says, and where below.
  private static let highPeakWeight = 0.45
  private static let lowPeakWeight = 0.4
  /// How far the peak may be from what the energy says, as logarithms.
  private static let bends = log(0.88)...log(1.13)
  /// The share of a tap's energy that may ring on: 17 dB below it.
  private static let ring = 0.02
  /// The time in seconds after which a tap is to be 20 dB down.
  private static let settling = 13e-3

  /// From the volts over the gain to the displacement: 1 over the first numerator, and of a second mode
  /// its part.
  private func displacementSections(rate: Double) -> [FilterSection] {
    sections.enumerated().map { index, section in
      FilterSection(
        index == 0 ? Polynomial(1, 0, 0) : section.denominator, over: section.numerator, rate: rate,
        corner: section.numerator.corner)
    }
  }

  /// The actuator itself, as far as the inverse knows it: without the leak that replaces its s^2.
  func actuatorSections(rate: Double) -> [FilterSection] {
    var sections = sections.map { FilterSection($0.denominator, over: $0.numerator, rate: rate) }
    if leak > 0 {
      let w = 2 * Double.pi * leak
      sections.append(
        FilterSection(
          Polynomial(0, 0, 1), over: Polynomial(w * w, 2.0.squareRoot() * w, 1), rate: rate,
          corner: w))
    }
    return sections
  }
}
