// SPDX-License-Identifier: Apache-2.0

/// Tells known courses of strength apart in one long stretch: how much there is of each, and how late.
///
/// Least squares of samples = sum of g[k] x[k](t - d[k]), no g below zero: a strength has no sign that could
/// cancel another's. By Gauss-Newton with those gains held that would fall below zero. Courses have ends, so the
/// normal equations are banded.
public struct NonNegativeFit {
  /// One course, at a gain of 1 and no delay.
  public struct Course: Sendable {
    /// The frame of the stretch that it begins at; may lie outside.
    public var first: Int
    /// The course; zero before and after.
    public var samples: [Double]

    /// The frames that it covers.
    public var frames: Range<Int> { first..<(first + samples.count) }

    /// Makes a course.
    public init(first: Int, samples: [Double]) {
      self.first = first
      self.samples = samples
    }

    /// The sum of several.
    public init(sumOf courses: [Course]) {
      first = courses.map(\.first).min() ?? 0
      let end = courses.map(\.frames.upperBound).max() ?? first
      samples = [Double](repeating: 0, count: end - first)
      for course in courses {
        for (index, value) in course.samples.enumerated() {
          samples[course.first - first + index] += value
        }
      }
    }
  }

  /// What was found of one course.
  public struct Part: Sendable {
    /// How strong it is, 1 as predicted.
    public var gain: Estimate
    /// How much later than predicted it comes, in frames.
    public var delay: Estimate
    /// The course that its gain is hardest to tell from; `nil` where no other touches it.
    public var partner: Int?
    /// What is left over where it is, as a share of what is predicted there.
    public var misfit: Double
  }

  /// What was found of all.
  public struct Result: Sendable {
    /// One for each course, in their order.
    public var parts: [Part]
    /// What all predict together, frame by frame, weighted.
    public var model: [Double]
    /// What is left over, as a share of the samples' rms.
    public var misfit: Double
  }

  /// The largest delay to either side, in frames.
  public var reach: Double
  /// The standard deviation of the samples' noise.
  public var noise: Double
  /// Frames of the stretch that are left out.
  public var gaps: [Range<Int>]
  /// How far each frame is trusted, what its error is divided by; all alike where there are none.
  public var weights: [Double]

  private let courses: [Course]
  /// The places of the courses by their first frame.
  private let order: [Int]
  private var gains: [Double]
  private var delays: [Double]
  private let span: Int

  private static let mostSteps = 20
  /// One standard deviation of a gain beforehand: anything from nothing to ten times as much.
  private static let gainPrior = 10.0
  /// One standard deviation of a delay beforehand: a quarter of its reach.
  private var delayPrior: Double { reach / 4 }
  /// Frames over which what is left over may hang together.
  private static let longestMemory = 100

  /// Makes a fit; cost grows with the number of courses times the square of how many lie over one another.
  public init(
    _ courses: [Course], reach: Double, noise: Double, gaps: [Range<Int>] = [],
    weights: [Double] = []
  ) {
    self.weights = weights
    order = courses.indices.sorted { (courses[$0].first, $0) < (courses[$1].first, $1) }
    self.courses = order.map { courses[$0] }
    self.reach = reach
    self.noise = noise
    self.gaps = gaps
    gains = [Double](repeating: 1, count: courses.count)
    delays = [Double](repeating: 0, count: courses.count)
    let room = 2 * Int(reach.rounded(.up)) + 4
    span = PairedUnknowns.span(of: self.courses.map(\.frames), room: room)
  }

  /// A course where it stands now, its slope, and both without what lies in gaps.
  private struct Placed {
    var first: Int
    var values: [Double]
    var slopes: [Double]
    var frames: Range<Int> { first..<(first + values.count) }
  }

  private func placed(_ index: Int, count: Int) -> Placed {
    let course = courses[index]
    let base = delays[index].rounded(.down)
    let part = delays[index] - base
    func at(_ place: Int) -> Double {
      course.samples.indices.contains(place) ? course.samples[place] : 0
    }
    var values: [Double] = []
    var slopes: [Double] = []
    for place in -1...(course.samples.count + 1) {
      let (here, before) = (at(place), at(place - 1))
      values.append((1 - part) * here + part * before)
      slopes.append(0.5 * ((1 - part) * (at(place + 1) - before) + part * (here - at(place - 2))))
    }
    var result = Placed(first: course.first + Int(base) - 1, values: values, slopes: slopes)
    for frame in result.frames.clamped(to: weights.indices) {
      result.values[frame - result.first] *= weights[frame]
      result.slopes[frame - result.first] *= weights[frame]
    }
    for gap in gaps + [Int.min..<0, count..<Int.max] {
      for frame in gap.clamped(to: result.frames) {
        result.values[frame - result.first] = 0
        result.slopes[frame - result.first] = 0
      }
    }
    return result
  }

  private struct State {
    var placed: [Placed]
    var model: [Double]
    var rest: [Double]
    var energy: Double
  }

  private func state(_ samples: [Double]) -> State {
    let placed = courses.indices.map { self.placed($0, count: samples.count) }
    var model = [Double](repeating: 0, count: samples.count)
    for (index, course) in placed.enumerated() {
      for frame in course.frames.clamped(to: model.indices) {
        model[frame] += gains[index] * course.values[frame - course.first]
      }
    }
    let rest = zip(samples, model).map { $0 - $1 }
    return State(placed: placed, model: model, rest: rest, energy: InnerProduct.energy(rest))
  }

  /// Looks for each course at every whole delay within reach, since a descent from elsewhere may slip.
  ///
  /// One after the other, the strongest first, at the strength that leaves least over, twice. Cost: linear in the
  /// courses' lengths, times the reach.
  public mutating func search(_ samples: [Double]) {
    var samples = samples
    samples.clear(gaps)
    var rest = samples
    for (index, course) in courses.enumerated() {
      InnerProduct.add(-gains[index], times: course.samples, from: course.first, to: &rest)
    }
    let energies = courses.map { InnerProduct.energy($0.samples) }
    let strongest = courses.indices.sorted { (energies[$1], $0) < (energies[$0], $1) }
    let span = Int(reach.rounded(.down))
    for _ in 0..<2 {
      for index in strongest where energies[index] > 0 {
        let course = courses[index]
        let now = course.first + Int(delays[index])
        InnerProduct.add(gains[index], times: course.samples, from: now, to: &rest)
        var best = (gain: 0.0, delay: 0, gained: 0.0)
        for delay in (-span...span).sorted(by: { (abs($0), $0) < (abs($1), $1) }) {
          let product = InnerProduct.of(course.samples, from: course.first + delay, rest, from: 0)
          // A delay counts by how unlikely it is beforehand.
          let off = Double(delay) / delayPrior
          let gained =
            product * max(0, product) / energies[index] - off * off * noise * noise
          if gained > best.gained {
            best = (product / energies[index], delay, gained)
          }
        }
        gains[index] = best.gain
        delays[index] = Double(best.delay)
        InnerProduct.add(
          -best.gain, times: course.samples, from: course.first + best.delay, to: &rest)
      }
    }
  }

  /// Fits the courses to a stretch of strengths.
  public mutating func fit(_ samples: [Double]) -> Result {
    var samples = samples
    for index in weights.indices.clamped(to: samples.indices) { samples[index] *= weights[index] }
    samples.clear(gaps)
    var state = state(samples)
    for _ in 0..<Self.mostSteps {
      guard let change = change(state) else { break }
      let before = (gains, delays)
      var next = state
      var share = 1.0
      repeat {
        for index in courses.indices {
          gains[index] = max(0, before.0[index] + share * change[2 * index])
          let step = max(-reach / 4, min(reach / 4, share * change[2 * index + 1]))
          delays[index] = max(-reach, min(reach, before.1[index] + step))
        }
        next = self.state(samples)
        if next.energy <= state.energy { break }
        share /= 2
      } while share > 0.05
      guard next.energy < state.energy else {
        (gains, delays) = before
        break
      }
      let gained = state.energy - next.energy
      state = next
      if gained < 1e-5 * state.energy { break }
    }
    return result(state, samples)
  }

  private func variance(_ state: State) -> Double {
    max(noise * noise, state.energy / Double(max(1, state.rest.count)), 1e-300)
  }

  private func normal(_ state: State, held: Set<Int>) -> BandedMatrix {
    let variance = variance(state)
    var normal = BandedMatrix(size: 2 * courses.count, bandwidth: 2 * span + 1)
    for (index, course) in state.placed.enumerated() {
      for other in index...min(courses.count - 1, index + span) {
        let second = state.placed[other]
        guard second.frames.overlaps(course.frames) else { continue }
        func product(_ left: [Double], _ right: [Double]) -> Double {
          InnerProduct.of(left, from: course.first, right, from: second.first)
        }
        let (row, column) = (2 * other, 2 * index)
        if !held.contains(index), !held.contains(other) {
          normal[row, column] += product(course.values, second.values)
        }
        if !held.contains(index) {
          normal[row + 1, column] -= gains[other] * product(course.values, second.slopes)
        }
        normal[row + 1, column + 1] +=
          gains[index] * gains[other] * product(course.slopes, second.slopes)
        if other > index, !held.contains(other) {
          normal[row, column + 1] -= gains[index] * product(course.slopes, second.values)
        }
      }
      normal[2 * index, 2 * index] +=
        held.contains(index) ? 1 : variance / (Self.gainPrior * Self.gainPrior)
      normal[2 * index + 1, 2 * index + 1] += variance / (delayPrior * delayPrior)
    }
    return normal
  }

  private func change(_ state: State) -> [Double]? {
    let variance = variance(state)
    var right = [Double](repeating: 0, count: 2 * courses.count)
    var held: Set<Int> = []
    for (index, course) in state.placed.enumerated() {
      right[2 * index] =
        InnerProduct.of(course.values, from: course.first, state.rest, from: 0)
        - (gains[index] - 1) * variance / (Self.gainPrior * Self.gainPrior)
      right[2 * index + 1] =
        -gains[index] * InnerProduct.of(course.slopes, from: course.first, state.rest, from: 0)
        - delays[index] * variance / (delayPrior * delayPrior)
      if gains[index] == 0, right[2 * index] <= 0 {
        held.insert(index)
        right[2 * index] = 0
      }
    }
    return normal(state, held: held).factored()?.solve(right)
  }

  /// The variance of a gain or a delay is its element of the inverse normal matrix times an error a frame: the
  /// noise, and the larger of what is left over around the course and what is left over of the whole as a share of the
  /// strength around it; times the number of frames over which what is left over hangs together.
  private func result(_ state: State, _ samples: [Double]) -> Result {
    let white = noise * noise
    let count = Double(max(1, samples.count - gaps.reduce(0) { $0 + $1.count }))
    let whole = max(InnerProduct.energy(samples) - white * count, 1e-300)
    let share = max(0, state.energy - white * count) / whole
    let memory = Self.memory(of: state.rest)
    let inverse = normal(state, held: []).factored()?.inverseBand()
    let touching = inverse.map {
      PairedUnknowns.partners(
        $0, owners: Array(courses.indices), count: courses.count,
        stretches: state.placed.map(\.frames))
    }
    var parts = [Part?](repeating: nil, count: courses.count)
    for (index, course) in state.placed.enumerated() {
      let near = InnerProduct.around(
        course.values, from: course.first, response: state.model, rest: state.rest)
      let error = white + max(share * near.response, near.rest - white, 0) * memory
      func spread(_ place: Int) -> Double {
        guard near.weight > 0, let inverse else { return .infinity }
        return (max(0, inverse[place, place]) * error).squareRoot()
      }
      parts[order[index]] = Part(
        gain: Estimate(gains[index], uncertainty: spread(2 * index)),
        delay: Estimate(delays[index], uncertainty: spread(2 * index + 1)),
        partner: touching?[index].map { order[$0] },
        misfit: (near.rest / max(near.response, 1e-300)).squareRoot())
    }
    return Result(parts: parts.compactMap(\.self), model: state.model, misfit: share.squareRoot())
  }

  /// Over how many frames what is left over hangs together: 1 where it is white.
  private static func memory(of rest: [Double]) -> Double {
    let energy = InnerProduct.energy(rest)
    guard energy > 0 else { return 1 }
    var sum = 1.0
    for lag in 1..<max(2, min(longestMemory, rest.count / 4)) {
      let product = InnerProduct.of(rest, from: 0, rest, from: lag) / energy
      guard product > 0.05 else { break }
      sum += 2 * product
    }
    return sum
  }
}
