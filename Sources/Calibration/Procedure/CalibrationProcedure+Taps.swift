private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// How often the taps' inverse is shaped.
  static let tapRounds = 2

  /// The taps that the inverse is shaped by: at and beside the resonance, strong and half as strong.
  private var shapingTaps: [(intensity: Double, sharpness: Double)] {
    let places = (0...20).map { Double($0) / 20 }
    let resonance = knowledge.limit?.frequency.value ?? 0
    let near =
      places.min {
        abs(log(subject.sharpness.frequency(of: $0) / max(1, resonance)))
          < abs(log(subject.sharpness.frequency(of: $1) / max(1, resonance)))
      } ?? 0.5
    return [(1, near), (0.6, near), (1, 0.3), (1, 0.8)]
  }

  /// Each tap with the three trials of the inverse.
  mutating func tapTrialDraft() -> SegmentDraft {
    let assembly = ModelAssembly(subject: subject, knowledge: knowledge)
    let trials = (knowledge.taps?.trials ?? []).compactMap { trial in
      var known = knowledge
      known.taps = TapRefinement(frequency: trial.frequency, q: trial.q)
      return ModelAssembly(subject: subject, knowledge: known).inverse
    }
    let target = IntensityTarget(
      law: subject.target.law, contour: subject.target.contour,
      referenceLevel: knowledge.referenceLevel, floorLevel: subject.target.floorLevel)
    let taps = shapingTaps.flatMap { place -> [TapPlan.Tap] in
      let frequency = subject.sharpness.frequency(of: place.sharpness)
      let asked = target.acceleration(intensity: place.intensity, frequency: frequency)
      let curve = assembly.inverse?.tapCurve(
        frequency: frequency, shape: tapShape, peakVolts: 0.9 * subject.peakVolts,
        rate: min(subject.rate.hertz, 8_000), travel: knowledge.travel?.metres ?? .infinity)
      let wanted = min(asked, curve?.ceiling ?? asked)
      return trials.map { inverse in
        TapPlan.Tap(
          intensity: place.intensity, sharpness: place.sharpness, frequency: frequency,
          amplitude: curve?.asked(for: wanted) ?? wanted, wanted: wanted, inverse: inverse)
      }
    }
    let plan = TapPlan(taps: taps, spacing: tapSpacing, shape: tapShape)
    return SegmentDraft(
      purpose: .taps, title: "\(taps.count) taps",
      volts: plan.volts(at: subject.rate, peak: subject.peakVolts), plan: .taps(plan))
  }

  /// How taps are drawn, here and when they are rendered.
  private var tapShape: TapShape { subject.limits.tapShape(length: TapPlan.length) }

  /// Room for a tap and what rings on.
  var tapSpacing: Double {
    TapPlan.length + max(0.1, settling(decayTimes: 5, atMost: 0.25))
  }

  /// Trials of the inverse: what of it leaves least of a tail.
  mutating func acceptTrials(
    _ capture: Capture, _ plan: TapPlan, round: Int
  ) -> SegmentVerdict {
    let output = BandPass(10...min(1_000, 0.4 * subject.rate.hertz)).apply(
      to: capture.output(along: knowledge.weights), rate: capture.rate)
    let delay = knowledge.limit?.delay.value ?? 0
    let tails = stride(from: 0, to: plan.taps.count - 2, by: 3).map { first in
      (first..<first + 3).map { index -> [Double] in
        let start = plan.start(of: index, rate: capture.rate)
        let end = start + capture.rate.wholeFrames(TapPlan.length + 0.001)
        let room = start + capture.rate.wholeFrames(tapSpacing - 0.01)
        let frames = capture.frames(of: end..<room, after: delay)
        // A thousand samples a second say all there is to say of the tail.
        let step = max(1, Int(capture.rate.hertz / 4_000))
        return stride(from: frames.lowerBound, to: frames.upperBound, by: step).map { output[$0] }
      }
    }
    let noise = max(knowledge.noise, 1e-3 * (plan.taps.map(\.wanted).max() ?? 0))
    knowledge.taps?.refine(tails: tails, noise: noise)
    let again = 2 * duration(of: .taps)
    let hasTime = hasTime(for: again, before: RigTimeStep.from(.grid))
    stage = round + 1 < Self.tapRounds && hasTime ? .taps(round + 1) : .grid(0)
    return .accepted
  }

  /// The taps that are verified, and those that are verified once more, beside them.
  private static let verifiedTaps: [[(intensity: Double, sharpness: Double)]] = [
    [(1, 0), (1, 0.3), (1, 0.6), (1, 1), (0.5, 0.6), (0.75, 0.45)],
    [(1, 0), (1, 0.25), (0.95, 0.55), (1, 0.9), (0.5, 0.65), (0.75, 0.4)],
  ]

  /// The taps that are verified, by the map that plays them.
  mutating func tapVerificationDraft(_ round: Int) -> SegmentDraft? {
    let assembly = OutcomeAssembly(subject: subject, knowledge: knowledge)
    guard let profile = assembly.profile else { return nil }
    let map = DriveMap(profile: profile, fullScaleVolts: subject.fullScaleVolts)
      .taps(length: TapPlan.length)
    let taps = Self.verifiedTaps[round].map { intensity, sharpness in
      let command = map.command(intensity: intensity, sharpness: sharpness)
      return TapPlan.Tap(
        intensity: intensity, sharpness: sharpness, frequency: command.frequency,
        amplitude: command.command, wanted: command.wanted, inverse: profile.feedForward,
        command: command)
    }
    let plan = TapPlan(taps: taps, spacing: max(0.2, tapSpacing), shape: tapShape)
    return SegmentDraft(
      purpose: .taps, title: "\(taps.count) taps to verify",
      volts: plan.volts(at: subject.rate, peak: subject.peakVolts), plan: .taps(plan))
  }

  /// The taps as they came out.
  mutating func acceptTaps(
    _ capture: Capture, _ plan: TapPlan, round: Int
  ) -> SegmentVerdict {
    let output = capture.output(along: knowledge.weights)
    let volts = plan.volts(at: capture.rate, peak: subject.peakVolts)
    let delay = knowledge.limit?.delay.value ?? knowledge.piezo?.delay.value ?? 0
    knowledge.tapReadings = plan.taps.indices.map { index in
      TapReading(
        plan, index, output: output, volts: volts, capture: capture, delay: delay,
        filter: subject.filter, noise: knowledge.noise)
    }
    let own = plan.spacing * Double(plan.taps.count) + RigTime.overhead
    if round == 0, let correction = tapCorrection,
      hasTime(for: 2 * own, before: [.pattern, .closing])
    {
      knowledge.tapCorrection = correction
      stage = .tapVerification(1)
      return .accepted
    }
    stage = hasTime(for: own, before: [.pattern, .closing]) ? .pattern : .closing
    return .accepted
  }

  /// What the verified taps are off by, turned round, frequency by frequency; nil where all are right.
  private var tapCorrection: ResponseCorrection? {
    var found: [Double: [Double]] = [:]
    for reading in knowledge.tapReadings {
      guard let error = reading.error else { continue }
      found[reading.tap.frequency, default: []].append(error)
    }
    let rows = found.sorted { $0.key < $1.key }.map { frequency, errors in
      (frequency, errors.reduce(0, +) / Double(errors.count))
    }
    guard rows.contains(where: { abs($0.1) > Self.allowedTapError }) else { return nil }
    // One level: what taps are off by hardly depends on it.
    return ResponseCorrection(
      frequencies: rows.map(\.0), levels: [0],
      decibels: rows.map { [-max(-Self.furthestTapError, min(Self.furthestTapError, $0.1))] })
  }

  /// The dB that stand, and those that are taken out at most.
  private static let allowedTapError = 0.25
  private static let furthestTapError = 2.0
}
