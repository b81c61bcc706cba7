private import Glibc

/// A stretch of an impulse response, cut out with soft edges and seen as a spectrum.
struct Gate {
  /// The first sample, counted from the reference moment.
  let first: Int
  /// The weight of each sample.
  let weights: [Double]

  /// What a gate of this length without soft edges passes of white noise.
  ///
  /// A little more than this one does. But the edges also make the errors of neighbouring frequencies alike,
  /// and what is fitted lies where the weight is 1: its uncertainty is that of independent errors of this size.
  var noisePower: Double { Double(weights.count) }

  /// Makes a gate from `before` to `after` samples around the reference moment.
  ///
  /// The rise takes a third of what lies before, the fall the last sixth. The length is rounded down
  /// to one that is fast to transform.
  init(before: Double, after: Double) {
    let wanted = max(8, Int((before + after).rounded()))
    var length = wanted & ~1
    while FourierTransform.fastLength(atLeast: length) > length { length -= 2 }
    first = -Int(before.rounded())
    let rise = max(1, before / 3)
    let fall = max(1, (before + after) / 6)
    weights = (0..<length).map { index in
      let start = (Double(index) + 0.5) / rise
      let end = (Double(length - index) - 0.5) / fall
      let edge = min(start, end)
      return edge < 1 ? 0.5 - 0.5 * cos(.pi * max(0, edge)) : 1
    }
  }

  /// The spectrum of the stretch around a sample of a circle, its phase counted from a moment.
  ///
  /// `moment` is that of the centre, in samples; the bins that are asked for are given.
  func spectrum(
    of impulse: ImpulseResponse, around centre: Int, moment: Double, bins: ClosedRange<Int>,
    _ transform: inout FourierTransform
  ) -> [Complex] {
    let stretch = weights.indices.map { weights[$0] * impulse[centre + first + $0] }
    let found = transform.forward(stretch.span)
    // Bin by bin the turn grows by the same angle.
    let unit = -2 * Double.pi * (Double(first) + moment) / Double(transform.length)
    var turn = Complex(angle: unit * Double(bins.lowerBound))
    let step = Complex(angle: unit)
    return bins.map { bin in
      defer { turn = turn * step }
      return found[bin] * turn
    }
  }
}
