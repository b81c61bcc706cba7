import Glibc
import SignalAnalysis

/// The courses of strength that events are drawn with, and what was found of each so far.
///
/// A course depends on what the others do, by friction or since commands are shared, so courses are drawn anew at what a
/// fit found, and the fit finds gains and delays on top of what they were drawn with.
struct DrawnCourses {
  /// Each event's course among all others, as last drawn.
  var courses: [Int: NonNegativeFit.Course] = [:]
  /// The sum of all.
  var predicted: [Double] = []
  /// Each event's gain, and its delay in frames of a course.
  var found: [Int: (gain: Double, delay: Double)] = [:]
  /// The gains that the courses were drawn with.
  var gains: [Int: Double] = [:]

  /// What the events of a group make together.
  func course(of group: [Int]) -> NonNegativeFit.Course {
    NonNegativeFit.Course(sumOf: group.compactMap { courses[$0] })
  }

  /// Whether neither an event nor what overlaps it is predicted to be seen.
  func isBelow(_ least: Double, _ event: Int) -> Bool {
    guard let course = courses[event] else { return true }
    let frames = (course.first..<(course.first + course.samples.count)).clamped(
      to: predicted.indices)
    return !predicted[frames].contains { $0 >= least }
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

  /// Keeps what a fit found, on top of what the courses were drawn with.
  ///
  /// - Parameters:
  ///   - groups: The events of each part.
  ///   - result: What was found of them.
  ///   - reach: The largest delay, in frames.
  ///   - boldness: How much of a change is made, as a power of the gain.
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

/// Tells events apart by courses of strength: what motors and tones of a drive's own have in common.
protocol CourseSeparation: SeparatedEvents {
  /// What each event is drawn with.
  var drawn: DrawnCourses { get set }
  /// The largest delay that is looked for, to either side, in seconds.
  static var reach: Double { get }
  /// How much of a change of gain a round makes, as a power of it.
  static var boldness: Double { get }
  /// Draws all courses at what was found so far.
  mutating func draw(count: Int)
  /// A gain on top of what a group was drawn with as one of what its events were asked for.
  func absolute(_ gain: Estimate, _ group: [Int]) -> Estimate
  /// Whether it would be seen if nothing came of a group.
  func isTold(_ group: [Int]) -> Bool
}

extension CourseSeparation {
  /// Fits groups of events, drawn anew at what is found, and joins what cannot be told apart until what remains is sure.
  ///
  /// - Parameters:
  ///   - groups: The events, each a group of its own.
  ///   - count: How many frames there are.
  ///   - fit: Fits groups as they are drawn.
  /// - Returns: The groups that remain, and the last fit of them.
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
        ? !isTold(groups[index]) : gain.uncertainty > vaguestGain * max(gain.value, 0.5)
      if isVague { pairs.append((index, partner)) }
    }
    return EventGroups.joined(groups, by: pairs)
  }
}
