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
        frequency: frequency, length: TapPlan.length, peakVolts: 0.9 * subject.peakVolts,
        rate: min(subject.rate.hertz, 8_000))
      let wanted = min(asked, curve?.ceiling ?? asked)
      return trials.map { inverse in
        TapPlan.Tap(
          intensity: place.intensity, sharpness: place.sharpness, frequency: frequency,
          amplitude: curve?.asked(for: wanted) ?? wanted, wanted: wanted, inverse: inverse)
      }
    }
    let plan = TapPlan(taps: taps, spacing: tapSpacing)
    return SegmentDraft(
      purpose: .taps, title: "\(taps.count) taps",
      volts: plan.volts(at: subject.rate, peak: subject.peakVolts), plan: .taps(plan))
  }

  /// Room for a tap and what rings on.
  var tapSpacing: Double { TapPlan.length + max(0.1, min(0.4, settling(decayTimes: 5))) }

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
    stage = round + 1 < Self.tapRounds ? .taps(round + 1) : .grid(0)
    return .accepted
  }

  /// The taps that are verified, by the map that plays them.
  mutating func tapVerificationDraft() -> SegmentDraft? {
    let assembly = OutcomeAssembly(subject: subject, knowledge: knowledge)
    guard let profile = assembly.profile else { return nil }
    let map = DriveMap(profile: profile, fullScaleVolts: subject.fullScaleVolts)
      .taps(length: TapPlan.length)
    let places = [(1.0, 0.0), (1, 0.3), (1, 0.6), (1, 1), (0.5, 0.6), (0.75, 0.45)]
    let taps = places.map { intensity, sharpness in
      let command = map.command(intensity: intensity, sharpness: sharpness)
      return TapPlan.Tap(
        intensity: intensity, sharpness: sharpness, frequency: command.frequency,
        amplitude: command.command, wanted: command.wanted, inverse: profile.feedForward)
    }
    let plan = TapPlan(taps: taps, spacing: max(0.2, tapSpacing))
    return SegmentDraft(
      purpose: .taps, title: "\(taps.count) taps to verify",
      volts: plan.volts(at: subject.rate, peak: subject.peakVolts), plan: .taps(plan))
  }

  /// The taps as they came out.
  mutating func acceptTaps(_ capture: Capture, _ plan: TapPlan) -> SegmentVerdict {
    let output = capture.output(along: knowledge.weights)
    let volts = plan.volts(at: capture.rate, peak: subject.peakVolts)
    let delay = knowledge.limit?.delay.value ?? knowledge.piezo?.delay.value ?? 0
    knowledge.tapReadings = plan.taps.indices.map { index in
      TapReading(
        plan, index, output: output, volts: volts, capture: capture, delay: delay)
    }
    stage = .closing
    return .accepted
  }
}

/// What a tap did.
struct TapReading: Sendable, Equatable {
  let tap: TapPlan.Tap
  /// The envelope's peak between 20 and 1,000 Hz, in m/s2.
  let peak: Double
  /// From the intended end until the envelope stays 20 dB below its peak, in seconds; nil where noise
  /// hides it.
  let tail: Double?
  /// The pulse-to-ring ratio in dB.
  let pulseToRing: Double?
  /// Samples of the response and of the drive from the tap's beginning, in steps of `step` seconds.
  let measured: [Double]
  let volts: [Double]
  let step: Double

  init(
    _ plan: TapPlan, _ index: Int, output: [Float], volts: [Float], capture: Capture,
    delay: Double
  ) {
    tap = plan.taps[index]
    let rate = capture.rate
    let start = plan.start(of: index, rate: rate)
    let end = plan.start(of: index + 1, rate: rate)
    let frames = capture.frames(of: start..<end, after: delay)
    let room = max(0, frames.lowerBound - rate.wholeFrames(0.04))..<frames.upperBound
    let piece = Array(output[room.clamped(to: output.indices)])
    let begin = frames.lowerBound - room.lowerBound
    let quiet = 0..<min(capture.lead, output.count)
    // Noise is that of the lead; it is put before the tap, so that the ring of the one before is not it.
    let samples = Array(output[quiet]) + piece
    let offset = quiet.count
    let over = Double(offset + begin) + rate.frames(TapPlan.length)
    let metrics = ClickMetrics.measure(
      samples, frames: offset + begin..<samples.count, quiet: quiet, rate: rate, driveEnd: over,
      intendedEnd: over,
      onsetThreshold: min(0.785, 0.2 * tap.wanted))
    peak = metrics?.envelopePeak.value ?? 0
    tail = metrics?.tailTime
    pulseToRing = metrics?.pulseToRing
    let stride = max(1, Int(rate.hertz / 8_000))
    step = Double(stride) / rate.hertz
    let count = min(end - start, rate.wholeFrames(0.12)) / stride
    measured = (0..<count).map { frame in
      let place = frames.lowerBound + frame * stride
      return place < output.count ? Double(output[place]) : 0
    }
    self.volts = (0..<count).map { Double(volts[start + $0 * stride]) }
  }
}
