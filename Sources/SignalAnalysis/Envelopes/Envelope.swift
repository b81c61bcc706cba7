// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import Units

/// How the strength of a vibration runs with time.
public enum Envelope {
  /// The amplitude of a band-limited signal: the modulus of its analytic signal (Hilbert).
  ///
  /// One value a sample, not delayed, in the signal's unit: a steady sine has its peak value.
  /// With a resonance, of what drives it: what the resonance does to the signal is undone, its ringing with it.
  /// Costs three transforms.
  public static func hilbert(
    _ samples: [Float], rate: SampleRate, band: ClosedRange<Double> = 20...1_000,
    undoing resonance: Resonance? = nil
  ) -> [Double] {
    BandPass(band).analytic(samples, rate: rate, undoing: resonance).map(\.magnitude)
  }

  /// The root of the mean square over a window that moves along, one value a sample.
  ///
  /// The window of `frames` samples, made odd, stands with its middle on each sample; at the ends it
  /// is cut. Costs O(n).
  public static func movingRMS(_ samples: [Float], frames: Int) -> [Double] {
    precondition(frames > 0, "a window of \(frames) frames")
    let half = frames / 2
    let sums = samples.lazy.map { Double($0) * Double($0) }.runningSums()
    return samples.indices.map { index in
      let (first, end) = (max(0, index - half), min(samples.count, index + half + 1))
      return (max(0, sums[end] - sums[first]) / Double(end - first)).squareRoot()
    }
  }
}

/// A band-pass without phase: what lies outside a band is taken out of the spectrum.
///
/// The response is 1 inside, 0 below half the lower and above 1.25 times the upper frequency, and
/// follows a raised cosine between.
public struct BandPass: Sendable, Equatable {
  /// The band that passes unchanged, in hertz.
  public let band: ClosedRange<Double>

  /// Makes a filter; traps unless the lower frequency is above zero.
  public init(_ band: ClosedRange<Double>) {
    precondition(band.lowerBound > 0, "a band from \(band.lowerBound) Hz")
    self.band = band
  }

  /// The factor at a frequency in hertz, 0 to 1.
  public func response(at frequency: Double) -> Double {
    let (low, high) = (band.lowerBound, band.upperBound)
    guard !band.contains(frequency) else { return 1 }
    guard frequency > low / 2, frequency < 1.25 * high else { return 0 }
    if frequency < low { return RaisedCosine.rise((frequency - low / 2) / (low / 2)) }
    return RaisedCosine.rise((1.25 * high - frequency) / (0.25 * high))
  }

  /// Filters samples and keeps their count and their time.
  ///
  /// Zeros stand beyond both ends. Costs two transforms.
  public func apply(to samples: [Float], rate: SampleRate) -> [Double] {
    filtered(samples, rate: rate) { plan, bins in
      Self.back(bins, &plan, count: samples.count) { $0 }
    }
  }

  /// The filtered samples with, as imaginary parts, the same turned by 90 degrees.
  ///
  /// With a resonance, what it does to them is undone.
  func analytic(
    _ samples: [Float], rate: SampleRate, undoing resonance: Resonance? = nil
  ) -> [Complex] {
    filtered(samples, rate: rate, undoing: resonance) { plan, bins in
      let real = Self.back(bins, &plan, count: samples.count) { $0 }
      let turned = Self.back(bins, &plan, count: samples.count) { Complex($0.imaginary, -$0.real) }
      return zip(real, turned).map { Complex($0, $1) }
    }
  }

  private static func back(
    _ bins: [Complex], _ plan: inout FourierTransform, count: Int, _ change: (Complex) -> Complex
  ) -> [Double] {
    let scale = 1 / Double(plan.length)
    let samples = plan.inverse { product in
      for index in bins.indices { product[index] = change(bins[index]) }
    }
    return (0..<count).map { samples[$0] * scale }
  }

  private func filtered<Value>(
    _ samples: [Float], rate: SampleRate, undoing resonance: Resonance? = nil,
    _ body: (inout FourierTransform, [Complex]) -> Value
  ) -> Value {
    // The filter rings for some periods of its lower edge: room for them, so that nothing wraps.
    let room = Int(rate.frames(4 / band.lowerBound))
    var transform = FourierTransform(
      length: FourierTransform.commonLength(atLeast: samples.count + room))
    var bins = transform.forward(samples.span)
    for index in bins.indices {
      let frequency = Double(index) * rate.hertz / Double(transform.length)
      let share = response(at: frequency)
      bins[index] = share * bins[index]
      if share > 0, let resonance { bins[index] = bins[index] / resonance.response(at: frequency) }
    }
    return body(&transform, bins)
  }
}

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
