// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Units

/// Resonators with a delay whose response to sampled drive is computed in the frequency domain, exactly
/// for a drive that is band-limited.
struct Modes {
  var delay = 1e-3
  var modes: [(frequency: Double, q: Double, gain: Double)]

  func response(at frequency: Double) -> Complex {
    var sum = Complex(0)
    for mode in modes {
      let ratio = frequency / mode.frequency
      sum =
        sum + Complex(-mode.gain / mode.q * ratio * ratio)
        / Complex(1 - ratio * ratio, ratio / mode.q)
    }
    return sum * Complex(angle: -2 * .pi * frequency * delay)
  }

  /// The response frame by frame, as long as the drive, with silence before and after it.
  func respond(to drive: [Double], rate: SampleRate) -> [Double] {
    var transform = FourierTransform(
      length: FourierTransform.fastLength(atLeast: 2 * drive.count))
    let bins = transform.forward(drive.span)
    let width = rate.hertz / Double(transform.length)
    let filtered = bins.indices.map { bins[$0] * response(at: Double($0) * width) }
    return Array(transform.inverse(filtered).prefix(drive.count))
  }
}

/// A drive with silence before and after it, in seconds.
func padded(_ drive: [Double], before: Double = 0.1, after: Double = 0.6, rate: SampleRate)
  -> [Double]
{
  [Double](repeating: 0, count: rate.wholeFrames(before)) + drive
    + [Double](repeating: 0, count: rate.wholeFrames(after))
}
