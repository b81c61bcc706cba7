// SPDX-License-Identifier: Apache-2.0

private import Glibc
package import Units

/// Hum of the mains in what a sensor shows: a tone near 50 or 60 Hz and its harmonics.
///
/// It is found where nothing is driven, at the start of a recording, and followed to its end, where
/// nothing is driven any more. In between each line goes straight from its complex amplitude at the
/// start to that at the end:
///
///     hum(t) = sum over k of Im (z[k](t) exp(j 2 pi k f t))
///
/// The mains drift, and what they did between the ends is not seen; how much may be left for that
/// is part of the result.
package struct MainsHum: Sendable, Equatable {
  /// The mains' frequency or one of its multiples.
  package struct Line: Sendable, Equatable {
    /// The multiple of the mains' frequency: 1, 2, ...
    package let order: Int
    /// The frequency in hertz.
    package let frequency: Double
    /// The peak amplitude at the start, in the samples' unit.
    package let amplitude: Estimate
    /// The amplitude that may be left of it once it is taken off, one standard deviation.
    package let left: Double
    /// Whether it is steady enough to be taken off.
    package let isSteady: Bool
    /// The complex amplitudes at the start and at the end, phases counted from the start's first
    /// frame.
    fileprivate let start: Complex
    fileprivate let end: Complex
  }

  /// A stretch in which nothing is driven, by its first frame in the recording.
  package struct Stretch: Sendable {
    package let first: Int
    package let samples: [Float]

    /// Makes a stretch; the samples are in the order of the recording.
    package init(first: Int, samples: [Float]) {
      self.first = first
      self.samples = samples
    }
  }

  /// The mains' frequency in hertz: the mean between both ends where the hum is steady, else that
  /// of the start.
  package let frequency: Estimate
  /// The lines that stand out, by rising order; at least one.
  package let lines: [Line]
  private let rate: SampleRate
  /// The frame that phases are counted from, and the frames between which the amplitudes go from
  /// end to end.
  private let origin: Int
  private let course: ClosedRange<Double>

  /// Whether any line is taken off.
  package var isTakenOff: Bool { lines.contains(where: \.isSteady) }

  /// Whether the strongest line is taken off.
  package var isSteady: Bool { strongest.isSteady }

  /// The line with the greatest amplitude.
  package var strongest: Line {
    lines.max { $0.amplitude.value < $1.amplitude.value } ?? lines[0]
  }

  /// The rms of what may be left of the lines that are taken off, one standard deviation.
  package var left: Double {
    lines.filter(\.isSteady).reduce(0) { $0 + $1.left * $1.left / 2 }.squareRoot()
  }

  /// Looks for hum in a quiet stretch at the start of a recording, and follows it to one at its
  /// end.
  ///
  /// Nothing is found, and gives nil, where no line stands eight times above the noise around it,
  /// where the start is shorter than eight periods or too noisy to tell the frequency, and where
  /// that is more than 0.5 Hz off. Without an end, or with one that is not quiet, and where the hum
  /// is not steady, it is found and cannot be taken off.
  package static func find(start: Stretch, end: Stretch?, rate: SampleRate) -> MainsHum? {
    guard let found = HumSearch.find(in: start.samples, rate: rate, isEven: true) else {
      return nil
    }
    return MainsHum(found, start: start, end: end, rate: rate)
  }

  /// The strongest line of a hum in samples through which nothing is driven, its frequency in hertz
  /// and its peak amplitude; `nil` where none stands out as `find` asks for.
  ///
  /// Nothing is to be taken off, so that it need not be as strong at the end as at the start.
  package static func strongest(
    in samples: [Float], rate: SampleRate
  ) -> (frequency: Double, amplitude: Estimate)? {
    guard let found = HumSearch.find(in: samples, rate: rate, isEven: false),
      let line = found.lines.max(by: { $0.amplitude.value < $1.amplitude.value })
    else { return nil }
    return (Double(line.order) * found.frequency.value, line.amplitude)
  }

  /// Takes what is steady of it off samples of the recording, the first of which is at a frame.
  package func remove(from samples: inout [Float], first: Int) {
    let steady = lines.filter(\.isSteady)
    guard !steady.isEmpty else { return }
    let span = course.upperBound - course.lowerBound
    for block in stride(from: 0, to: samples.count, by: Self.block) {
      let last = min(samples.count, block + Self.block)
      var sums = [Double](repeating: 0, count: last - block)
      for line in steady {
        let step = line.frequency / rate.hertz
        let turns = step * Double(first + block - origin)
        var turn = Complex(angle: 2 * .pi * (turns - turns.rounded()))
        let turning = Complex(angle: 2 * .pi * step)
        for index in sums.indices {
          let way = (Double(first + block + index) - course.lowerBound) / span
          let share = max(0, min(1, way))
          let amplitude = (1 - share) * line.start + share * line.end
          sums[index] += (amplitude * turn).imaginary
          turn = turn * turning
        }
      }
      for index in sums.indices {
        samples[block + index] = Float(Double(samples[block + index]) - sums[index])
      }
    }
  }

  /// Frames after which a line's turn is computed anew, so that rounding does not add up.
  private static let block = 256
  /// A line of which more than this share may be left stays where it is: it would be another
  /// disturbance.
  private static let mostLeft = 1.0 / 3
  /// The standard uncertainty of the phase at the end, in turns, up to which its number of turns is
  /// sure.
  private static let sureTurns = 0.125
  /// What a frequency that walks at random turns by, over 2 pi T sqrt(a^2 + b^2).
  ///
  /// Where its mean differs by a and b from what it is at both ends, its phase is off by sqrt(1 /
  /// 32) of that after half of T, one standard deviation. Two numbers tell the walk badly: twice of
  /// it.
  private static let walk = 1 / 8.0.squareRoot()

  private init(_ found: HumSearch, start: Stretch, end: Stretch?, rate: SampleRate) {
    self.rate = rate
    origin = start.first
    let middle = Double(start.first) + Double(start.samples.count - 1) / 2
    guard let end, let after = found.followed(into: end, rate: rate),
      let linked = Linked(found, start, after, rate)
    else {
      frequency = found.frequency
      course = middle...(middle + 1)
      lines = found.lines.map { line in
        Line(
          order: line.order, frequency: Double(line.order) * found.frequency.value,
          amplitude: line.amplitude, left: line.amplitude.value, isSteady: false,
          start: Complex(0), end: Complex(0))
      }
      return
    }
    frequency = linked.frequency
    course = linked.course
    lines = linked.lines.map { line in
      let amplitude = Estimate(line.start.magnitude, uncertainty: line.uncertainty.start)
      let wandering =
        Double(line.order) * linked.wandering * max(line.start.magnitude, line.end.magnitude)
      let difference = line.end - line.start
      let left =
        (difference.power + wandering * wandering
        + line.uncertainty.start * line.uncertainty.start
        + line.uncertainty.end * line.uncertainty.end).squareRoot()
      return Line(
        order: line.order, frequency: Double(line.order) * linked.frequency.value,
        amplitude: amplitude, left: left, isSteady: left <= Self.mostLeft * amplitude.value,
        start: line.start, end: line.end)
    }
  }

  /// Both ends by one frequency.
  private struct Linked {
    struct Line {
      let order: Int
      let start: Complex
      let end: Complex
      let uncertainty: (start: Double, end: Double)
    }

    let frequency: Estimate
    let course: ClosedRange<Double>
    /// How far the phase may be off in between, in radians of the mains.
    let wandering: Double
    let lines: [Line]

    /// Gives nil where both frequencies leave open by how many turns the ends are apart.
    init?(_ found: HumSearch, _ start: Stretch, _ after: HumSearch.End, _ rate: SampleRate) {
      let (first, last) = (found.frequency, after.frequency)
      let weights = (
        1 / (first.uncertainty * first.uncertainty), 1 / (last.uncertainty * last.uncertainty)
      )
      let mean = (weights.0 * first.value + weights.1 * last.value) / (weights.0 + weights.1)
      let spread = 1 / (weights.0 + weights.1).squareRoot()
      let begin = Double(start.first) + Double(start.samples.count - 1) / 2
      let finish = Double(after.stretch.first) + Double(after.stretch.samples.count - 1) / 2
      let seconds = (finish - begin) / rate.hertz
      let orders = found.lines.map(\.order)
      guard let lowest = orders.min(), seconds > 0,
        spread * seconds * Double(lowest) < MainsHum.sureTurns,
        let one = HumSearch.amplitudes(start, at: mean, orders: orders, from: begin, rate: rate),
        let other = HumSearch.amplitudes(
          after.stretch, at: mean, orders: orders, from: begin, rate: rate)
      else { return nil }
      // How well both ends agree by a frequency: the sum of their products, the second one turned
      // back.
      func agreement(_ change: Double) -> Double {
        zip(one, other).reduce(0) { sum, pair in
          let turned =
            Complex(
              angle: -2 * .pi * change * seconds * Double(pair.0.order)) * pair.1.value
          let product = (turned * pair.0.value.conjugate).real
          return sum + product / (pair.0.uncertainty * pair.1.uncertainty)
        }
      }
      let reach = 0.5 / (seconds * Double(lowest))
      let steps = 32 * (orders.max() ?? 1)
      var best = 0.0
      for step in -steps...steps {
        let change = reach * Double(step) / Double(steps)
        if agreement(change) > agreement(best) { best = change }
      }
      var width = reach / Double(steps)
      for _ in 0..<40 {
        best = [best - width, best, best + width].max { agreement($0) < agreement($1) } ?? best
        width /= 2
      }
      let between = mean + best
      let variances = zip(one, other).map { one, other in
        let a = one.uncertainty / max(one.value.magnitude, 1e-300)
        let b = other.uncertainty / max(other.value.magnitude, 1e-300)
        let slope = 2 * .pi * seconds * Double(one.order)
        return (a * a + b * b) / (slope * slope)
      }
      let known = 1 / variances.reduce(0) { $0 + 1 / $1 }.squareRoot()
      frequency = Estimate(between, uncertainty: known)
      course = begin...finish
      let (a, b) = (first.value - between, last.value - between)
      wandering = 2 * .pi * seconds * MainsHum.walk * (a * a + b * b).squareRoot()
      // Once more by the frequency that both share, phases counted from the start's first frame.
      let origin = Double(start.first)
      guard
        let opening = HumSearch.amplitudes(
          start, at: between, orders: orders, from: origin, rate: rate),
        let closing = HumSearch.amplitudes(
          after.stretch, at: between, orders: orders, from: origin, rate: rate)
      else { return nil }
      let own = Dictionary(
        uniqueKeysWithValues: found.lines.map { ($0.order, $0.amplitude.uncertainty) })
      lines = zip(opening, closing).map { opening, closing in
        Line(
          order: opening.order, start: opening.value, end: closing.value,
          uncertainty: (
            max(opening.uncertainty, own[opening.order] ?? 0), closing.uncertainty
          ))
      }
    }
  }
}

extension MainsHum {
  /// Says what hums, how strongly and what helps; the amplitudes are in a unit.
  package func sentence(about subject: String, unit: MeasurementUnit) -> String {
    let told = lines.sorted { $0.amplitude.value > $1.amplitude.value }.prefix(Self.mostTold)
      .sorted { $0.order < $1.order }
    let texts = told.enumerated().map { place, line in
      EngineeringFormat.rough(line.amplitude.value) + (place == 0 ? " \(unit.rawValue)" : "")
        + " at \(EngineeringFormat.significant(line.frequency)) Hz"
    }
    let list =
      texts.count > 1
      ? texts.dropLast().joined(separator: ", ") + " and " + texts[texts.count - 1] : texts[0]
    return "\(subject) hums with \(list): break the ground loop or shield the cable"
      + (isSteady
        ? "" : "; it is not steady or cannot be followed to the end, and is not taken off")
  }

  /// More lines than this are not read by anybody.
  private static let mostTold = 3
}
