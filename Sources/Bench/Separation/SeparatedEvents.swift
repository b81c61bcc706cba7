// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
private import Glibc
import SignalAnalysis
import Units

/// What each haptic event of a take did by itself, told from all others: of a linear actuator by its waveform
/// (`EventSeparation`), of a motor by its speed (`MotorSeparation`).
protocol SeparatedEvents: Sendable {
  var parts: [Int: SeparatedPart] { get }
  var reasons: [Int: String] { get }
  func isDriven(_ event: Int) -> Bool
  func response(of event: Int) -> SeparatedResponse?
  /// When the actuator answered something that no event asked for, in seconds of the pattern; `nil` where the fit
  /// cannot tell.
  func strays() -> [Double]?
  /// What the fit says of the response, and what it leaves over, from a drive frame on, one value each `factor` frames;
  /// `nil` where it is not of samples.
  func traces() -> (first: Int, factor: Int, model: [Double], rest: [Double])?
}

struct SeparatedPart {
  /// The pure delay of this event's response after the reference, in seconds of the capture, the sensor's
  /// included; `nil` where two delays explain it, or nothing came.
  let delay: Estimate?
  let delayReason: String?
  let gain: Estimate
  let members: [Int]
  /// What prediction and response differ by around it, as a share of the amplitude.
  let misfit: Double
  let frameCount: Int

  /// Where the gain is surely below this, nothing came of an event: 10 dB less than its drive asks for.
  static let dropped = 0.3
  static func isDropped(_ gain: Estimate) -> Bool { gain.value + 2 * gain.uncertainty < dropped }
  var isDropped: Bool { Self.isDropped(gain) }

  /// Keeps the delay unless nothing came, or there is a reason against it.
  init(
    delay: Estimate, unless reason: String?, gain: Estimate, members: [Int], misfit: Double,
    frameCount: Int
  ) {
    delayReason = Self.isDropped(gain) ? Reading.droppedNote : reason
    self.delay = delayReason == nil ? delay : nil
    self.gain = gain
    self.members = members.sorted()
    self.misfit = misfit
    self.frameCount = frameCount
  }

  var groupNote: String? {
    guard members.count > 1 else { return nil }
    return "scored as one with events \(members.map(String.init).joined(separator: ", ")), "
      + "which cannot be told apart"
  }
}

struct SeparatedResponse {
  let first: Int
  /// As the fit has it: without noise and offset.
  let fitted: [Double]
  /// The same with its share of what the fit left over, noise included.
  let measured: [Double]
  /// The course of its crests, where the carrier's phase is not the drive's.
  var strength: [Double]? = nil

  /// Of samples at a rate one in so many is enough: what moves lies below a kilohertz.
  static func step(at rate: SampleRate) -> Int { max(1, Int(rate.hertz / 24_000)) }

  /// The height of the response's highest crest in some of its frames; `nil` where there is none.
  ///
  /// The fitted response says which crest that is, so that noise cannot choose one that it lifts; how high it
  /// is the measured samples say, from one zero to the next: a = sum(m f) / sum(f^2) times the fitted
  /// height. With white noise of standard deviation s a frame, its own is s h / sqrt(sum(f^2)).
  func crest(within frames: Range<Int>, noise: Double) -> Estimate? {
    let frames = frames.clamped(to: fitted.indices)
    guard let top = frames.max(by: { abs(fitted[$0]) < abs(fitted[$1]) }), fitted[top] != 0 else {
      return nil
    }
    let isSame = { (frame: Int) in fitted[frame] * fitted[top] > 0 }
    let first = (fitted.startIndex..<top).last { !isSame($0) } ?? fitted.startIndex
    let last = (top..<fitted.endIndex).first { !isSame($0) } ?? fitted.endIndex
    var (shared, own) = (0.0, 0.0)
    for frame in first..<last {
      shared += measured[frame] * fitted[frame]
      own += fitted[frame] * fitted[frame]
    }
    let height = abs(fitted[top])
    return Estimate(max(0, height * shared / own), uncertainty: noise * height / own.squareRoot())
  }
}

extension Samples {
  /// A range about an offset, nothing where there is none.
  func about(_ offset: Float, in frames: Range<Int>) -> [Double] {
    let inside = frames.clamped(to: indices)
    return zip(frames, padded(frames)).map { inside.contains($0) ? Double($1 - offset) : 0 }
  }
}

enum EventGroups {
  /// Joins groups of events that cannot be told apart: chains of pairs of places make one group.
  ///
  /// What remains stands by its first group's place, the events of each in order.
  static func joined(_ groups: [[Int]], by pairs: [(Int, Int)]) -> [[Int]] {
    var home = Array(groups.indices)
    func root(_ index: Int) -> Int {
      var index = index
      while home[index] != index { index = home[index] }
      return index
    }
    for (one, other) in pairs {
      let (one, other) = (root(one), root(other))
      home[max(one, other)] = min(one, other)
    }
    var joined: [Int: [Int]] = [:]
    for index in groups.indices { joined[root(index), default: []] += groups[index] }
    return joined.keys.sorted().map { joined[$0]?.sorted() ?? [] }
  }
}

extension TakeAlignment {
  /// Stretches of drive frames of which the capture does not tell what the drive as sent did: frames lost
  /// or clipped, drive not sent as commanded and what it leaves ringing, and what was not recorded.
  ///
  /// Where silence was lost, nothing rings on. One may be empty, or end before it begins.
  func untold(ringing: Int, until last: Double) -> [(from: Double, until: Double)] {
    func driven(_ frame: Int) -> Double {
      Double(frame) - electricalFrames(at: Double(frame))
    }
    let drive: Samples = take.channels[.haptic] ?? []
    return recording.captureEvents.map {
      (driven($0.frames.lowerBound), driven($0.frames.upperBound))
    }
      + recording.driveEvents.map { event in
        let lost = drive[event.frames.clamped(to: drive.indices)].contains { $0 != 0 }
        return (
          Double(event.frames.lowerBound), Double(event.frames.upperBound + (lost ? ringing : 0))
        )
      } + [(driven(recording.frameCount), last)]
  }
}

/// The courses of strength that events are drawn with, and what was found of each so far.
///
/// A course depends on what the others do, by friction or since commands are shared, so courses are drawn anew at what a
/// fit found, and the fit finds gains and delays on top of what they were drawn with.
struct DrawnCourses {
  var courses: [Int: NonNegativeFit.Course] = [:]
  var predicted: [Double] = []
  /// Each event's gain, and its delay in frames of a course.
  var found: [Int: (gain: Double, delay: Double)] = [:]
  var gains: [Int: Double] = [:]

  func course(of group: [Int]) -> NonNegativeFit.Course {
    NonNegativeFit.Course(sumOf: group.compactMap { courses[$0] })
  }

  /// Whether neither an event nor what overlaps it is predicted to be seen.
  func isBelow(_ least: Double, _ event: Int) -> Bool {
    guard let course = courses[event] else { return true }
    return !predicted[course.frames.clamped(to: predicted.indices)].contains { $0 >= least }
  }

  /// The share of all strength that is an event's own where it makes any; `nil` for an event without a course.
  func share(of event: Int, in whole: [Double]) -> Double? {
    guard let course = courses[event] else { return nil }
    var (own, all) = (0.0, 0.0)
    for (index, value) in course.samples.enumerated()
    where whole.indices.contains(course.first + index) {
      own += value * value
      all += value * whole[course.first + index]
    }
    return all > 0 ? own / all : nil
  }

  /// Keeps what a fit found, on top of what courses were drawn with; `reach` is in frames.
  mutating func note(
    _ groups: [[Int]], _ result: NonNegativeFit.Result, reach: Double, boldness: Double
  ) {
    for (group, part) in zip(groups, result.parts) {
      for event in group {
        let moved = (found[event]?.delay ?? 0) + part.delay.value
        found[event] = (
          (gains[event] ?? 1) * pow(part.gain.value, boldness), max(-reach, min(reach, moved))
        )
      }
    }
  }
}

extension [Double] {
  /// The value between two places, on a straight line; zero beyond the ends.
  func value(at place: Double) -> Double {
    let base = Int(place.rounded(.down))
    let part = place - Double(base)
    func at(_ index: Int) -> Double { indices.contains(index) ? self[index] : 0 }
    return (1 - part) * at(base) + part * at(base + 1)
  }

  /// The same some places later, the whole places apart: one value more, each between two.
  func delayed(by places: Double) -> (whole: Int, values: [Double]) {
    let base = places.rounded(.down)
    let part = places - base
    func at(_ index: Int) -> Double { indices.contains(index) ? self[index] : 0 }
    return (Int(base), (0...count).map { (1 - part) * at($0) + part * at($0 - 1) })
  }
}

/// Tells events apart by courses of strength, a value each millisecond: what motors and tones share.
protocol CourseSeparation: SeparatedEvents {
  var parts: [Int: SeparatedPart] { get set }
  var reasons: [Int: String] { get set }
  var drawn: DrawnCourses { get set }
  var whole: [Double] { get }
  var driven: Set<Int> { get }
  var alignment: TakeAlignment { get }
  /// The sensor's samples, and what they show at rest.
  var samples: Samples { get }
  var offset: Float { get }
  var first: Int { get }
  var step: Double { get }
  /// The delay that all events have, in seconds; its uncertainty is added to each event's own.
  var chain: Estimate { get }

  /// The largest delay that is looked for, to either side, in seconds.
  static var reach: Double { get }
  /// How much of a change of gain a round makes, as a power of it.
  static var boldness: Double { get }
  static var evidence: String { get }
  static func misfit(_ percent: Int) -> String

  mutating func draw(count: Int)
  /// A gain on top of what a group was drawn with as one of what its events were asked for.
  func absolute(_ gain: Estimate, _ group: [Int]) -> Estimate
  /// Why it would not be seen if nothing came of a group; `nil` where it would.
  func blindness(to group: [Int]) -> String?
  /// The doubt of an event's delay by what is known of it alone, in seconds, and of its gain.
  func doubt(
    _ fitted: NonNegativeFit.Part, _ gain: Estimate, of event: Int
  ) -> (delay: Double, gain: Estimate)
}

extension CourseSeparation {
  var take: TakeDrive { alignment.take }
  func isDriven(_ event: Int) -> Bool { driven.contains(event) }

  // A strength without a phase tells no response beside those that were asked for.
  func strays() -> [Double]? { nil }
  func traces() -> (first: Int, factor: Int, model: [Double], rest: [Double])? { nil }

  /// Stretches of a course that the recording does not tell, seen `width` values further to either side.
  func gaps(count: Int, ringing: Int, width: Double) -> [Range<Int>] {
    alignment.untold(ringing: ringing, until: Double(first) + Double(count + 1) * step).map {
      stretch in
      let low = Int(((stretch.from - Double(first)) / step - width).rounded(.down))
      let end = Int(((stretch.until - Double(first)) / step + width).rounded(.up))
      return (low..<max(low, end)).clamped(to: 0..<count)
    }.filter { !$0.isEmpty }
  }

  mutating func visible(above least: Double) -> [[Int]] {
    var groups: [[Int]] = []
    for event in drawn.courses.keys.sorted() {
      if drawn.isBelow(least, event) {
        reasons[event] = "no signal above the noise: its drive is too weak for this sensor"
      } else {
        groups.append([event])
      }
    }
    return groups
  }

  /// Fits groups, drawn anew at what is found, and joins what cannot be told apart until all is sure.
  mutating func settled(
    _ groups: [[Int]], count: Int, fit: (Self, [[Int]]) -> NonNegativeFit.Result
  ) -> (groups: [[Int]], result: NonNegativeFit.Result) {
    let (mostRounds, mostDraws) = (8, 4)
    let reach = Self.reach * StrengthCourse.rate
    var groups = groups
    var result = fit(self, groups)
    for round in 0..<mostRounds {
      drawn.note(groups, result, reach: reach, boldness: Self.boldness)
      for _ in 1..<(round == 0 ? mostDraws : 2) {
        draw(count: count)
        result = fit(self, groups)
        drawn.note(groups, result, reach: reach, boldness: Self.boldness)
      }
      let joined = round + 1 < mostRounds ? join(groups, result) : groups
      guard joined.count < groups.count else { break }
      // What was joined begins anew.
      let before = Set(groups)
      for event in joined.filter({ !before.contains($0) }).joined() { drawn.found[event] = nil }
      groups = joined
      draw(count: count)
      result = fit(self, groups)
    }
    return (groups, result)
  }

  private func join(_ groups: [[Int]], _ result: NonNegativeFit.Result) -> [[Int]] {
    // A gain less sure than this, 1 dB, is joined with a neighbour's.
    let vaguestGain = 0.12
    var pairs: [(Int, Int)] = []
    for (index, part) in result.parts.enumerated() {
      let gain = absolute(part.gain, groups[index])
      guard let partner = part.partner else { continue }
      let isVague =
        SeparatedPart.isDropped(gain)
        ? blindness(to: groups[index]) != nil
        : gain.uncertainty > vaguestGain * max(gain.value, 0.5)
      if isVague { pairs.append((index, partner)) }
    }
    return EventGroups.joined(groups, by: pairs)
  }

  /// Makes parts of what was fitted; none where the model does not describe what was seen.
  mutating func conclude(
    _ groups: [[Int]], _ result: NonNegativeFit.Result, gains: [Estimate], usual: Double
  ) {
    let largestMisfit = 0.5
    // A delay less sure than this is none, in seconds.
    let vaguestDelay = 5e-3
    guard result.misfit <= largestMisfit else {
      for event in drawn.courses.keys where reasons[event] == nil {
        reasons[event] = Self.misfit(Int((100 * result.misfit).rounded()))
      }
      return
    }
    for ((group, fitted), gain) in zip(zip(groups, result.parts), gains) {
      var gain = gain
      if group.count > 1, !SeparatedPart.isDropped(gain) {
        // Where a group differs from what is usual, it may be any of its members.
        gain = gain.widened(by: gain.value - usual)
      }
      for event in group {
        guard gain.uncertainty.isFinite else {
          reasons[event] = "the joint fit does not settle"
          continue
        }
        if SeparatedPart.isDropped(gain), let reason = blindness(to: group) {
          reasons[event] = reason
          continue
        }
        let (own, found) = doubt(fitted, gain, of: event)
        let late = (drawn.found[event]?.delay ?? 0) / StrengthCourse.rate
        let delay = Estimate(chain.value + late, uncertainty: own).widened(by: chain.uncertainty)
        parts[event] = SeparatedPart(
          delay: delay,
          unless: own > vaguestDelay
            ? "its delay cannot be told from \(Self.evidence) with any certainty" : nil,
          gain: found, members: group, misfit: fitted.misfit,
          frameCount: drawn.courses[event]?.samples.count ?? 0)
      }
    }
  }

  /// Whether the drive works for one event alone where it works for that: else it has no frequency of its own.
  func isLeading(_ event: Int) -> Bool {
    let leastShare = 0.9
    return drawn.share(of: event, in: whole).map { $0 > leastShare } ?? false
  }

  /// An event's response by its strength from a capture frame on, and its phase in turns.
  ///
  /// The phase is not told: a crest is put where the strength is highest. `measured` is what the sensor
  /// saw where the drive works for this event alone, and nothing where it works for others.
  func response(
    of event: Int, from start: Int, strengths: [Double], turns: [Double]
  ) -> SeparatedResponse {
    let top = strengths.indices.max { strengths[$0] < strengths[$1] } ?? 0
    return SeparatedResponse(
      first: start,
      fitted: strengths.indices.map {
        strengths[$0] * cos(2 * .pi * (turns[$0] - turns[top]))
      },
      measured: isLeading(event)
        ? samples.about(offset, in: start..<(start + strengths.count))
        : [Double](repeating: 0, count: strengths.count),
      strength: strengths)
  }
}
