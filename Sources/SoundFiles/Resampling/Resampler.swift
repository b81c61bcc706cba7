// SPDX-License-Identifier: Apache-2.0

import CSoxr
package import Units

package enum Resampler {
  package struct Failure: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  /// Resamples a signal by libsoxr at its very high quality: linear phase, without delay.
  ///
  /// Keeps what lies below 91 % of half the lower rate. Frame 0 stays at its time, and n frames become
  /// n times the ratio of the rates, rounded to nearest. About 1 ms for 1 s of sound.
  package static func resample(
    _ signal: Signal, to rate: SampleRate
  ) throws(Failure) -> Signal {
    guard signal.rate != rate, !signal.samples.isEmpty else {
      return Signal(samples: signal.samples, rate: rate, unit: signal.unit)
    }
    let ratio = rate.hertz / signal.rate.hertz
    let count = Int((Double(signal.samples.count) * ratio).rounded())
    var formats = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
    var quality = soxr_quality_spec(UInt(SOXR_VHQ), 0)
    // One thread: the sums are the same on every machine and run.
    var runtime = soxr_runtime_spec(1)
    var samples = [Float](repeating: 0, count: count)
    var made = 0
    let message = soxr_oneshot(
      signal.rate.hertz, rate.hertz, 1, signal.samples, signal.samples.count, nil, &samples, count,
      &made, &formats, &quality, &runtime)
    if let message {
      throw Failure(
        description: "\(signal.rate) cannot be resampled to \(rate): \(String(cString: message))")
    }
    // soxr rounds its own count, which is one less for some ratios: that last frame stays zero.
    guard made >= count - 1 else {
      throw Failure(
        description: "resampling \(signal.rate) to \(rate) gave \(made) of \(count) frames")
    }
    return Signal(samples: samples, rate: rate, unit: signal.unit)
  }
}
