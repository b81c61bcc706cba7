import SignalAnalysis
import Units

/// What a record holds that its model cannot explain, stretch by stretch.
///
/// Stretches of 10 ms of the record less the model's prediction, band-passed. A stretch is disturbed
/// where that exceeds 8 standard deviations of the noise, a fiftieth of the strongest motion, and half of
/// what is predicted within 40 ms, or the time in which its ringing decays: a real actuator is not linear, so what is left over near its resonance follows its motion, and what a
/// slammed door leaves does not.
struct SweepDisturbance: Sendable, Equatable {
  /// The share of the stretches that are disturbed.
  let share: Double
  /// When the worst one is, in seconds from the segment's beginning.
  let time: Double
  /// Its rms in m/s2.
  let strength: Double

  /// Whether anything is disturbed.
  var isDisturbed: Bool { share > 0 }

  init(
    input: [Float], output: [Float], lead: Int, rate: SampleRate, model: ModalModel, noise: Double,
    band: ClosedRange<Double>
  ) {
    let predicted = Self.prediction(input, rate: rate, model: model, band: band)
    let filter = BandPass(band)
    let measured = filter.apply(to: output, rate: rate)
    let size = max(8, Int(rate.frames(0.010)))
    let count = output.count / size
    func rms(_ block: Int, _ value: (Int) -> Double) -> Double {
      let frames = block * size..<(block + 1) * size
      return (frames.reduce(0) { $0 + value($1) * value($1) } / Double(size)).squareRoot()
    }
    // What rings for long is in motion for long after it was driven.
    let decay = model.mode.q.value / (.pi * model.mode.frequency.value)
    let reach = max(4, min(20, Int((decay / 0.010).rounded(.up))))
    let motion = (0..<count).map { rms($0) { predicted[$0] } }
    var (disturbed, worst, place) = (0, 0.0, 0)
    let top = motion.max() ?? 0
    for block in 0..<count {
      let near = max(0, block - reach)...min(count - 1, block + reach)
      let moving = near.reduce(0) { max($0, motion[$1]) }
      let left = rms(block) { measured[$0] - predicted[$0] }
      let limit = max(8 * noise, 0.5 * moving, 0.02 * top)
      guard left > limit else { continue }
      disturbed += 1
      if left > worst { (worst, place) = (left, block) }
    }
    share = count > 0 ? Double(disturbed) / Double(count) : 0
    time = rate.seconds(Double(place * size - lead))
    strength = worst
  }

  private static func prediction(
    _ input: [Float], rate: SampleRate, model: ModalModel, band: ClosedRange<Double>
  ) -> [Double] {
    let filter = BandPass(band)
    let room = rate.wholeFrames(0.2)
    var transform = FourierTransform(
      length: FourierTransform.fastLength(atLeast: input.count + room))
    var bins = transform.forward(input.span)
    for index in bins.indices {
      let frequency = Double(index) * rate.hertz / Double(transform.length)
      let pass = filter.response(at: frequency)
      bins[index] = pass > 0 ? bins[index] * (pass * model.response(at: frequency)) : Complex(0)
    }
    return transform.inverse(bins)
  }
}
