import Devices
private import Glibc
import SignalAnalysis

/// The courses of strength that events are drawn with, and what was found of each so far.
///
/// A course depends on what the others do, by friction or since commands are shared, so courses are drawn anew at what a
/// fit found, and the fit finds gains and delays on top of what they were drawn with.
struct DrawnCourses {
  /// Each event's course among all others, as last drawn.
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
  /// The strength that all events make together.
  var whole: [Double] { get }
  var driven: Set<Int> { get }
  var alignment: TakeAlignment { get }
  /// The sensor's samples, and what they show at rest.
  var samples: Samples { get }
  var offset: Float { get }
  /// The drive frame of a course's first value, and drive frames for each.
  var first: Int { get }
  var step: Double { get }
  /// The delay that all events have, in seconds; its uncertainty is added to each event's own.
  var chain: Estimate { get }

  /// The largest delay that is looked for, to either side, in seconds.
  static var reach: Double { get }
  /// How much of a change of gain a round makes, as a power of it.
  static var boldness: Double { get }
  static var evidence: String { get }
  /// Says that so many percent are left over.
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

  /// Each event that can be seen at all as a group of its own.
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
