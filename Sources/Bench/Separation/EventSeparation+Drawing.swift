// SPDX-License-Identifier: Apache-2.0

private import Glibc
import HapticRendering
import SignalAnalysis
import Synchronization
import Units

extension EventSeparation {
  /// The response of one event, drawn from the fit; costs a transform or two.
  func response(of event: Int) -> SeparatedResponse? {
    guard let share = shares[event], let course = courses[event], let span = spans[event] else {
      return nil
    }
    let rate = take.rate.hertz
    let start = alignment.electricalFrames(at: Double(share.first))
    let room = Int(Self.reach * rate) + 64
    let first = share.first + Int(start.rounded(.down)) - room
    let count = share.samples.count + 2 * room + Int(model.ringing * rate)
    // The group's pieces cut this event's own share.
    var padded = [Float](repeating: 0, count: span.count)
    for (index, sample) in share.samples.enumerated() {
      padded[share.first - span.lowerBound + index] = sample
    }
    let pieces = zip(Self.pieces(of: padded, from: span.lowerBound, rate: rate), course).map {
      Placed(
        samples: $0.samples, lead: $0.first - share.first + room, gain: $1.gain * Double(volts),
        delay: $1.delay * Double(grid.factor) + start - start.rounded(.down))
    }
    let fitted = drawn(pieces, count: count)
    let left = shareOfRest(fitted, from: grid.place(of: Double(first) - start))
    return SeparatedResponse(
      first: first, fitted: fitted, measured: fitted.indices.map { fitted[$0] + left[$0] })
  }

  /// The model's response by the lengths of transforms; events are measured in several threads.
  final class ModelSpectra: Sendable {
    private let spectra = Mutex<[Int: [Complex]]>([:])

    func of(_ length: Int, _ response: (Double) -> Complex) -> [Complex] {
      if let known = spectra.withLock({ $0[length] }) { return known }
      let made = (0...(length / 2)).map { response(Double($0) / Double(length)) }
      spectra.withLock { $0[length] = made }
      return made
    }
  }

  private struct Placed {
    let samples: [Float]
    /// Frames of the stretch before it.
    let lead: Int
    let gain: Double
    let delay: Double
  }

  /// Nothing of a response comes earlier than its drive by more than this, in seconds.
  private static let earliest = 0.004

  /// What the actuator answers to some pieces of drive, each drawn by itself.
  private func drawn(_ pieces: [Placed], count: Int) -> [Double] {
    var sum = [Double](repeating: 0, count: count)
    let (before, after) = (
      take.rate.wholeFrames(Self.earliest), take.rate.wholeFrames(model.ringing + Self.earliest)
    )
    for piece in pieces where piece.samples.contains(where: { $0 != 0 }) {
      let length = FourierTransform.commonLength(atLeast: before + piece.samples.count + after)
      var transform = FourierTransform(length: length)
      let values = [Float](repeating: 0, count: before) + piece.samples
      let spectrum = modelSpectra.of(length) { width in
        model.response(at: width * take.rate.hertz, lnF0: shift.lnF0, lnQ: shift.lnQ)
      }
      var bins = transform.forward(values.span)
      let whole = piece.delay.rounded()
      for bin in bins.indices { bins[bin] = bins[bin] * spectrum[bin] }
      bins.turn(by: -2 * .pi / Double(length) * (piece.delay - whole))
      let answer = transform.inverse(bins)
      let first = piece.lead - before + Int(whole)
      for frame in (first..<first + length).clamped(to: sum.indices) {
        sum[frame] += piece.gain * answer[frame - first]
      }
    }
    return sum
  }

  /// What the fit left over at an event's frames, as far as the response there is the event's own.
  private func shareOfRest(_ fitted: [Double], from origin: Double) -> [Double] {
    let step = 1 / Double(grid.factor)
    let width = max(1, Int(0.003 * grid.rate))
    let count = Int(Double(fitted.count) * step) + 1
    let first = Int(origin.rounded(.down))
    func mean(_ value: (Int) -> Double) -> [Double] {
      let sums = (-width..<(count + width + 1)).map { index in
        let value = value(index)
        return value * value
      }.runningSums()
      return (0...count).map { sums[$0 + 2 * width] - sums[$0] }
    }
    let own = mean { index in
      let place = index * grid.factor
      return fitted.indices.contains(place) ? fitted[place] : 0
    }
    let all = mean { index in
      whole.indices.contains(first + index) ? whole[first + index] : 0
    }
    let shares = zip(own, all).map { $1 > 0 ? min(1, $0 / $1) : 0 }
    var left = [Double](repeating: 0, count: fitted.count)
    for frame in left.indices {
      let place = origin + Double(frame) * step
      let base = Int(place.rounded(.down))
      guard base >= 0, base + 1 < rest.count else { continue }
      let part = place - Double(base)
      left[frame] =
        shares[min(count, frame / grid.factor)] * ((1 - part) * rest[base] + part * rest[base + 1])
    }
    return left
  }

  /// Stretches of the leftover are averaged over this, in seconds: about a period of the response.
  private static let strayWidth = 0.006
  /// A response at least this strong beside the pattern's own counts.
  private static let strayShare = 0.1
  /// So many times stronger than the noise, and than what the events make where it lies.
  private static let strayNoise = 6.0
  /// Two that are nearer than this are one, in seconds.
  private static let strayGap = 0.03

  /// When the actuator answered something that no event asked for, in seconds of the pattern.
  ///
  /// Looked for in what the joint fit leaves over, where that is stronger than what the events make around
  /// it: beside a strong event the leftover is the model's error, not a response.
  func strays() -> [Double]? {
    let width = max(1, Int(Self.strayWidth * grid.rate))
    let power = { (values: [Double]) in
      Smoothing.mean(values.lazy.map { $0 * $0 }, width: 2 * (width / 2) + 1)
    }
    let (left, made) = (power(rest), power(whole))
    guard left.count == made.count, !left.isEmpty else { return [] }
    let typical = parts.keys.compactMap { index -> Double? in
      shareFrames(of: index).map { made[$0.clamped(to: made.indices)].max() ?? 0 }
    }.sorted()
    guard !typical.isEmpty else { return [] }
    let least = max(
      Self.strayShare * Self.strayShare * typical[typical.count / 2],
      Self.strayNoise * Self.strayNoise * quiet * quiet)
    let around = Self.largest(made, reach: 2 * width)
    var found: [(first: Int, last: Int)] = []
    for index in left.indices where left[index] > least && left[index] > around[index] {
      if let last = found.last, Double(index - last.last) < Self.strayGap * grid.rate {
        found[found.count - 1].last = index
      } else {
        found.append((index, index))
      }
    }
    return found.map { seconds(of: $0.first) }
  }

  private static func largest(_ values: [Double], reach: Int) -> [Double] {
    // A queue of candidates, each larger than those that came after it.
    var queue: [Int] = []
    var (head, next) = (0, 0)
    return values.indices.map { index in
      while next < values.count, next <= index + reach {
        while queue.count > head, values[queue[queue.count - 1]] <= values[next] {
          queue.removeLast()
        }
        queue.append(next)
        next += 1
      }
      while queue[head] < index - reach { head += 1 }
      return values[queue[head]]
    }
  }
}
