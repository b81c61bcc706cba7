// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The weights that tell a band-limited signal between its samples: a sinc under a Kaiser window.
///
/// Kaiser, J. F. & Schafer, R. W., "On the use of the I0-sinh window for spectrum analysis", IEEE
/// Trans. ASSP 28(1), 1980, with beta 9: what leaks from beyond the band lies 90 dB below.
enum WindowedSinc {
  /// How many samples on either side of a place have a weight.
  static let reach = 32

  private static let beta = 9.0
  private static let norm = besselI0(beta)

  /// The weight of a sample at a distance in frames; 0 from `reach` on.
  static func weight(_ distance: Double) -> Double {
    let share = distance / Double(reach)
    guard abs(share) < 1 else { return 0 }
    let window = besselI0(beta * (1 - share * share).squareRoot()) / norm
    return window * (abs(distance) < 1e-12 ? 1 : sin(.pi * distance) / (.pi * distance))
  }

  /// The modified Bessel function of order zero, by its power series.
  private static func besselI0(_ x: Double) -> Double {
    var (term, sum, k) = (1.0, 1.0, 0.0)
    while term > 1e-17 * sum {
      k += 1
      term *= (x / (2 * k)) * (x / (2 * k))
      sum += term
    }
    return sum
  }
}

/// A waveform as a clock sees it that runs a little faster, or that began at a part of a frame.
///
/// By `WindowedSinc`, good to 1e-5 for what lies below 0.47 of the rate. What lies beyond the ends counts as zero.
public enum TimeStretch {
  /// The value at (n - offset) / stretch of a waveform, for n from 0.
  ///
  /// So the waveform comes `offset` frames later and lasts `stretch` times as long. Costs 64
  /// multiplications for each frame.
  public static func apply(
    _ samples: [Double], offset: Double, stretch: Double, count: Int
  ) -> [Double] {
    precondition(stretch > 0, "a stretch of \(stretch)")
    return (0..<count).map { index in
      let place = (Double(index) - offset) / stretch
      let base = place.rounded(.down)
      guard base > -Double(reach), base < Double(samples.count + reach) else { return 0 }
      return value(of: samples, base: Int(base), share: place - base)
    }
  }

  private static let reach = WindowedSinc.reach
  private static let phases = 1024

  private static func value(of samples: [Double], base: Int, share: Double) -> Double {
    let phase = share * Double(phases)
    let row = min(phases - 1, Int(phase))
    let (near, far) = (row * 2 * reach, (row + 1) * 2 * reach)
    let part = phase - Double(row)
    let first = max(0, base - reach + 1)
    let last = min(samples.count - 1, base + reach)
    guard first <= last else { return 0 }
    var sum = 0.0
    for frame in first...last {
      let tap = frame - base + reach - 1
      sum += samples[frame] * (kernel[near + tap] + part * (kernel[far + tap] - kernel[near + tap]))
    }
    return sum
  }

  /// For each part of a frame, the weights of the 64 frames about it.
  private static let kernel: [Double] = (0...phases).flatMap { phase in
    (0..<(2 * reach)).map { tap in
      WindowedSinc.weight(Double(tap - reach + 1) - Double(phase) / Double(phases))
    }
  }
}
