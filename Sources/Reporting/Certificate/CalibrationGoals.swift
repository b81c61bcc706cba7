// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Calibration
import Perception
import Profiles

struct CalibrationGoal {
  /// What value and limit count; the raw value is the unit that a file says.
  enum Unit: String {
    case decibel = "dB"
    case share = "1"
    case second = "s"
  }

  enum Bound {
    case atMost(Double)
    case atLeast(Double)
  }

  let name: String
  let value: Double?
  let bound: Bound
  let unit: Unit
  /// What the value was taken from, or what it is judged by.
  let basis: String
  /// What would keep it out of reach if it were missed, where it is not the calibration.
  private let obstacle: String?
  private let absence: String?

  init(
    _ name: String, _ value: Double?, _ bound: Bound, _ unit: Unit, basis: String,
    obstacle: String? = nil, absence: String? = nil
  ) {
    self.name = name
    self.value = value.flatMap { $0.isFinite ? $0 : nil }
    self.bound = bound
    self.unit = unit
    self.basis = basis
    self.obstacle = obstacle
    self.absence = absence
  }

  var limitedBy: String? { verdict == .marginal ? obstacle : nil }
  var reason: String? { verdict == .notMeasured ? absence : nil }

  /// Met, missed, not measured, or marginal: missed for a limit that has a name.
  var verdict: Verdict {
    guard let value else { return .notMeasured }
    let isMet =
      switch bound {
      case .atMost(let limit): value <= limit
      case .atLeast(let limit): value >= limit
      }
    return isMet ? .pass : obstacle == nil ? .fail : .marginal
  }

  var shownValue: String {
    guard let value else { return Verdict.notMeasured.rawValue }
    return switch unit {
    case .decibel: Shown.decibels(value)
    case .share: Shown.percent(value)
    case .second: Shown.fixed(1e3 * value, abs(value) < 1e-3 ? 4 : 2, "ms")
    }
  }

  var shownLimit: String {
    let (word, limit) =
      switch bound {
      case .atMost(let limit): ("at most", limit)
      case .atLeast(let limit): ("at least", limit)
      }
    return switch unit {
    case .decibel: "\(word) \(Shown.number(limit)) dB"
    case .share: "\(word) \(Shown.number(100 * limit)) %"
    case .second: "\(word) \(Shown.number(1e3 * limit)) ms"
    }
  }
}

struct CalibrationGoals {
  let profile: CalibrationProfile
  let figures: CalibrationFigures

  var all: [CalibrationGoal] {
    feeling + clicks + (isMotor ? [] : distortion + [coherence]) + [noise].compactMap(\.self)
      + knowledge
  }

  private var isMotor: Bool { profile.motorCurve != nil }

  private var feeling: [CalibrationGoal] {
    let found = profile.verification
    let heldOut = found?.grid.filter(\.isHeldOut) ?? []
    let errors = ProfileVerification.Spread(
      of: heldOut.filter(\.isInside).map { $0.level - $0.targetLevel })
    let unverified = found == nil ? "nothing was measured with this profile" : nil
    let noPoint = unverified ?? Self.outside(found?.grid ?? [], "measured ")
    let noHeldOut = unverified ?? Self.outside(heldOut, "held-out ")
    let noCrossTalk =
      isMotor
      ? "a motor has one level for each speed: neither can stay while the other changes"
      : noPoint ?? "no two points of the grid that share it are reached"
    let noPattern =
      isMotor
      ? "a motor's calibration plays steady voltages alone"
      : unverified ?? "no pattern was played, or the actuator reaches too little of it"
    let inside = "over the measured points that the actuator reaches"
    let half = "half a just noticeable difference"
    return [
      .init(
        "Intensity error, rms", found?.level?.rms, .atMost(0.5), .decibel, basis: inside,
        absence: noPoint),
      .init(
        "Intensity error, 95 %", found?.level?.percentile95, .atMost(1.1), .decibel, basis: half,
        absence: noPoint),
      .init(
        "Intensity error of held-out points, rms", errors?.rms, .atMost(0.5), .decibel,
        basis: "points that nothing was fitted to", absence: noHeldOut),
      .init(
        "Sharpness error, rms", found?.frequency?.rms, .atMost(0.03), .share, basis: inside,
        absence: noPoint),
      .init(
        "Sharpness error, greatest", found?.frequency?.greatest, .atMost(0.09), .share,
        basis: half, absence: noPoint),
      .init(
        "Intensity along sharpness", found?.levelCrossTalk, .atMost(1), .decibel,
        basis: "cross-talk: the greatest change at one intensity", absence: noCrossTalk),
      .init(
        "Sharpness along intensity", found?.frequencyCrossTalk, .atMost(0.05), .share,
        basis: "cross-talk: the greatest change at one sharpness", absence: noCrossTalk),
      .init(
        "Envelope of a held-out pattern, rms", found?.pattern?.envelope.rms, .atMost(1), .decibel,
        basis: "curves, glides and taps that nothing was fitted to", absence: noPattern),
    ]
  }

  /// Why points have no errors; nil where one of them is reached.
  private static func outside(
    _ points: [ProfileVerification.GridPoint], _ which: String
  ) -> String? {
    guard !points.contains(where: \.isInside) else { return nil }
    guard !points.isEmpty else { return "no \(which)point" }
    return "all \(points.count) \(which)points lie outside of what the actuator reaches"
  }

  private var clicks: [CalibrationGoal] {
    let taps = TapSummary(profile: profile, figures: figures)
    let share = Shown.percent(CalibrationFigures.Tap.highestNoise, decimals: 0)
    let noTap = noTap
    let noisy = noTap ?? "noise is above \(share) of every tap's peak"
    let wanted = "against the wanted tap"
    return [
      .init(
        "Tap tail to -20 dB, longest", taps.longestTail, .atMost(15e-3), .second,
        basis: "from the intended end", absence: noTap ?? "noise hides the tail of a tap"),
      .init(
        "Tap pulse-to-ring ratio, least", taps.leastPulseToRing, .atLeast(15), .decibel,
        basis: "energy, less that of the noise",
        absence: noTap ?? "noise hides the ring of every tap"),
      .init(
        "Tap peak error, greatest", taps.greatestPeakError, .atMost(0.1), .share, basis: wanted,
        absence: noisy),
      .init(
        "Tap energy error, greatest", taps.greatestEnergyError, .atMost(1), .decibel,
        basis: wanted, absence: noisy),
    ]
  }

  private var noTap: String? {
    if let curve = profile.motorCurve {
      let time = Shown.fixed(1e3 * curve.spinUpTime.value, 0, "ms")
      return "no tap is played on a motor, which takes \(time) to come to speed"
    }
    guard figures.taps.isEmpty else { return nil }
    guard let found = profile.verification else { return "nothing was measured with this profile" }
    return found.taps.isEmpty ? "no tap was measured" : "the curves of the taps were not kept"
  }

  private var band: ClosedRange<Double> {
    let law = profile.laws.sharpness
    let ends = [law.frequency(of: 0), law.frequency(of: 1)].sorted()
    return ends[0]...ends[1]
  }

  private var distortion: [CalibrationGoal] {
    let band = band
    let inside = profile.ceiling.points.filter { band.contains($0.frequency) }
    let resonance = profile.model.modes.first?.f0.value ?? .infinity
    let below = inside.filter { $0.frequency < resonance }.compactMap(\.distortion).max()
    let above = inside.filter { $0.frequency >= resonance }.compactMap(\.distortion).max()
    let basis = "at the strongest steady vibration"
    let obstacle = "what the actuator itself distorts"
    return [
      CalibrationGoal(
        "Harmonics below resonance", below, .atMost(0.1), .share, basis: basis, obstacle: obstacle),
      CalibrationGoal(
        "Harmonics from resonance up", above, .atMost(0.03), .share, basis: basis,
        obstacle: obstacle),
    ].filter { $0.value != nil || inside.contains { $0.distortion == nil } }
  }

  /// The least coherence of the frequencies that the laws ask for, at the level that tells it best.
  private var coherence: CalibrationGoal {
    let band = band
    let least = figures.coherence.compactMap { curve in
      zip(curve.x, curve.y).filter { band.contains($0.0) }.map(\.1).min()
    }
    return .init(
      "Coherence, least", least.max(), .atLeast(0.99), .share,
      basis: "drive and response of repeated sweeps, in the law's band, at the best level",
      obstacle: "noise and what moved between the sweeps",
      absence: "no level was swept twice")
  }

  /// How far the noise of the whole band lies below the weakest level that the laws ask for.
  private var noise: CalibrationGoal? {
    guard let noise = figures.noise else { return nil }
    let band = zip(noise.x, noise.y).filter { 20 <= $0.0 && $0.0 <= 1000 && $0.1.isFinite }
    var power = 0.0
    for (a, b) in zip(band, band.dropFirst()) {
      let squares = a.1 * a.1 + b.1 * b.1
      power += (b.0 - a.0) * squares / 2
    }
    let laws = profile.laws
    let resonance = profile.model.modes.first?.f0.value ?? laws.sharpness.frequency(of: 0.5)
    let level = laws.contour.sensationLevel(acceleration: (2 * power).squareRoot(), at: resonance)
    return CalibrationGoal(
      "Noise below the weakest level", power > 0 ? laws.floorLevel - level : nil, .atLeast(20),
      .decibel, basis: "all of 20 Hz to 1 kHz against one tone",
      obstacle: "the noise of the sensor", absence: "the sensor at rest shows none")
  }

  private var knowledge: [CalibrationGoal] {
    let (model, budget) = (profile.model, profile.uncertainty)
    func goal(_ name: String, _ quantity: MeasuredQuantity, _ limit: Double) -> CalibrationGoal {
      let expanded = 2 * quantity.uncertainty / abs(quantity.value)
      return CalibrationGoal(
        name, quantity.value == 0 ? nil : expanded, .atMost(limit), .share, basis: "k = 2")
    }
    var goals: [CalibrationGoal] = []
    if let mode = model.modes.first {
      goals = [goal("Uncertainty of f0", mode.f0, 0.003), goal("Uncertainty of Q", mode.q, 0.05)]
    }
    if !isMotor {
      goals.append(
        CalibrationGoal(
          "Uncertainty of the delay", model.delay.map { 2 * $0.uncertainty }, .atMost(1e-4),
          .second, basis: "k = 2", obstacle: delayLimit,
          absence: "no reference is captured"))
    }
    if let resistance = model.resistance {
      goals.append(goal("Uncertainty of the resistance", resistance, 0.01))
    }
    goals.append(
      .init(
        "Uncertainty of acceleration", budget.lines.isEmpty ? nil : budget.expanded,
        .atMost(Self.accelerationGoal), .share, basis: "k = 2; 3 % with a laboratory's sensor",
        obstacle: sensorLimit, absence: "no budget was made"))
    return goals
  }

  /// The greatest expanded uncertainty of acceleration, relative.
  private static let accelerationGoal = 0.05

  private var delayLimit: String? {
    let names = profile.uncertainty.lines.map(\.name)
    if names.contains(UncertaintyBudget.Line.unseenDrive) {
      return "the drive, which is not captured"
    }
    return names.contains(UncertaintyBudget.Line.unknownBandwidth)
      ? "the sensor's bandwidth, which is not given" : nil
  }

  /// The largest of the sensor's own lines of the budget, where all the others together keep the goal.
  private var sensorLimit: String? {
    let names: [String] = [
      UncertaintyBudget.Line.sensitivity, UncertaintyBudget.Line.noCertificate,
      UncertaintyBudget.Line.unknownBandwidth,
    ]
    let lines = profile.uncertainty.lines
    let others = UncertaintyBudget(lines: lines.filter { !names.contains($0.name) })
    let own = lines.filter { names.contains($0.name) }.max { $0.relative < $1.relative }
    guard let own, others.expanded <= Self.accelerationGoal else { return nil }
    return "\(own.name), \(Shown.percent(2 * own.relative, decimals: 1))"
  }
}
