// SPDX-License-Identifier: Apache-2.0

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
struct MotorSeparation: CourseSeparation {
  var parts: [Int: SeparatedPart] = [:]
  var reasons: [Int: String] = [:]

  /// The largest delay that is looked for, to either side, in seconds; as for linear actuators.
  static let reach = 0.010
  /// So many events or groups tell how their delays scatter.
  private static let leastTold = 5
  /// By how much more than a fit says its gains and delays are off on plants with friction and drag, at most.
  private static let unlike = 2.0
  /// The standard deviation of a normal distribution over the median of its size.
  private static let wide = 1.4826
  /// A gain of the speed that is as good as none.
  private static let leastGain = 1e-3
  /// The least share of its speed alone that an event is drawn with: what is as good as none has nothing to fit.
  private static let leastDrawn = 0.2
  /// How much of a change a round makes: with friction a voltage's speed changes by more than the voltage.
  static let boldness = 0.7
  static let evidence = "the motor's speed"
  /// After so many time constants a speed has run out.
  private static let timeConstants = 5.0

  let alignment: TakeAlignment
  private let motor: MotorResponse
  let samples: Samples
  let offset: Float
  let driven: Set<Int>
  /// Each event's voltage, a value each millisecond from a place on.
  private let volts: [Int: (place: Int, values: [Double])]
  /// By how much more unsure than the fit says all is.
  private var scatter = 1.0
  /// The least gains that speeds are drawn with: friction leaves nothing of less.
  private var floors: [Int: Double] = [:]
  /// Each event's speed among all others, as last drawn, in turns a second.
  var drawn = DrawnCourses()
  /// The highest speed that each event alone turns the rotor at, as the pattern asks.
  private var tops: [Int: Double] = [:]
  /// The events that alone turn the rotor where they do, as the pattern asks.
  private var leading: Set<Int> = []
  let first: Int
  let step: Double

  init?(
    _ alignment: TakeAlignment, samples: Samples, noise: NoiseFloor
  ) {
    let take = alignment.take
    guard let motor = alignment.motor, alignment.electrical != nil else { return nil }
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
    let last = shares.reduce(take.layout.pattern) { max($0, $1.frames.upperBound) } + tail
    let course = alignment.strength(of: samples, offset: noise.offset.value, over: first..<last)
    step = course.step
    let measured = course.amplitudes.map { ($0 / motor.strength).squareRoot() }
    volts = Self.volts(
      shares, unit: alignment.driveVolts, first: first, step: step, count: measured.count)
    for event in volts.keys {
      tops[event] = top(event, gain: 1)
      floors[event] = floor(of: event)
    }
    draw(count: measured.count)
    leading = Set(volts.keys.filter { isLeading($0) })
    let gaps = gaps(
      count: measured.count, ringing: tail, width: StrengthCourse.width * StrengthCourse.rate)
    separate(measured, gaps: gaps, slowest: (course.least / motor.strength).squareRoot())
  }

  /// The voltage of each share of the drive, averaged over a millisecond.
  private static func volts(
    _ shares: [DriveShares.Share], unit: Double, first: Int, step: Double, count: Int
  ) -> [Int: (place: Int, values: [Double])] {
    var volts: [Int: (place: Int, values: [Double])] = [:]
    for share in shares {
      let place = max(0, Int((Double(share.first - first) / step).rounded(.down)))
      let end = Int((Double(share.first - first + share.samples.count) / step).rounded(.up)) + 1
      let values = (place..<max(place, min(end, count))).map { index -> Double in
        let from = first + Int((Double(index) - 0.5) * step) - share.first
        let to = first + Int((Double(index) + 0.5) * step) - share.first
        let sum = (from..<max(from, to)).clamped(to: share.samples.indices)
          .reduce(0.0) { $0 + Double(share.samples[$1]) }
        return unit * sum / step
      }
      volts[share.event] = (place, values)
    }
    return volts
  }

  private var tail: Int {
    Int(Self.timeConstants * motor.motion.time * StrengthCourse.rate)
  }

  /// The voltage of an event at a gain, moved by a delay in milliseconds.
  private func voltage(of event: Int, gain: Double, delay: Double) -> (place: Int, values: [Double])
  {
    guard let (place, values) = volts[event] else { return (0, []) }
    let (whole, late) = values.delayed(by: delay)
    return (place + whole, late.map { gain * $0 })
  }

  /// A course of speeds as it is measured: averaged as the power is, and as late as the motor.
  private func seen(_ speeds: [Double], from place: Int) -> NonNegativeFit.Course {
    let smooth = Smoothing.mean(speeds, width: Int(StrengthCourse.width * StrengthCourse.rate))
    let (whole, late) = smooth.delayed(by: motor.lag * StrengthCourse.rate)
    return NonNegativeFit.Course(first: place + whole, samples: late)
  }

  /// Draws what each event turns the rotor at among all others, at what was found of all so far.
  mutating func draw(count: Int) {
    drawn.gains = [:]
    for (event, part) in drawn.found { drawn.gains[event] = max(part.gain, floors[event] ?? 0) }
    var whole = [Double](repeating: 0, count: count + 1)
    var moved: [(event: Int, place: Int, values: [Double])] = []
    // In the order of events: another order rounds in another way.
    for event in volts.keys.sorted() {
      let own = voltage(
        of: event, gain: drawn.gains[event] ?? 1, delay: drawn.found[event]?.delay ?? 0)
      for (index, value) in own.values.enumerated() where whole.indices.contains(own.place + index)
      {
        whole[own.place + index] += value
      }
      moved.append((event, own.place, own.values))
    }
    let (all, kept) = motor.motion.run(whole, rate: StrengthCourse.rate)
    drawn.predicted = [Double](repeating: 0, count: count)
    let sum = seen(all, from: 0)
    for (index, value) in sum.samples.enumerated()
    where drawn.predicted.indices.contains(sum.first + index) {
      drawn.predicted[sum.first + index] = value
    }
    for (event, place, values) in moved {
      drawn.courses[event] = seen(
        motor.motion.share(
          of: values, from: place, kept: kept, rate: StrengthCourse.rate, tail: tail),
        from: place)
    }
  }

  private func alone(_ event: Int, gain: Double) -> [Double] {
    let own = voltage(of: event, gain: gain, delay: 0).values
    return motor.motion.run(own + [Double](repeating: 0, count: tail), rate: StrengthCourse.rate)
      .speeds
  }

  private func top(_ event: Int, gain: Double) -> Double {
    alone(event, gain: gain).reduce(0) { max($0, $1) }
  }

  private func floor(of event: Int) -> Double {
    let whole = tops[event] ?? 0
    return Statistics.bisect(0...1, rounds: 8) {
      !(top(event, gain: $0) < Self.leastDrawn * whole)
    }.high
  }

  private mutating func separate(_ measured: [Double], gaps: [Range<Int>], slowest: Double) {
    let seen = visible(above: slowest)
    guard !seen.isEmpty else { return }
    let (groups, result) = settled(seen, count: measured.count) { now, groups in
      var fit = NonNegativeFit(
        groups.map(now.drawn.course), reach: Self.reach * StrengthCourse.rate,
        noise: 0.1 * slowest, gaps: gaps,
        weights: zip(measured, now.drawn.predicted).map { MotorResponse.weight(max($0, $1)) })
      return fit.fit(measured)
    }
    let gains = zip(groups, result.parts).map { absolute($1.gain, $0) }
    scatter = scatter(groups, result, gains)
    conclude(
      groups, result,
      gains: zip(groups, gains).map { group, gain in
        if let most = stillness(group, measured, slowest: slowest) {
          return Estimate(Self.leastGain * Self.leastGain, uncertainty: most * most / 2)
        }
        return Estimate(gain.value, uncertainty: gain.uncertainty * scatter)
      }, usual: Statistics.median(gains.map(\.value)))
  }

  static func misfit(_ percent: Int) -> String {
    "the probe's motor leaves \(percent) % of the speed over"
  }

  /// A gain of what was drawn as one of the acceleration that the event makes alone.
  func absolute(_ gain: Estimate, _ group: [Int]) -> Estimate {
    let event = group[0]
    let level = drawn.gains[event] ?? 1
    let top = tops[event] ?? 0
    guard top > 0 else {
      let value = level * gain.value
      return Estimate(value * value, uncertainty: 2 * value * level * gain.uncertainty)
    }
    // Near what was drawn a speed and its gain go together; further away friction has its say in the drawing.
    let made = self.top(event, gain: level) / top
    let (now, more) = (made * gain.value, made * (gain.value + gain.uncertainty))
    return Estimate(
      max(Self.leastGain * Self.leastGain, now * now), uncertainty: more * more - now * now)
  }

  /// A group by itself has to turn the rotor fast enough for one axis to show how strong it is.
  ///
  /// Of one that nothing overlaps half of that is enough to see whether anything came.
  func blindness(to group: [Int]) -> String? {
    let isTold = group.contains { event in
      (tops[event] ?? 0) > MotorResponse.slowestTold / (leading.contains(event) ? 2 : 1)
    }
    return isTold
      ? nil : "its drive turns the rotor too slowly for one axis to show whether it does"
  }

  /// By how much more than the fit says the delays of the take's events scatter.
  ///
  /// One chain has one delay. A fit swallows errors of its model in its parameters, where what is left over does not
  /// show them.
  private func scatter(
    _ groups: [[Int]], _ result: NonNegativeFit.Result, _ gains: [Estimate]
  ) -> Double {
    let told = groups.indices.filter {
      result.parts[$0].delay.uncertainty.isFinite && !SeparatedPart.isDropped(gains[$0])
    }
    guard told.count >= Self.leastTold else { return Self.unlike }
    let delays = told.map { drawn.found[groups[$0][0]]?.delay ?? 0 }
    let middle = Statistics.median(delays)
    let off = zip(delays, told).map {
      abs($0 - middle) / max(result.parts[$1].delay.uncertainty, 1e-9)
    }
    return min(Self.unlike, max(1, Self.wide * Statistics.median(off)))
  }

  /// What a group did at most, as a share of the speed, where the rotor was seen to stand still all along.
  private func stillness(_ group: [Int], _ measured: [Double], slowest: Double) -> Double? {
    let course = drawn.course(of: group)
    let frames = course.frames.clamped(to: measured.indices)
    let top = group.reduce(0) { max($0, tops[$1] ?? 0) }
    guard top > slowest, measured[frames].allSatisfy({ $0 == 0 }) else { return nil }
    return slowest / top
  }

  func doubt(
    _ fitted: NonNegativeFit.Part, _ gain: Estimate, of event: Int
  ) -> (delay: Double, gain: Estimate) {
    (scatter * fitted.delay.uncertainty / StrengthCourse.rate, gain)
  }

  var chain: Estimate { motor.delay }
  var whole: [Double] { drawn.predicted }

  func response(of event: Int) -> SeparatedResponse? {
    guard let found = drawn.found[event], let gain = parts[event]?.gain.value,
      let own = volts[event]
    else { return nil }
    // Its own shape, as high as it was found to be.
    let plain = alone(event, gain: 1)
    let shape = alone(event, gain: found.gain)
    let (top, highest) = (plain.reduce(0) { max($0, $1) }, shape.reduce(0) { max($0, $1) })
    let factor = gain.squareRoot() * top / max(highest, 1e-12)
    let speed = seen(
      highest > 0.01 * top ? shape.map { factor * $0 } : plain.map { gain.squareRoot() * $0 },
      from: own.place)
    let rate = take.rate.hertz
    let begin = Double(self.first) + (Double(speed.first) + min(0, found.delay) - 2) * step
    let start = Int((begin + alignment.electricalFrames(at: begin)).rounded(.down))
    let late = Double(start) - alignment.electricalFrames(at: begin)
    let count = Int((Double(speed.samples.count) + abs(found.delay) + 4) * step)
    var strengths = [Double](repeating: 0, count: count)
    var phases = strengths
    var phase = 0.0
    for frame in 0..<count {
      let place =
        (late + Double(frame) - Double(self.first)) / step - Double(speed.first) - found.delay
      let turns = speed.samples.value(at: place)
      phase += turns / rate
      phases[frame] = phase
      strengths[frame] = motor.strength * turns * turns
    }
    return response(of: event, from: start, strengths: strengths, turns: phases)
  }
}
