// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
private import Glibc
import HapticRendering
import SignalAnalysis
import Units

/// What each haptic event of a pattern did by itself on a drive that makes tones of its own.
///
/// The drive's phase is its own, so there is no waveform to fit. With the ringing taken out (`ToneResponse`) the
/// strength of the response is that of the commands at each instant, and a command's power is shared among its events
/// as the waveform that it was made from is. One least squares with no gain below zero tells each event's gain and
/// delay; since a command's amplitude is the root of a sum, the shares are drawn anew at what was found.
struct ToneSeparation: CourseSeparation {
  var parts: [Int: SeparatedPart] = [:]
  var reasons: [Int: String] = [:]
  /// How the actuator answers, the delay being that of most events; `nil` where that could not be read.
  private(set) var response: ToneResponse?
  private(set) var refusal: String?

  /// The largest delay that is looked for, to either side, in seconds.
  static let reach = 0.025
  /// A round makes all of a change.
  static let boldness = 1.0
  static let evidence = "the strength of the response"
  /// The least gain that shares are drawn with: what is as good as none would have no share to fit.
  private static let leastGain = 0.03
  /// A gain that is as good as none.
  private static let nothing = 1e-3

  let alignment: TakeAlignment
  let samples: Samples
  let offset: Float
  let driven: Set<Int>
  private let shares: [DriveShares.Share]
  private let drive: ExpressibleDrive
  /// What is fitted: a frame each millisecond, from a drive frame on.
  let first: Int
  let step: Double
  private var asked: ToneCommands
  /// The strength of each event and of all at a gain of 1, as last drawn.
  var drawn = DrawnCourses()
  private(set) var whole: [Double] = []

  init(
    _ alignment: TakeAlignment, by drive: ExpressibleDrive, samples: Samples, noise: NoiseFloor
  ) {
    let take = alignment.take
    self.alignment = alignment
    self.drive = drive
    // A gap's zeros are far from rest where gravity is in the samples.
    let resting = samples.holding(Float(noise.offset.value), in: alignment.recording.gaps)
    self.samples = resting
    offset = Float(noise.offset.value)
    shares = DriveShares(take).shares
    driven = Set(shares.map(\.event))
    let rate = take.rate
    first = take.layout.pattern - rate.wholeFrames(0.05)
    step = rate.hertz / StrengthCourse.rate
    let room = alignment.electrical == nil ? TakeLayout.longestDelay : 0.06
    let last =
      shares.reduce(take.layout.pattern) { max($0, $1.frames.upperBound) }
      + rate.wholeFrames(room + 0.05)
    asked = ToneCommands(
      shares.map { ToneCommands.Source(share: $0) }, over: take.channels[.haptic] ?? [],
      from: take.layout.pattern, rate: rate, by: drive)
    let response: ToneResponse
    do throws(NotMeasured) {
      response = try ToneResponse(
        asked, alignment, resting, offset: noise.offset.value, over: first..<last)
    } catch {
      refusal = error.reason
      for event in driven { reasons[event] = error.reason }
      return
    }
    self.response = response
    let course = alignment.strength(
      of: resting, offset: noise.offset.value, over: first..<last, band: response.band,
      undoing: response.resonance)
    let measured = course.amplitudes.map { $0 / response.strength }
    // What is missing is seen as far as the band's filter and the undoing of the resonance reach.
    let width = StrengthCourse.rate * (StrengthCourse.width + 2 / response.band.lowerBound)
    separate(
      measured,
      gaps: gaps(
        count: measured.count, ringing: Int(response.delay.value * rate.hertz), width: width),
      slowest: course.least / response.strength, noise: course.noise / response.strength)
    settle()
  }

  mutating func draw(count: Int) {
    drawn.gains = drawn.found.mapValues { max($0.gain, Self.leastGain) }
    let commands =
      drawn.found.isEmpty
      ? asked
      : ToneCommands(
        shares.map { share in
          ToneCommands.Source(
            share: share, gain: drawn.gains[share.event] ?? 1,
            delay: wholeCommands(drawn.found[share.event]?.delay ?? 0))
        }, over: take.channels[.haptic] ?? [], from: take.layout.pattern, rate: take.rate, by: drive
      )
    let late = (response?.delay.value ?? 0) * take.rate.hertz
    let half = StrengthCourse.width / 2 * take.rate.hertz
    func place(_ index: Int) -> Double { Double(first) + Double(index) * step - late }
    var total = [Double](repeating: 0, count: count)
    drawn.courses = [:]
    // In the order of events: another order rounds in another way.
    for (event, powers) in commands.powers.sorted(by: { $0.key < $1.key }) {
      let own = ToneCommands.Course(powers.values, from: powers.first, width: commands.width)
      let delay = drawn.found[event]?.delay ?? 0
      let rest = delay * step - Double(wholeCommands(delay))
      let begin = Double(powers.first) * commands.width - half + late + rest
      let end = Double(powers.first + powers.values.count) * commands.width + half + late + rest
      let low = max(0, Int(((begin - Double(first)) / step).rounded(.down)))
      let high = min(count, Int(((end - Double(first)) / step).rounded(.up)) + 1)
      let shares = (low..<max(low, high)).map { own.mean(around: place($0) - rest, half: half) }
      for (index, share) in shares.enumerated() { total[low + index] += share }
      drawn.courses[event] = NonNegativeFit.Course(first: low, samples: shares)
    }
    // A command's amplitude is the root of a sum: an event has of it what it has of the sum.
    drawn.predicted = total.map { max(0, $0).squareRoot() }
    for (event, course) in drawn.courses {
      drawn.courses[event]?.samples = course.samples.enumerated().map { index, share in
        let level = drawn.predicted[course.first + index]
        return level > 1e-9 ? share / level : 0
      }
    }
  }

  /// A delay of the course as frames of whole commands: cut at another place, other commands would come of it.
  private func wholeCommands(_ delay: Double) -> Int {
    asked.frame(of: Int((delay * step / asked.width).rounded()))
  }

  private mutating func separate(
    _ measured: [Double], gaps: [Range<Int>], slowest: Double, noise: Double
  ) {
    draw(count: measured.count)
    let seen = visible(above: slowest)
    for event in driven where drawn.courses[event] == nil {
      reasons[event] = "the drive cannot express it and stays silent"
    }
    guard !seen.isEmpty else { return }
    // The noise of a frame is that of the frames that its power is averaged over.
    let white = noise * (StrengthCourse.width * StrengthCourse.rate).squareRoot()
    let (groups, result) = settled(seen, count: measured.count) { now, groups in
      var fit = NonNegativeFit(
        groups.map(now.drawn.course), reach: Self.reach * StrengthCourse.rate, noise: white,
        gaps: gaps)
      if now.drawn.found.isEmpty { fit.search(measured) }
      return fit.fit(measured)
    }
    whole = result.model
    // Nothing at all has no shape that a response could be drawn with.
    drawn.found = drawn.found.mapValues { (max($0.gain, Self.nothing), $0.delay) }
    let gains = zip(groups, result.parts).map { absolute($1.gain, $0) }
    conclude(groups, result, gains: gains, usual: Statistics.median(gains.map(\.value)))
  }

  static func misfit(_ percent: Int) -> String {
    "the drive's commands leave \(percent) % of the strength over"
  }

  /// A tone shows its strength however weak it is asked for.
  func blindness(to group: [Int]) -> String? { nil }

  /// A gain on top of what the courses were drawn with as one of what was asked.
  func absolute(_ gain: Estimate, _ group: [Int]) -> Estimate {
    let level = drawn.gains[group[0]] ?? 1
    // Nothing at all has no shape that a bound could be drawn with.
    return Estimate(max(Self.nothing, level * gain.value), uncertainty: level * gain.uncertainty)
  }

  var chain: Estimate { Estimate(response?.delay.value ?? 0, uncertainty: 0) }

  func doubt(
    _ fitted: NonNegativeFit.Part, _ gain: Estimate, of event: Int
  ) -> (delay: Double, gain: Estimate) {
    // What came at another time than asked was cut into commands at another place.
    let moved = abs(drawn.found[event]?.delay ?? 0) / StrengthCourse.rate
    let cut = min(moved, drive.updateInterval / 2) / 3.0.squareRoot()
    let fit = fitted.delay.uncertainty / StrengthCourse.rate
    // What came stronger or weaker was given another step of the drive's.
    let (top, steps) = (asked.powers[event]?.alone.max() ?? 0, drive.amplitudes)
    let above = steps.firstIndex { $0 > top } ?? steps.count - 1
    let coarse = (steps[above] - steps[max(0, above - 1)]) / max(top, 1e-9)
    let grain = min(abs(gain.value - 1), coarse / 2) / 3.0.squareRoot()
    return ((fit * fit + cut * cut).squareRoot(), gain.widened(by: grain))
  }

  /// The chain's delay: that of most events, by what their fit says and how they scatter.
  private mutating func settle() {
    guard var response else { return }
    let delays = parts.values.filter { $0.members.count == 1 }.compactMap(\.delay)
      .sorted { $0.value < $1.value }
    guard !delays.isEmpty else { return }
    let middle = Statistics.median(delays.map(\.value))
    let scatter = 1.4826 * Statistics.median(delays.map { abs($0.value - middle) })
    let own = Statistics.median(delays.map(\.uncertainty))
    // What was found stays where it is.
    for event in drawn.found.keys {
      drawn.found[event]?.delay -= (middle - response.delay.value) * StrengthCourse.rate
    }
    // Taps are alike, and so is what the commands do not say of their shape: half of it is common to all.
    let mean = 1.25 * max(scatter, own) / Double(delays.count).squareRoot()
    response.delay = Estimate(middle, uncertainty: (mean * mean + own * own / 4).squareRoot())
    self.response = response
  }

  /// What the event's own commands make of the actuator alone, at its gain and delay.
  func response(of event: Int) -> SeparatedResponse? {
    guard let response, let found = drawn.found[event], let powers = asked.powers[event],
      parts[event] != nil
    else { return nil }
    let rate = take.rate.hertz
    let begin = Double(asked.frame(of: powers.first))
    let late = alignment.electricalFrames(at: begin) + response.delay.value * rate
    let moved = begin + late + found.delay * step
    let start = Int(moved.rounded(.down)) - 2
    let tail = 7 * (response.resonance?.decayTime ?? 0) * rate
    let count = Int(Double(powers.alone.count) * asked.width + tail) + 4
    var strengths = [Double](repeating: 0, count: count)
    var turns = strengths
    var (turn, state, frequency) = (0.0, Complex(0), 0.0)
    for frame in 0..<count {
      let place = Int(((Double(start + frame) - moved) / asked.width).rounded(.down))
      let amplitude = powers.alone.indices.contains(place) ? powers.alone[place] : 0
      if amplitude > 0 { frequency = asked.tones[powers.first + place].frequency }
      let level = found.gain * response.strength * amplitude
      if let resonance = response.resonance {
        // One pole turns with the resonance; at a command's own frequency the response is the resonance's.
        let pole = Complex(-1 / resonance.decayTime, 2 * .pi * (resonance.frequency - frequency))
        let steady = Complex(1) / (Complex(0) - pole)
        let scale =
          level > 0 ? level * resonance.response(at: frequency).magnitude / steady.magnitude : 0
        let fade = exp(pole.real / rate) * Complex(angle: pole.imaginary / rate)
        state = fade * state + scale * (steady * (Complex(1) - fade))
      } else {
        state = Complex(level)
      }
      turn += frequency / rate
      turns[frame] = turn + state.angle / (2 * .pi)
      strengths[frame] = state.magnitude
    }
    return self.response(of: event, from: start, strengths: strengths, turns: turns)
  }
}
