// SPDX-License-Identifier: Apache-2.0

private import Glibc
import SignalAnalysis

/// The spectrum of a stretch of sound in bands of a 24th of an octave, from 30 Hz to 17 kHz.
///
/// Triangles over the bins of a transform, as in Boeck and Widmer (2013); where bins are wider than bands,
/// bands are fewer.
struct LogSpectrum: ~Copyable {
  let length: Int
  /// The centres of the bands, in hertz.
  let centres: [Double]
  /// The magnitudes that were read last: 1 for a sine of amplitude 1 in the middle of its band.
  private(set) var magnitudes: [Double]
  private var transform: FourierTransform
  private let window: [Float]
  private let corners: [Int]

  /// Makes one for stretches of about a length in seconds.
  init(seconds: Double, rate: Double) {
    length = FourierTransform.commonLength(atLeast: Int((seconds * rate).rounded(.up)))
    transform = FourierTransform(length: length)
    let length = length
    // Twice the mean of the window is taken off, so that a sine of amplitude 1 has the magnitude 1.
    window = (0..<length).map {
      Float((1 - cos(2 * .pi * (Double($0) + 0.5) / Double(length))) * 2 / Double(length))
    }
    var corners: [Int] = []
    for step in 0... {
      let frequency = 30 * exp2(Double(step) / 24)
      guard frequency < min(17_000, 0.48 * rate) else { break }
      let bin = Int((frequency * Double(length) / rate).rounded())
      if bin > corners.last ?? 0 { corners.append(bin) }
    }
    self.corners = corners
    centres = corners.dropFirst().dropLast().map { Double($0) * rate / Double(length) }
    magnitudes = [Double](repeating: 0, count: centres.count)
  }

  /// Writes the magnitudes of the bands of the stretch that ends with the newest sample.
  mutating func read(_ history: SoundHistory) {
    let first = history.count - length
    for index in 0..<length {
      transform.samples[index] = Double(window[index] * history.sample(first + index))
    }
    let bins = transform.run()
    for band in centres.indices {
      let (low, centre, high) = (corners[band], corners[band + 1], corners[band + 2])
      var sum = 0.0
      for bin in (low + 1)..<high {
        let share =
          bin <= centre
          ? Double(bin - low) / Double(centre - low) : Double(high - bin) / Double(high - centre)
        let (real, imaginary) = (bins[bin].real, bins[bin].imaginary)
        sum += share * (real * real + imaginary * imaginary).squareRoot()
      }
      magnitudes[band] = sum
    }
  }
}
