// SPDX-License-Identifier: Apache-2.0

import Actuators
private import Glibc
import Perception

/// From intensity and sharpness to what an actuator is asked to do, through its profile.
///
/// More intensity is always more command, and more sharpness more frequency; the exception are the two
/// ends of a rotating mass. Making a map costs some 10,000 evaluations of the profile, a command some
/// hundred: a render loop looks up a `DriveTable` instead.
public struct DriveMap: Sendable {
  /// The profile that is applied.
  public let profile: CalibrationProfile
  /// The voltage that the drive calls 1.
  public let fullScaleVolts: Double

  /// The highest peak voltage of what lasts.
  let steadyVolts: Double
  private let drive: InverseDrive
  private let target: IntensityTarget
  private let gamut: GamutMapping?
  private let motor: MotorProjection?

  /// Makes a map for a device whose drive calls a voltage 1.
  public init(profile: CalibrationProfile, fullScaleVolts: Double) {
    self.init(
      profile: profile, fullScaleVolts: fullScaleVolts,
      steadyVolts: profile.actuator.limits.safeFullScale(
        fullScaleVolts: fullScaleVolts, isTone: profile.motorCurve == nil),
      ceiling: profile.ceiling)
  }

  init(
    profile: CalibrationProfile, fullScaleVolts: Double, steadyVolts: Double,
    ceiling: ReachableCeiling, taps: ResponseCorrection? = nil
  ) {
    self.profile = profile
    self.fullScaleVolts = fullScaleVolts
    self.steadyVolts = steadyVolts
    drive = InverseDrive(profile: profile, taps: taps)
    let laws = profile.laws
    target = laws.target
    if let curve = profile.motorCurve {
      gamut = nil
      motor = MotorProjection(curve: curve, contour: laws.contour, highestVolts: steadyVolts)
      return
    }
    motor = nil
    let drive = self.drive
    let ends = [laws.sharpness.frequency(of: 0), laws.sharpness.frequency(of: 1)]
    let band = ends[0] < ends[1] ? ends[0]...ends[1] : ends[1]...ends[0]
    gamut = GamutMapping(
      ceiling: { frequency in
        laws.contour.sensationLevel(
          acceleration: drive.ceiling(
            at: frequency, below: ceiling.acceleration(at: frequency), volts: steadyVolts),
          at: frequency)
      },
      nodes: ceiling.points.map(\.frequency) + profile.correction.frequencies
        + laws.contour.points.map(\.frequency),
      band: band, resonance: profile.strongestFrequency(in: band),
      highestLevel: laws.referenceLevel)
  }

  /// What to do for an intensity and a sharpness, both limited to 0...1; intensity 0 is silence.
  public func command(intensity: Double, sharpness: Double) -> DriveCommand {
    let asked = profile.laws.sharpness.frequency(of: sharpness)
    guard intensity > 0 else { return .silence(frequency: asked) }
    let contour = profile.laws.contour
    let level = contour.sensationLevel(
      acceleration: target.acceleration(intensity: intensity, frequency: asked), at: asked)
    if let motor {
      guard let state = motor.nearest(level: level, frequency: asked) else {
        return .silence(frequency: asked)
      }
      return DriveCommand(
        frequency: state.frequency, wanted: state.acceleration, command: state.volts,
        volts: state.volts, targetLevel: level, targetFrequency: asked,
        mapping: .init(
          level: level, frequency: asked, state.frequency,
          contour.sensationLevel(acceleration: state.acceleration, at: state.frequency)))
    }
    guard let gamut else { return .silence(frequency: asked) }
    let mapped = gamut.map(frequency: asked, level: level)
    let wanted = contour.acceleration(sensationLevel: mapped.level, at: mapped.frequency)
    var command = drive.command(of: wanted, at: mapped.frequency)
    var volts = drive.volts(of: command, at: mapped.frequency)
    if volts > steadyVolts {
      command = drive.held(command, volts, at: mapped.frequency, volts: steadyVolts)
      volts = steadyVolts
    }
    return DriveCommand(
      frequency: mapped.frequency, wanted: wanted, command: command, volts: volts,
      targetLevel: level, targetFrequency: asked,
      mapping: .init(level: level, frequency: asked, mapped.frequency, mapped.level))
  }

  /// The highest level that lasts at a frequency in hertz, in dB above threshold.
  ///
  /// Of a rotating mass the level of the state nearest in frequency; nil without a curve.
  public func ceilingLevel(at frequency: Double) -> Double? {
    if let gamut { return gamut.ceiling(at: frequency) }
    let state = motor?.reachable.min {
      abs($0.frequency - frequency) < abs($1.frequency - frequency)
    }
    return state.map {
      profile.laws.contour.sensationLevel(acceleration: $0.acceleration, at: $0.frequency)
    }
  }

  /// The states that a rotating mass can hold, by rising voltage; empty for all other kinds.
  public var motorStates: [MotorCurve.Point] { motor?.reachable ?? [] }

  /// The map of taps of a length in seconds, whose ceiling is the peak voltage and not what lasts.
  ///
  /// A tap is given by energy and peak (`TapCurve`): its command is what the limit leaves that much of.
  /// What distorts or meets an end stop when it lasts does so in a tap. For a rotating mass it is the
  /// same map. Costs some 3 million steps of the filter.
  public func taps(length: Double) -> DriveMap {
    guard motor == nil else { return self }
    let peak = min(profile.actuator.limits.peakVolts, fullScaleVolts)
    let (steady, contour) = (profile.ceiling, profile.laws.contour)
    let frequencies = tapFrequencies
    let travel = steady.travel ?? .infinity
    let shape = profile.tapShape(length: length)
    let curves = frequencies.map {
      profile.feedForward.tapCurve(
        frequency: $0, shape: shape, peakVolts: peak, travel: travel)
    }
    let steadyTones = frequencies.map {
      SpreadCorrection(of: profile.correction, at: $0, shape: shape, contour: contour)
    }
    // What a curve calls given comes out weaker by this: the tap and its ceiling alike.
    func share(_ index: Int, _ acceleration: Double) -> Double {
      let level = contour.sensationLevel(acceleration: acceleration, at: frequencies[index])
      let decibels =
        steadyTones[index].decibels(acceleration: acceleration)
        + profile.tapCorrection.decibels(at: frequencies[index], level: level)
      return pow(10, -decibels / 20)
    }
    let ends = frequencies.indices.map { curves[$0].ceiling * share($0, curves[$0].ceiling) }
    // Between two frequencies a tap is what both say, so that both must have it: where one curve ends by its bend
    // and the next does not, what lies between belongs to neither.
    let ceilings = ends.indices.map { index in
      ends[max(0, index - 1)...min(index + 1, ends.count - 1)].reduce(.infinity, min)
    }
    let points = zip(frequencies, ceilings).map { frequency, highest in
      let binding = steady.binding(at: frequency)
      let isMoving = binding == .endstop || binding == .thd
      return ReachableCeiling.Point(
        frequency: frequency,
        acceleration: isMoving ? min(highest, steady.acceleration(at: frequency)) : highest,
        binding: isMoving ? binding ?? .peak : .peak)
    }
    let levels = (0...120).map { 0.5 * Double($0) }
    let correction = ResponseCorrection(
      frequencies: frequencies, levels: levels,
      decibels: frequencies.indices.map { index in
        levels.map { level in
          let wanted = min(
            contour.acceleration(sensationLevel: level, at: frequencies[index]), ceilings[index])
          let asked = curves[index].asked(for: wanted / share(index, wanted))
          return 20 * log10(asked / wanted)
        }
      })
    return DriveMap(
      profile: profile, fullScaleVolts: fullScaleVolts, steadyVolts: .infinity,
      ceiling: ReachableCeiling(points: points), taps: correction)
  }

  /// Where the ceiling of taps is worked out: over the law's range, and right at the resonances.
  private var tapFrequencies: [Double] {
    let law = profile.laws.sharpness
    let ends = [law.frequency(of: 0), law.frequency(of: 1)].sorted()
    let spread = (0...48).map { ends[0] * pow(ends[1] / ends[0], Double($0) / 48) }
    let modes = profile.model.modes.map(\.f0.value).filter { ends[0] < $0 && $0 < ends[1] }
    return Set(spread + modes).sorted()
  }
}

extension DriveCommand.Mapping {
  /// What lies between a target and what stands for it.
  fileprivate init(level: Double, frequency: Double, _ reached: Double, _ reachedLevel: Double) {
    octaves = log2(reached / frequency)
    decibels = level - reachedLevel
    consistency = JustNoticeable.consistency(
      levelError: decibels, frequencyRatio: reached / frequency)
  }
}

/// What an actuator is asked to do for one intensity and sharpness.
public struct DriveCommand: Sendable, Equatable {
  /// How far the command stands from what the laws ask for.
  public struct Mapping: Sendable, Equatable {
    /// How far the frequency was moved, in octaves; below 0 for down.
    public var octaves: Double
    /// How much weaker it is than asked, in dB; below 0 for stronger.
    public var decibels: Double
    /// Both together in just noticeable differences.
    public var consistency: Double

    /// The actuator does what the laws ask for, to a quarter of a just noticeable difference.
    public var isInside: Bool { consistency <= 0.25 }

    /// Nothing had to be moved.
    public static let exact = Mapping(octaves: 0, decibels: 0, consistency: 0)
  }

  /// The frequency, in hertz; for a rotating mass its speed.
  public var frequency: Double
  /// The peak acceleration that is to be felt, in m/s2, after mapping.
  public var wanted: Double
  /// What the inverse filter is fed with: m/s2, for a rotating mass volts.
  public var command: Double
  /// The peak voltage once the vibration is steady, at the actuator.
  public var volts: Double
  /// The level that the laws ask for, in dB above threshold.
  public var targetLevel: Double
  /// The frequency that the laws ask for, in hertz.
  public var targetFrequency: Double
  /// What mapping did to the target.
  public var mapping: Mapping

  /// Nothing: intensity 0.
  static func silence(frequency: Double) -> DriveCommand {
    DriveCommand(
      frequency: frequency, wanted: 0, command: 0, volts: 0, targetLevel: -.infinity,
      targetFrequency: frequency, mapping: .exact)
  }
}

/// What a vibration or a tap takes: correction, inverse and their limits.
struct InverseDrive: Sendable {
  let profile: CalibrationProfile
  /// The dB that taps take: their correction, and what peak and leak take from them; nil for vibrations.
  var taps: ResponseCorrection?

  /// What the inverse is fed with for an acceleration in m/s2 at a frequency in hertz.
  ///
  /// The correction of the table, and what the inverse's leak takes away.
  func command(of wanted: Double, at frequency: Double) -> Double {
    let level = profile.laws.contour.sensationLevel(acceleration: wanted, at: frequency)
    if let taps { return wanted * pow(10, taps.decibels(at: frequency, level: level) / 20) }
    let decibels = profile.correction.decibels(at: frequency, level: level)
    return wanted * pow(10, decibels / 20) / profile.feedForward.leakFactor(at: frequency)
  }

  /// The peak voltage of a steady command.
  func volts(of command: Double, at frequency: Double) -> Double {
    profile.feedForward.volts(of: command, at: frequency)
  }

  /// As much of a steady command, which takes some volts, as needs no more than a voltage.
  func held(
    _ command: Double, _ volts: Double, at frequency: Double, volts highest: Double
  ) -> Double {
    guard profile.feedForward.spring != nil else { return command * (highest / volts) }
    return profile.feedForward.held(command, at: frequency, volts: highest)
  }

  /// The highest acceleration below a bound that needs no more than a voltage.
  func ceiling(at frequency: Double, below bound: Double, volts: Double) -> Double {
    func isWithin(_ wanted: Double) -> Bool {
      self.volts(of: command(of: wanted, at: frequency), at: frequency) <= volts
    }
    let bound =
      taps == nil ? min(bound, profile.feedForward.steadyLimit(at: frequency)) : bound
    guard bound > 0, !isWithin(bound) else { return bound }
    var (low, high) = (bound, bound)
    while !isWithin(low), low > 1e-9 { low /= 2 }
    for _ in 0..<40 {
      let middle = (low * high).squareRoot()
      if isWithin(middle) { low = middle } else { high = middle }
    }
    return low
  }
}

extension CalibrationProfile {
  /// The resonance in a band, or where the actuator is strongest if it has none there, in hertz.
  func strongestFrequency(in band: ClosedRange<Double>) -> Double {
    if let mode = model.modes.first, model.kind != .piezo { return mode.f0.value }
    let inside = ceiling.points.filter { band.contains($0.frequency) }
    let strongest = inside.max { strength($0) < strength($1) }
    return strongest?.frequency ?? band.upperBound
  }

  private func strength(_ point: ReachableCeiling.Point) -> Double {
    laws.contour.sensationLevel(acceleration: point.acceleration, at: point.frequency)
  }
}
