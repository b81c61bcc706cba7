private import Glibc
import Units

/// Takes out of a window what still rings from the tone's beginning.
///
/// A ringing of known frequency and decay is fitted beside the tone, its harmonics and an offset, and
/// taken off. So a tone on an actuator that rings for long need not be waited for.
struct RingRemoval: Sendable, Equatable {
  /// The frequency of the ringing in hertz, on the capture's clock.
  let frequency: Double
  /// The time in which it falls by the factor e, in seconds.
  let decay: Double

  /// The samples of a window without the ringing; unchanged where it cannot be told from the tone.
  func apply(
    to samples: [Float], frames: Range<Int>, rate: SampleRate, tone: Double
  ) -> [Float] {
    let frames = frames.clamped(to: samples.indices)
    // Every few samples say all there is to say of a tone and its harmonics.
    let step = max(1, Int(rate.hertz / (16 * max(tone, frequency))))
    let places = stride(from: frames.lowerBound, to: frames.upperBound, by: step)
    let top = samples[frames].reduce(Float(0)) { max($0, abs($1)) }
    guard top > 0 else { return samples }
    func time(_ place: Int) -> Double { rate.seconds(Double(place - frames.lowerBound)) }
    func ring(_ time: Double) -> (Double, Double) {
      let size = exp(-time / decay)
      let turn = 2 * .pi * frequency * time
      return (size * cos(turn), size * sin(turn))
    }
    let rows = places.map { place -> [Double] in
      let (time, turn) = (time(place), 2 * .pi * tone * time(place))
      let (a, b) = ring(time)
      return [
        a, b, cos(turn), sin(turn), cos(2 * turn), sin(2 * turn), cos(3 * turn), sin(3 * turn), 1,
      ]
    }
    guard
      let fit = LinearFit(
        rows: rows, values: places.map { Double(samples[$0]) },
        uncertainties: [Double](repeating: 0.01 * Double(top), count: rows.count)),
      // Right at the resonance a short window may not tell the two apart.
      fit.covariance[0][0].squareRoot() < 0.1 * Double(top)
    else { return samples }
    var cleared = samples
    for place in frames {
      let (a, b) = ring(time(place))
      cleared[place] -= Float(fit.parameters[0] * a + fit.parameters[1] * b)
    }
    return cleared
  }
}
