import SignalAnalysis
import Units

/// What the mass does while a sweep passes its resonance.
struct PassingMotion: Sendable, Equatable {
  /// The resonance, in hertz.
  let resonance: Double
  /// The greatest displacement, in metres as the mount's acceleration tells it.
  let displacement: Double
  /// The frequency of the drive when it was there.
  let frequency: Double

  /// Looks at the answer to a sweep, over some octave around a resonance in hertz.
  init(
    _ output: [Float], capture: Capture, sweep: SynchronizedSweep, resonance: Double, delay: Double
  ) {
    let rate = capture.rate
    let filter = BandPass(0.7 * resonance...1.7 * resonance)
    var transform = FourierTransform(
      length: FourierTransform.fastLength(atLeast: output.count + rate.wholeFrames(0.2)))
    var bins = transform.forward(output.span)
    for index in bins.indices {
      let place = Double(index) * rate.hertz / Double(transform.length)
      let pass = filter.response(at: place)
      let w = 2 * Double.pi * place
      bins[index] = pass > 0 ? (-pass / (w * w)) * bins[index] : Complex(0)
    }
    let moved = transform.inverse(bins)
    var (furthest, place) = (0.0, 0)
    for frame in output.indices where abs(moved[frame]) > furthest {
      (furthest, place) = (abs(moved[frame]), frame)
    }
    self.resonance = resonance
    displacement = furthest
    let time = rate.seconds(Double(place - capture.lead)) / (1 + capture.clock) - delay
    frequency = sweep.frequency(at: max(0, min(sweep.duration, time)))
  }
}
