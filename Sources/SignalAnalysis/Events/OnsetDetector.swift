// SPDX-License-Identifier: Apache-2.0

public import Units

/// Finds the moment at which a quiet signal first leaves its noise.
public struct OnsetDetector: Sendable {
  /// The moment of an onset.
  public struct Onset: Sendable, Equatable {
    /// The frame, with its fraction, at which the signal passes the threshold.
    public let frame: Double
    /// One standard deviation of the frame.
    public let uncertainty: Double
    /// How fast the signal passes, in its unit a frame; negative where it falls.
    public let slope: Double
    /// The distance from the offset at which the threshold stands, in the unit of the signal.
    public let threshold: Double
  }

  /// The threshold in standard deviations of the noise.
  public var threshold: Double
  /// How many frames to each side a sample is smoothed over before it is compared.
  public var reach: Int

  /// Makes a detector.
  ///
  /// Traps unless the threshold is above zero and the reach at least 2. The usual reach of 12 frames
  /// leaves at 48 kHz what lies below 1 kHz as it is, and 0.3 of the noise.
  public init(threshold: Double = 6, reach: Int = 12) {
    precondition(threshold > 0, "a threshold of \(threshold) standard deviations")
    precondition(reach >= 2, "a parabola over \(reach) frames to each side")
    self.threshold = threshold
    self.reach = reach
  }

  /// Makes a detector whose reach is 0.25 ms at a rate: 12 frames at 48 kHz, 6 at 24 kHz.
  ///
  /// So what it can follow, up to 1 kHz, does not depend on the rate.
  public init(threshold: Double = 6, rate: SampleRate) {
    self.init(threshold: threshold, reach: max(2, rate.wholeFrames(0.25e-3)))
  }

  /// The first passage of the threshold, to either side, in a range of frames.
  ///
  /// A moving parabola (Savitzky and Golay) says where the signal passes; so neither a click nor the
  /// noise on a nearly high enough wave before does. Then a parabola is fitted to the samples around
  /// the passage, over a stretch that follows the steepness (half of the way from the offset to the
  /// threshold before it, the whole after it, 2 frames to twice the reach), and crossed with the threshold.
  /// The uncertainty is sigma sqrt(h) / |slope|, h the parabola's leverage there, in quadrature what the
  /// threshold itself is not known by, and
  /// 0.25 / sqrt(12) frames and 4 % of the way to the threshold for what a parabola cannot follow; where three times the smoothed noise decides which wave
  /// is the first to pass, it is half of the time between those waves. Gives nil where nothing passes
  /// or where the range begins beyond the threshold. Costs O(n).
  public func first(in samples: [Float], frames: Range<Int>, noise: NoiseFloor) -> Onset? {
    let frames = frames.clamped(to: samples.indices)
    guard frames.count > 2 * reach,
      let line = Parabola(frames: -reach...reach, origin: 0, values: { _ in 0 })
    else { return nil }
    let level = threshold * noise.sigma.value
    let offset = noise.offset.value
    let smooth = line.smooth(samples, frames: frames, reach: reach).map { $0 - offset }
    func raw(_ place: Int) -> Double {
      Double(samples[min(frames.upperBound - 1, max(frames.lowerBound, place))]) - offset
    }
    // The parabola's outer weights are negative: before a steep front the smoothed signal swings the
    // other way. What the samples themselves do not show is no passage.
    func passes(_ index: Int, _ level: Double) -> Bool {
      guard abs(smooth[index]) > level else { return false }
      let sign: Double = smooth[index] > 0 ? 1 : -1
      let frame = frames.lowerBound + index
      return (frame - 1...frame + 1).contains { sign * raw($0) > level / 2 }
    }
    guard let passing = smooth.indices.first(where: { passes($0, level) }), passing > 0 else {
      return nil
    }
    let sign: Double = smooth[passing] > 0 ? 1 : -1
    func height(_ frame: Int) -> Double { sign * (Double(samples[frame]) - offset) }
    let fit = crossing(
      passing, smooth.map { sign * $0 }, level: level, frames: frames, height: height)
    let own = noise.sigma.value * fit.leverage.squareRoot()
    let (sigma, zero) = (threshold * noise.sigma.uncertainty, noise.offset.uncertainty)
    let sway = (own * own + sigma * sigma + zero * zero).squareRoot() / fit.slope
    // Between two samples of a front that is steeper than they can show, any place is as likely.
    let isSteep = level / fit.slope < Self.steepest
    let floor = (isSteep ? 1 : 0.25) / 12.0.squareRoot()
    let bend = isSteep ? 0 : 0.04 * level / fit.slope
    let certain = (sway * sway + floor * floor + bend * bend).squareRoot()

    let doubt = 3 * noise.sigma.value * line.leverage(at: 0).squareRoot()
    let early = (0...passing).first { passes($0, level - doubt) } ?? passing
    let late =
      smooth[passing...].firstIndex { abs($0) > level + doubt }
      ?? smooth.indices.max { abs(smooth[$0]) < abs(smooth[$1]) } ?? passing
    // On one rise the two are 2 doubt / slope apart; much more means that they lie on two waves.
    let apart = Double(max(late - early, passing - early))
    let isDoubtful = !isSteep && apart > 4 + 3 * 2 * doubt / fit.slope
    return Onset(
      frame: fit.frame, uncertainty: isDoubtful ? max(certain, apart / 2) : certain,
      slope: sign * fit.slope, threshold: level)
  }

  /// Fronts that reach the threshold in fewer frames are crossed by a straight line between two samples.
  private static let steepest = 3.0

  private typealias Crossing = (frame: Double, slope: Double, leverage: Double)

  /// The crossing near a place of the smoothed signal: by parabolas, or on the samples where it is steep.
  private func crossing(
    _ passing: Int, _ smooth: [Double], level: Double, frames: Range<Int>,
    height: (Int) -> Double
  ) -> Crossing {
    let near = frames.lowerBound + passing
    let step = smooth[passing] - smooth[passing - 1]
    // The smoothed slope tells a front from a jump of the noise between two samples.
    if level / step < Self.steepest {
      let window = (near - reach..<near + reach)
        .clamped(to: frames.lowerBound + 1..<frames.upperBound)
      if let front = window.first(where: { height($0) > level }) {
        let rise = height(front) - height(front - 1)
        let share = min(1, max(0, (level - height(front - 1)) / rise))
        return (Double(front - 1) + share, rise, 1)
      }
    }
    // Where the samples before showed no passage, though the smoothed signal did, it may be flat here.
    let share = step == 0 ? 0 : (level - smooth[passing - 1]) / step
    let start = Double(near - 1) + max(-Double(reach), min(Double(reach), share))
    return refine(from: start, slope: step, level: level, frames: frames, height: height)
  }

  /// Crosses a level with parabolas around a frame until it stays.
  private func refine(
    from start: Double, slope: Double, level: Double, frames: Range<Int>,
    height: (Int) -> Double
  ) -> Crossing {
    var crossing: Crossing = (start, slope, 1)
    for _ in 0..<6 {
      let rise = max(0, min(Double(4 * reach), level / crossing.slope))
      let first = Int((crossing.frame - max(2, min(Double(reach), rise / 2))).rounded(.down))
      let last = Int((crossing.frame + max(3, min(Double(2 * reach), rise))).rounded(.up))
      let window = (first...last).clamped(to: frames.lowerBound...frames.upperBound - 1)
      guard window.count >= 5,
        let parabola = Parabola(frames: window, origin: crossing.frame, values: height),
        let root = parabola.rising(through: level),
        abs(crossing.frame + root - start) <= Double(2 * reach)
      else { break }
      crossing = (crossing.frame + root, parabola.slope(at: root), parabola.leverage(at: root))
      if abs(root) < 1e-3 { break }
    }
    return crossing
  }
}

/// A least-squares parabola a + b t + c t^2 through evenly spaced values, t counted from an origin.
struct Parabola {
  private let a: Double
  private let b: Double
  private let c: Double
  private let inverse: SymmetricMatrix

  /// Fits the values at whole frames; nil where they do not determine a parabola.
  init?(frames: ClosedRange<Int>, origin: Double, values: (Int) -> Double) {
    var moments = [Double](repeating: 0, count: 5)
    var right = [Double](repeating: 0, count: 3)
    for frame in frames {
      let t = Double(frame) - origin
      let value = values(frame)
      var power = 1.0
      for order in 0..<5 {
        moments[order] += power
        if order < 3 { right[order] += power * value }
        power *= t
      }
    }
    let m = moments
    // Counted from far away, the powers of t are alike: any determinant above 0 will do.
    let normal = SymmetricMatrix(m[0], m[1], m[2], m[2], m[3], m[4])
    guard let inverse = normal.inverse(from: 0) else { return nil }
    self.inverse = inverse
    (a, b, c) = inverse.times((right[0], right[1], right[2]))
  }

  /// The place nearest to the origin where the parabola rises through a level.
  func rising(through level: Double) -> Double? {
    let below = a - level
    let discriminant = b * b - 4 * c * below
    guard discriminant > 0 else { return nil }
    // This root of the two has the slope +sqrt(discriminant); written so that nothing cancels.
    let root = discriminant.squareRoot()
    return b > 0 ? -2 * below / (b + root) : c == 0 ? nil : (root - b) / (2 * c)
  }

  func slope(at t: Double) -> Double { b + 2 * c * t }

  /// The variance of the fitted value at a place, over the variance of one sample.
  func leverage(at t: Double) -> Double { inverse.form((1, t, t * t)) }

  /// The value at the origin of a parabola that moves over samples, one for each frame.
  ///
  /// Uses the frames that this parabola was fitted over, `reach` to each side of its origin 0; what lies
  /// beyond the ends of the samples counts as the sample at the end.
  func smooth(_ samples: [Float], frames: Range<Int>, reach: Int) -> [Double] {
    let weights = (-reach...reach).map { step in
      let t = Double(step)
      return inverse.a + inverse.b * t + inverse.c * t * t
    }
    return frames.map { frame in
      var sum = 0.0
      for step in -reach...reach {
        let place = max(0, min(samples.count - 1, frame + step))
        sum += weights[step + reach] * Double(samples[place])
      }
      return sum
    }
  }
}
