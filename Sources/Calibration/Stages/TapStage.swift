private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

/// A round of shaping the inverse by taps: each tap is played with the three trials of the inverse.
struct TapStage: CalibrationStage {
  let round: Int

  /// How often the inverse is shaped.
  private static let rounds = 2
  /// The share of the peak voltage that taps may ask for while they are shaped.
  private static let peakShare = 0.9
  /// The rate in hertz at which their shape is computed.
  private static let curveRate = 8_000.0
  /// The rate in hertz at which their tails are compared: it says all there is to say of them.
  private static let tailRate = 4_000.0
  /// Where a tail begins after a tap's end, and ends before the next one, in seconds.
  private static let tail = (after: 0.001, before: 0.01)
  /// The band of the tails in hertz, and the share of the rate that it may reach.
  private static let band = (low: 10.0, high: 1_000.0, rate: 0.4)
  /// The noise of a sample is no less than this share of the strongest tap.
  private static let leastNoise = 1e-3

  var outlook: StageOutlook {
    .init("shaping taps", segments: max(7, 8 - round), seconds: round == 0 ? 30 : 28)
  }

  /// The taps that the inverse is shaped by: at and beside the resonance, strong and half as strong.
  private func places(_ findings: Findings) -> [(intensity: Double, sharpness: Double)] {
    let sharpness = findings.subject.sharpness
    let near = sharpness.nearest(to: findings.resonance?.limit.frequency.value ?? 0, steps: 20)
    return [(1, near), (0.6, near), (1, 0.3), (1, 0.8)]
  }

  func draft(_ findings: inout Findings) -> SegmentDraft<TapPlan>? {
    let subject = findings.subject
    let shape = subject.tapShape
    let own = findings.inverse
    let trials = (findings.taps?.trials ?? []).compactMap { trial in
      var tried = findings
      tried.taps = TapRefinement(frequency: trial.frequency, q: trial.q)
      return tried.inverse
    }
    let target = IntensityTarget(
      law: subject.target.law, contour: subject.target.contour,
      referenceLevel: findings.referenceLevel, floorLevel: subject.target.floorLevel)
    let taps = places(findings).flatMap { place -> [TapPlan.Tap] in
      let frequency = subject.sharpness.frequency(of: place.sharpness)
      let asked = target.acceleration(intensity: place.intensity, frequency: frequency)
      let curve = own?.tapCurve(
        frequency: frequency, shape: shape, peakVolts: Self.peakShare * subject.peakVolts,
        rate: min(subject.rate.hertz, Self.curveRate),
        travel: findings.bounds.travel?.metres ?? .infinity)
      let wanted = min(asked, curve?.ceiling ?? asked)
      return trials.map { inverse in
        TapPlan.Tap(
          intensity: place.intensity, sharpness: place.sharpness, frequency: frequency,
          amplitude: curve?.asked(for: wanted) ?? wanted, wanted: wanted, inverse: inverse)
      }
    }
    let plan = TapPlan(taps: taps, spacing: findings.tapSpacing, shape: shape)
    return plan.draft("", subject)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: TapPlan, _ findings: inout Findings
  ) -> StageStep {
    let noise = max(
      findings.motion.noise, Self.leastNoise * (plan.taps.map(\.wanted).max() ?? 0))
    let tails = tails(answer.capture, plan, findings)
    findings.taps?.refine(tails: tails, noise: noise)
    let again = 2 * findings.duration(of: .taps)
    let hasTime = findings.hasTime(for: again, before: TimedStage.from(.grid))
    return .next(
      round + 1 < Self.rounds && hasTime ? TapStage(round: round + 1) : GridStage(findings))
  }

  private func tails(
    _ capture: Capture, _ plan: TapPlan, _ findings: Findings
  ) -> [[[Double]]] {
    let high = min(Self.band.high, Self.band.rate * findings.subject.rate.hertz)
    let output = BandPass(Self.band.low...high).apply(
      to: capture.output(along: findings.motion.weights), rate: capture.rate)
    let delay = findings.resonance?.limit.delay.value ?? 0
    return Swift.stride(from: 0, to: plan.taps.count - 2, by: 3).map { first in
      (first..<first + 3).map { index -> [Double] in
        let start = plan.start(of: index, rate: capture.rate)
        let end = start + capture.rate.wholeFrames(TapPlan.length + Self.tail.after)
        let room = start + capture.rate.wholeFrames(plan.spacing - Self.tail.before)
        let frames = capture.frames(of: end..<room, after: delay)
        let step = max(1, Int(capture.rate.hertz / Self.tailRate))
        return Swift.stride(from: frames.lowerBound, to: frames.upperBound, by: step).map {
          output[$0]
        }
      }
    }
  }
}

extension TapPlan {
  func draft(_ title: String, _ subject: CalibrationSubject) -> SegmentDraft<TapPlan> {
    SegmentDraft(
      purpose: .taps, title: "\(taps.count) taps\(title)",
      volts: volts(at: subject.rate, peak: subject.peakVolts), plan: self)
  }
}

extension CalibrationSubject {
  var tapShape: TapShape { limits.tapShape(length: TapPlan.length) }
}

extension SharpnessLaw {
  /// The sharpness whose frequency is nearest to one in hertz, of evenly spaced ones.
  func nearest(to frequency: Double, steps: Int) -> Double {
    func distance(_ sharpness: Double) -> Double {
      abs(log(self.frequency(of: sharpness) / max(1, frequency)))
    }
    return (0...steps).map { Double($0) / Double(steps) }.min { distance($0) < distance($1) }
      ?? 0.5
  }
}

extension Findings {
  /// How many times the highest frequency that is asked for a resonance may lie for taps to tell of the inverse.
  private static let tellingTaps = 2.0

  /// Whether taps tell anything of the inverse: not where the resonance is far above all of them.
  var hasTapsToShape: Bool {
    guard let f0 = resonance?.limit.frequency.value else { return false }
    let ends = [subject.sharpness.frequency(of: 0), subject.sharpness.frequency(of: 1)]
    return f0 < Self.tellingTaps * (ends.max() ?? f0)
  }
}
