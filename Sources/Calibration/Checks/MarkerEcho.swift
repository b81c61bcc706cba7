import SignalAnalysis
import Units

/// What the sensors saw while the reference was driven and the actuator's own channel was silent.
///
/// An actuator that hangs on the reference's output follows all that is played, markers too.
struct MarkerEcho: Sendable, Equatable {
  private let rate: SampleRate
  /// Volts on the reference.
  private let input: [Float]
  /// The axes in m/s2, their means at rest taken out.
  private let axes: [[Float]]

  /// The share of what the actuator would do there, from which on it is the actuator.
  private static let answer = 0.5

  /// Takes what stands behind a silence; nil where the reference shows nothing there.
  init?(_ response: SegmentResponse, from frame: Int, offsets: [Double]) {
    guard response.inputIsMeasured, frame < response.input.count else { return nil }
    rate = response.rate
    input = Array(response.input[frame...])
    axes = zip(response.axes, offsets).map { axis, offset in
      axis.samples[frame...].map { $0 - Float(offset) }
    }
    let before = response.input[..<frame].suffix(input.count)
    guard Amplitude.rms(input) > 20 * Amplitude.rms(Array(before)), Amplitude.rms(input) > 0 else {
      return nil
    }
  }

  /// Whether the motion is that of the actuator driven by the reference.
  ///
  /// Least squares of the motion on what the response foretells, both within a band; the share found must
  /// stand six standard deviations clear of what is left over.
  ///
  /// - Parameters:
  ///   - response: The actuator's response to volts at a frequency, sensor and delay included.
  ///   - weights: The direction of the motion over the axes.
  ///   - band: Where the response is known.
  /// - Returns: Whether it is.
  func isActuator(
    following response: (Double) -> Complex, along weights: [Double], band: ClosedRange<Double>
  ) -> Bool {
    let filter = BandPass(band)
    var transform = FourierTransform(
      length: FourierTransform.fastLength(atLeast: input.count + rate.wholeFrames(0.2)))
    var bins = transform.forward(input.span)
    for index in bins.indices {
      let frequency = Double(index) * rate.hertz / Double(transform.length)
      let pass = filter.response(at: frequency)
      bins[index] = pass > 0 ? bins[index] * (pass * response(frequency)) : Complex(0)
    }
    let told = transform.inverse(bins)
    let motion = input.indices.map { frame in
      Float(zip(weights, axes).reduce(0.0) { $0 + $1.0 * Double($1.1[frame]) })
    }
    let felt = filter.apply(to: motion, rate: rate)
    let power = felt.indices.reduce(0) { $0 + told[$1] * told[$1] }
    let product = felt.indices.reduce(0) { $0 + told[$1] * felt[$1] }
    guard power > 0, felt.count > 2 else { return false }
    let share = product / power
    let rest = felt.indices.reduce(0) { sum, frame in
      let left = felt[frame] - share * told[frame]
      return sum + left * left
    }
    // Within the band only some of the frames tell anything of their own.
    let width = 2 * (band.upperBound - band.lowerBound) / rate.hertz
    let variance = rest / Double(felt.count) / (power * min(1, width))
    return share > Self.answer && share * share > 36 * variance
  }
}
