/// A waveform as a clock sees it that runs a little faster, or that began at a part of a frame.
///
/// Band-limited interpolation by a sinc under a Kaiser window (32 frames to each side, beta 9), good to
/// 1e-5 for what lies below 0.47 of the rate. What lies beyond the ends counts as zero.
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
