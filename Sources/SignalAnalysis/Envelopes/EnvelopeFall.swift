private import Glibc
public import Units

/// When a vibration has fallen to a share of its peak for good.
public struct EnvelopeFall: Sendable, Equatable {
  /// The frame, with its fraction.
  public let frame: Estimate
  /// The highest absolute value of the samples in the band.
  public let peak: Double

  /// Why there is no such moment.
  public enum Failure: Error, Equatable, CustomStringConvertible {
    /// The level is hidden by the noise.
    case noisy
    /// The envelope is above the level when the stretch ends.
    case lasting
    /// The fall has too few frames, or no slope.
    case steepless

    /// One sentence.
    public var description: String {
      switch self {
      case .noisy: "noise hides the end of its decay"
      case .lasting: "it has not decayed when the next event begins, or the recording ends"
      case .steepless: "its decay has no slope that could be timed"
      }
    }
  }

  /// The level stands so many standard deviations high: below that the noise passes it by itself.
  private static let leastContrast = 4.0
  /// The fall is fitted within this factor of the level to either side: a decay is a straight line there.
  private static let fittedFactor = 2.5
  /// Frames of the fall at least, so that a parabola is determined.
  private static let fewestFrames = 3
  /// What lies outside the band, and the way of a parabola, leave so much open, in seconds.
  private static let finestSeconds = 40e-6

  /// Finds the last passage of a share of the peak in some frames of a stretch.
  ///
  /// The peak is that of the samples themselves in `band`: a Hilbert envelope overshoots by some percent
  /// where a tone is cut off, which would be taken for a fall a millisecond early. What falls is the
  /// envelope. Around its last passage, while it lies between 2.5 times
  /// the level and the level over 2.5, a parabola is fitted to its logarithm (noise power taken off,
  /// weighted by the envelope's square) and crossed with the level: a decay is a straight line there. The
  /// uncertainty comes from the noise, whose standard deviation in the band is `noise`, and from what the
  /// parabola leaves over. The level must stand four standard deviations high. Costs three transforms.
  public static func find(
    _ samples: [Float], frames: Range<Int>, rate: SampleRate, noise: Double, share: Double = 0.1,
    band: ClosedRange<Double> = 20...1_000
  ) throws(Failure) -> EnvelopeFall {
    let analytic = BandPass(band).analytic(samples, rate: rate)
    let envelope = analytic.map(\.magnitude)
    let frames = frames.clamped(to: envelope.indices)
    guard let top = frames.max(by: { abs(analytic[$0].real) < abs(analytic[$1].real) }) else {
      throw .lasting
    }
    let peak = abs(analytic[top].real)
    let level = share * peak
    guard level > leastContrast * noise else { throw .noisy }
    let after = top..<frames.upperBound
    guard let last = after.last(where: { envelope[$0] >= level }) else { throw .lasting }
    let end = after.first { $0 > last && envelope[$0] < level / fittedFactor } ?? frames.upperBound
    // A fall that the stretch cuts off may rise again.
    guard end < frames.upperBound, last + fewestFrames < end else {
      throw end < frames.upperBound ? .steepless : .lasting
    }
    let begin = (top...last).last { envelope[$0] > fittedFactor * level } ?? top
    var logarithms: [(place: Double, value: Double, weight: Double)] = []
    for frame in begin...end {
      let power = envelope[frame] * envelope[frame] - 2 * noise * noise
      guard power > noise * noise else { continue }
      logarithms.append((Double(frame - last), 0.5 * log(power) - log(level), power))
    }
    guard let fall = WeightedParabola(logarithms), let place = fall.falling(through: 0),
      abs(place) <= Double(end - begin)
    else { throw .steepless }
    let slope = abs(fall.slope(at: place))
    // A frame holds this share of an independent number.
    let freedom = min(1, 2 * (band.upperBound - band.lowerBound) / rate.hertz)
    let own = noise / level * (fall.leverage(at: place) * level * level / freedom).squareRoot()
    let shape = max(0, fall.residual - noise * noise / (level * level)).squareRoot()
    let height = noise / peak / freedom.squareRoot()
    let spread = (own * own + shape * shape + height * height).squareRoot() / slope
    return EnvelopeFall(
      frame: Estimate(Double(last) + place, uncertainty: spread)
        .widened(by: rate.frames(finestSeconds)), peak: peak)
  }
}

private struct WeightedParabola {
  private let coefficients: [Double]
  private let inverse: SymmetricInverse
  /// The weighted mean square of what is left over.
  let residual: Double

  /// Fits values at places; `nil` for fewer than four.
  init?(_ points: [(place: Double, value: Double, weight: Double)]) {
    guard points.count >= 4 else { return nil }
    let inverse = SymmetricInverse(size: 3) { row, column in
      points.reduce(0) { $0 + $1.weight * Self.power($1.place, row + column) }
    }
    let right = (0..<3).map { row in
      points.reduce(0) { $0 + $1.weight * Self.power($1.place, row) * $1.value }
    }
    let coefficients = inverse.times(right)
    guard coefficients.allSatisfy(\.isFinite) else { return nil }
    let total = points.reduce(0) { $0 + $1.weight }
    residual =
      points.reduce(0) { sum, point in
        let model = (0..<3).reduce(0) {
          $0 + coefficients[$1] * Self.power(point.place, $1)
        }
        return sum + point.weight * (point.value - model) * (point.value - model)
      } / total
    self.coefficients = coefficients
    self.inverse = inverse
  }

  /// The place nearest to 0 where the parabola falls through a level.
  func falling(through level: Double) -> Double? {
    let (a, b, c) = (coefficients[0] - level, coefficients[1], coefficients[2])
    guard abs(c) > 1e-15 else { return b < 0 ? -a / b : nil }
    let discriminant = b * b - 4 * a * c
    guard discriminant > 0, b < 0 else { return nil }
    return 2 * a / (-b + discriminant.squareRoot())
  }

  func slope(at place: Double) -> Double { coefficients[1] + 2 * coefficients[2] * place }

  /// The variance of the fitted value at a place, over the variance of a value of weight one.
  func leverage(at place: Double) -> Double {
    var sum = 0.0
    for row in 0..<3 {
      for column in 0..<3 { sum += Self.power(place, row + column) * inverse[row, column] }
    }
    return max(0, sum)
  }

  private static func power(_ base: Double, _ exponent: Int) -> Double {
    (0..<exponent).reduce(1.0) { value, _ in value * base }
  }
}
