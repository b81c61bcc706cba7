import Acceptance
import Devices
private import Glibc
import HapticRendering
import SignalAnalysis
import Units

/// What each haptic event of a pattern did by itself on a motor with an eccentric mass.
///
/// The rotor's phase is its own, so there is no waveform to fit; but its speed adds up: it follows the sum of the
/// drives with one time constant, so it is the sum of what each event's share of the drive would turn it at alone. The
/// speed is the root of the felt band's amplitude. One least squares with no gain below zero tells each event's gain
/// and, coarsely, its delay. What an event is told to have done is the acceleration of its own share of the speed.
struct MotorSeparation: SeparatedEvents {
  private(set) var parts: [Int: SeparatedPart] = [:]
  private(set) var reasons: [Int: String] = [:]

  /// The largest delay that is looked for, to either side, in seconds; as for linear actuators.
  private static let reach = 0.010
  /// Above this share of the speed the model does not describe what the motor does.
  private static let largestMisfit = 0.5
  /// An acceleration less sure than this is joined with a neighbour's, as a share: 1 dB.
  private static let vaguestGain = 0.12
  /// Friction and drag are in no motor's model: on one that has both, what is said of the gains is off by so many
  /// times more than the fit says.
  private static let unlike = 2.2
  /// A gain of the speed that is as good as none.
  private static let leastGain = 1e-3
  /// A delay less sure than this is none, in seconds.
  private static let vaguestDelay = 5e-3
  /// A rotor slower than this, in turns a second, shows one axis no strength but single crests: what it is read
  /// as there counts for less.
  private static let slowestTold = 25.0
  /// How often events are joined and fitted again.
  private static let mostRounds = 8
  /// After so many time constants a speed has run out.
  private static let timeConstants = 5.0
  /// An event that makes less than this share of the speed while it drives has no frequency of its own.
  private static let leastShare = 0.9

  private let take: TakeDrive
  private let alignment: TakeAlignment
  private let motor: MotorResponse
  private let samples: [Float]
  private let offset: Float
  private let driven: Set<Int>
  /// Each event's speed at a gain of 1, in turns a second.
  private var speeds: [Int: NonNegativeFit.Course] = [:]
  private var found: [Int: (gain: Double, delay: Double)] = [:]
  private var whole: [Double] = []
  /// What all events turn the rotor at, at gains of 1.
  private var predicted: [Double] = []
  private let first: Int
  private let step: Double

  /// Fits every haptic event of a take; nothing without a motor that was read, or a line to its drive.
  init?(
    _ take: TakeDrive, rig: RigDescription, recording: Recording, alignment: TakeAlignment,
    samples: [Float], noise: NoiseFloor
  ) {
    guard let motor = alignment.motor, alignment.electrical != nil else { return nil }
    self.take = take
    self.alignment = alignment
    self.motor = motor
    self.samples = samples
    offset = Float(noise.offset.value)
    let shares = DriveShares(take).shares
    driven = Set(shares.map(\.event))
    let rate = take.rate.hertz
    let room = Int(0.05 * rate)
    first = take.layout.pattern - room
    let tail = Int((Self.timeConstants * motor.spinUp.value + Self.reach) * rate)
    let last = shares.reduce(take.layout.pattern) { max($0, $1.first + $1.samples.count) } + tail
    let quiet = take.quietFrames
    let course = StrengthCourse(
      samples, offset: noise.offset.value, over: first..<last, rate: take.rate, quiet: quiet,
      delay: { alignment.electricalFrames(at: $0) })
    step = course.step
    let measured = course.amplitudes.map { ($0 / motor.strength).squareRoot() }
    speeds = Self.speeds(
      shares, volts: alignment.referenceGain ?? rig.drive.fullScaleVolts, first: first, step: step,
      count: measured.count, motor: motor)
    predicted = [Double](repeating: 0, count: measured.count)
    // In the order of events: another order rounds in another way.
    for (_, speed) in speeds.sorted(by: { $0.key < $1.key }) {
      for (index, value) in speed.samples.enumerated()
      where predicted.indices.contains(speed.first + index) {
        predicted[speed.first + index] += value
      }
    }
    let (start, step, width) = (
      Double(first), step, StrengthCourse.width * StrengthCourse.rate
    )
    let gaps = recording.untold(
      alignment, drive: take.channels[.haptic] ?? [], ringing: tail,
      until: start + Double(measured.count + 1) * step
    ).map { stretch in
      let low = Int(((stretch.from - start) / step - width).rounded(.down))
      let end = Int(((stretch.until - start) / step + width).rounded(.up))
      return (low..<max(low, end)).clamped(to: measured.indices)
    }.filter { !$0.isEmpty }
    separate(measured, gaps: gaps, slowest: (course.least / motor.strength).squareRoot())
  }

  /// What each share of the drive would turn the rotor at, alone.
  ///
  /// Speed goes with the voltage by the motor's curve; what the curve makes of the sum is shared as the voltage is.
  private static func speeds(
    _ shares: [DriveShares.Share], volts: Double, first: Int, step: Double, count: Int,
    motor: MotorResponse
  ) -> [Int: NonNegativeFit.Course] {
    var total = [Double](repeating: 0, count: count + 1)
    let means = shares.map { share -> (place: Int, values: [Double]) in
      let place = max(0, Int((Double(share.first - first) / step).rounded(.down)))
      let end = Int((Double(share.first - first + share.samples.count) / step).rounded(.up)) + 1
      let values = (place..<max(place, min(end, count))).map { index -> Double in
        let from = first + Int((Double(index) - 0.5) * step) - share.first
        let to = first + Int((Double(index) + 0.5) * step) - share.first
        let sum = (from..<max(from, to)).clamped(to: share.samples.indices)
          .reduce(0.0) { $0 + Double(share.samples[$1]) }
        return volts * sum / step
      }
      for (index, value) in values.enumerated() { total[place + index] += value }
      return (place, values)
    }
    let slopes = total.map { abs($0) > 1e-6 ? motor.speed(at: $0) / $0 : 0 }
    let lag = -expm1(-1 / (motor.spinUp.value * StrengthCourse.rate))
    let late = motor.delay.value * StrengthCourse.rate
    let tail = Int(timeConstants * motor.spinUp.value * StrengthCourse.rate)
    var speeds: [Int: NonNegativeFit.Course] = [:]
    for (share, mean) in zip(shares, means) {
      var speed = 0.0
      var before = 0.0
      var values: [Double] = []
      for index in 0..<(mean.values.count + tail) {
        let asked =
          index < mean.values.count ? mean.values[index] * slopes[mean.place + index] : 0
        speed += (0.5 * (asked + before) - speed) * lag
        before = asked
        values.append(speed)
      }
      // The same average as the measured power has.
      let smooth = Smoothing.mean(
        values, width: Int(StrengthCourse.width * StrengthCourse.rate))
      let base = late.rounded(.down)
      let part = late - base
      let moved = (0...smooth.count).map { index in
        (index < smooth.count ? (1 - part) * smooth[index] : 0)
          + (index > 0 ? part * smooth[index - 1] : 0)
      }
      speeds[share.event] = NonNegativeFit.Course(
        first: mean.place + Int(base), samples: moved)
    }
    return speeds
  }

  private mutating func separate(_ measured: [Double], gaps: [Range<Int>], slowest: Double) {
    var groups: [[Int]] = []
    for event in speeds.keys.sorted() {
      if isBelow(slowest, event) {
        reasons[event] = "no signal above the noise: its drive is too weak for this sensor"
      } else {
        groups.append([event])
      }
    }
    guard !groups.isEmpty else { return }
    for round in 0..<Self.mostRounds {
      var fit = NonNegativeFit(
        groups.map(course), reach: Self.reach * StrengthCourse.rate, noise: 0.1 * slowest,
        gaps: gaps,
        weights: zip(measured, predicted).map {
          let speed = max($0, $1)
          return speed / (speed * speed + Self.slowestTold * Self.slowestTold).squareRoot()
        })
      let result = fit.fit(measured)
      let joined = round + 1 < Self.mostRounds ? join(groups, result) : groups
      guard joined.count < groups.count else {
        conclude(groups, result, measured, slowest: slowest)
        return
      }
      groups = joined
    }
  }

  /// Whether neither an event nor what overlaps it is predicted to be seen.
  private func isBelow(_ slowest: Double, _ event: Int) -> Bool {
    guard let speed = speeds[event] else { return true }
    let frames = (speed.first..<(speed.first + speed.samples.count)).clamped(to: predicted.indices)
    return !predicted[frames].contains { $0 >= slowest }
  }

  /// What the events of a group turn the rotor at together.
  private func course(of group: [Int]) -> NonNegativeFit.Course {
    let members = group.compactMap { speeds[$0] }
    let first = members.map(\.first).min() ?? 0
    let end = members.map { $0.first + $0.samples.count }.max() ?? 0
    var values = [Double](repeating: 0, count: max(0, end - first))
    for member in members {
      for (index, value) in member.samples.enumerated() {
        values[member.first - first + index] += value
      }
    }
    return NonNegativeFit.Course(first: first, samples: values)
  }

  private func join(_ groups: [[Int]], _ result: NonNegativeFit.Result) -> [[Int]] {
    var pairs: [(Int, Int)] = []
    for (index, part) in result.parts.enumerated() {
      let gain = Self.acceleration(part.gain)
      guard let partner = part.partner, !SeparatedPart.isDropped(gain),
        gain.uncertainty > Self.vaguestGain * max(gain.value, 0.5)
      else { continue }
      pairs.append((index, partner))
    }
    return EventGroups.joined(groups, by: pairs)
  }

  /// A gain of the speed as one of the acceleration, which goes with its square.
  private static func acceleration(_ gain: Estimate) -> Estimate {
    let (value, spread) = (gain.value, gain.uncertainty)
    return Estimate(value * value, uncertainty: 2 * value * spread + spread * spread)
  }

  private mutating func conclude(
    _ groups: [[Int]], _ result: NonNegativeFit.Result, _ measured: [Double], slowest: Double
  ) {
    whole = result.model
    guard result.misfit <= Self.largestMisfit else {
      let share = Int((100 * result.misfit).rounded())
      for event in speeds.keys where reasons[event] == nil {
        reasons[event] = "the probe's motor leaves \(share) % of the speed over"
      }
      return
    }
    for (group, part) in zip(groups, result.parts) {
      var part = part
      if let most = stillness(group, measured, slowest: slowest) {
        part.gain = Estimate(0, uncertainty: most / 2)
      }
      // Nothing at all has no shape that a bound could be drawn with.
      part.gain.value = max(part.gain.value, Self.leastGain)
      for event in group {
        guard part.gain.uncertainty.isFinite else {
          reasons[event] = "the joint fit does not settle"
          continue
        }
        found[event] = (part.gain.value, part.delay.value)
        parts[event] = self.part(part, of: event, members: group)
      }
    }
  }

  /// What a group did at most, as a share of the speed, where the rotor was seen to stand still all along.
  private func stillness(_ group: [Int], _ measured: [Double], slowest: Double) -> Double? {
    let course = course(of: group)
    let frames = (course.first..<(course.first + course.samples.count)).clamped(
      to: measured.indices)
    let top = course.samples.reduce(0) { max($0, $1) }
    guard top > slowest, measured[frames].allSatisfy({ $0 == 0 }) else { return nil }
    return slowest / top
  }

  private func part(
    _ found: NonNegativeFit.Part, of event: Int, members: [Int]
  ) -> SeparatedPart {
    var gain = Self.acceleration(found.gain)
    gain.uncertainty *= Self.unlike
    let own = found.delay.uncertainty / StrengthCourse.rate
    let chain = motor.delay.uncertainty
    let delay = Estimate(
      motor.delay.value + found.delay.value / StrengthCourse.rate,
      uncertainty: (own * own + chain * chain).squareRoot())
    let reason: String? =
      if SeparatedPart.isDropped(gain) {
        Reading.droppedNote
      } else if own > Self.vaguestDelay {
        "its delay cannot be told from the motor's speed with any certainty"
      } else {
        nil
      }
    return SeparatedPart(
      delay: reason == nil ? delay : nil, delayReason: reason, gain: gain,
      members: members.sorted(), misfit: found.misfit,
      frameCount: speeds[event]?.samples.count ?? 0)
  }

  func isDriven(_ event: Int) -> Bool { driven.contains(event) }

  // A speed without a phase tells no response beside those that were asked for.
  func strays() -> [Double]? { nil }
  func traces() -> (first: Int, factor: Int, model: [Double], rest: [Double])? { nil }

  /// The acceleration that the event's share of the speed makes alone.
  ///
  /// The rotor's phase is not told: a crest is put where the acceleration is highest. `measured` is what the sensor
  /// saw, where the rotor turns for this event, and nothing where it turns for others.
  func response(of event: Int) -> SeparatedResponse? {
    guard let speed = speeds[event], let found = found[event] else { return nil }
    let rate = take.rate.hertz
    let begin = Double(self.first) + (Double(speed.first) + min(0, found.delay) - 2) * step
    let start = Int((begin + alignment.electricalFrames(at: begin)).rounded(.down))
    let late = Double(start) - alignment.electricalFrames(at: begin)
    let count = Int((Double(speed.samples.count) + abs(found.delay) + 4) * step)
    var strengths = [Double](repeating: 0, count: count)
    var phases = strengths
    var (phase, top) = (0.0, 0)
    for frame in 0..<count {
      let place =
        (late + Double(frame) - Double(self.first)) / step - Double(speed.first) - found.delay
      let base = Int(place.rounded(.down))
      let part = place - Double(base)
      func at(_ index: Int) -> Double {
        speed.samples.indices.contains(index) ? speed.samples[index] : 0
      }
      let turns = found.gain * ((1 - part) * at(base) + part * at(base + 1))
      phase += turns / rate
      phases[frame] = phase
      strengths[frame] = motor.strength * turns * turns
      if strengths[frame] > strengths[top] { top = frame }
    }
    let crest = phases.isEmpty ? 0 : phases[top]
    let fitted = strengths.indices.map { strengths[$0] * cos(2 * .pi * (phases[$0] - crest)) }
    return SeparatedResponse(
      first: start, fitted: fitted,
      measured: isLeading(event, gain: found.gain)
        ? fitted.indices.map { index in
          let frame = start + index
          return samples.indices.contains(frame) ? Double(samples[frame] - offset) : 0
        } : [Double](repeating: 0, count: count),
      strength: strengths)
  }

  /// Whether the rotor turns for one event alone where that turns it.
  private func isLeading(_ event: Int, gain: Double) -> Bool {
    guard let speed = speeds[event] else { return false }
    var (own, all) = (0.0, 0.0)
    for (index, value) in speed.samples.enumerated()
    where whole.indices.contains(speed.first + index) {
      own += value * gain * value
      all += value * whole[speed.first + index]
    }
    return own > Self.leastShare * all
  }
}
