// SPDX-License-Identifier: Apache-2.0

private import Glibc
import SignalAnalysis

/// The spectrum of the newest stretch of a sound in bands of a 24th of an octave, from 30 Hz to 17 kHz.
///
/// Triangles over the bins of a transform, as in Boeck and Widmer (2013); where bins are wider than bands,
/// bands are fewer.
struct LogSpectrum: ~Copyable {
  /// The centres of the bands, in hertz.
  let centres: [Double]
  /// From the middle of the stretch to its being known, in seconds.
  let delay: Double
  /// The magnitudes that were read last: 1 for a sine of amplitude 1 in the middle of its band.
  private(set) var magnitudes: [Double]
  private let length: Int
  private var transform: FourierTransform
  private let window: [Float]
  private let corners: [Int]
  /// The shares of the bins of all bands, one after the other.
  private let shares: [Double]
  private var decimator: Decimator
  /// The stretch itself; what lies before a sound is silence.
  private var recent: [Float]

  /// Makes one for stretches of about a length in seconds.
  init(seconds: Double, rate: Double) {
    let decimator = Decimator(rate: rate)
    let rate = rate / Double(decimator.factor)
    let length = FourierTransform.commonLength(atLeast: Int((seconds * rate).rounded(.up)))
    transform = FourierTransform(length: length)
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
    centres = corners.dropFirst().dropLast().map { Double($0) * rate / Double(length) }
    var shares: [Double] = []
    for band in centres.indices {
      let (low, centre, high) = (corners[band], corners[band + 1], corners[band + 2])
      for bin in (low + 1)..<high {
        shares.append(
          bin <= centre
            ? Double(bin - low) / Double(centre - low) : Double(high - bin) / Double(high - centre))
      }
    }
    self.corners = corners
    self.shares = shares
    self.length = length
    delay = Double(length) / 2 / rate + decimator.delay
    self.decimator = decimator
    magnitudes = [Double](repeating: 0, count: centres.count)
    recent = [Float](repeating: 0, count: length)
  }

  /// Takes the next samples.
  mutating func hear(_ samples: Span<Float>) {
    decimator.take(samples, into: &recent)
    recent.removeFirst(recent.count - length)
  }

  /// Writes the magnitudes of the bands of the stretch that ends with the newest sample.
  mutating func read() {
    for index in 0..<length { transform.samples[index] = Double(window[index] * recent[index]) }
    let bins = transform.run()
    var next = 0
    for band in centres.indices {
      var sum = 0.0
      for bin in (corners[band] + 1)..<corners[band + 2] {
        let (real, imaginary) = (bins[bin].real, bins[bin].imaginary)
        sum += shares[next] * (real * real + imaginary * imaginary).squareRoot()
        next += 1
      }
      magnitudes[band] = sum
    }
  }
}
