/// How large a signal is.
public enum Amplitude {
  /// The largest excursion of a signal, looked for between the samples too.
  public struct Peak: Sendable, Equatable {
    /// Where it stands, in frames with a fraction.
    public let frame: Double
    /// The value there, with its sign.
    public let value: Double
  }

  /// The root of the mean square over `frames`, as far as there are samples, or all; zero for none.
  public static func rms(_ samples: [Float], frames: Range<Int>? = nil) -> Double {
    let frames = (frames ?? samples.indices).clamped(to: samples.indices)
    guard !frames.isEmpty else { return 0 }
    var sum = 0.0
    for frame in frames { sum += Double(samples[frame]) * Double(samples[frame]) }
    return (sum / Double(frames.count)).squareRoot()
  }

  /// The largest excursion from zero, between samples by band-limited interpolation.
  ///
  /// Looks around the 16 highest samples on the signal that a sinc under a Kaiser window (32 samples
  /// each side, beta 9) draws through the samples: good to 1e-4 for what lies below a quarter of the
  /// rate. The highest samples are those of `frames`, or of all; samples beyond the ends count as zero.
  /// Gives nil for no samples. Costs O(n).
  public static func peak(_ samples: [Float], frames: Range<Int>? = nil) -> Peak? {
    let frames = (frames ?? samples.indices).clamped(to: samples.indices)
    guard let top = frames.max(by: { abs(samples[$0]) < abs(samples[$1]) }) else { return nil }
    // Below a quarter of the rate a crest's nearest sample has at least cos(pi/4) of its height.
    let hills = frames.filter { frame in
      let height = abs(samples[frame])
      return height >= 0.7 * abs(samples[top])
        && (frame == 0 || height >= abs(samples[frame - 1]))
        && (frame + 1 == samples.count || height >= abs(samples[frame + 1]))
    }
    let highest = hills.sorted { abs(samples[$0]) > abs(samples[$1]) }.prefix(16)
    return highest.map { crest(samples, near: $0) }.max { abs($0.value) < abs($1.value) }
  }

  /// The top within a frame of a high sample, by golden section: there is one hill there.
  private static func crest(_ samples: [Float], near top: Int) -> Peak {
    let sign: Double = samples[top] < 0 ? -1 : 1
    let ratio = (5.0.squareRoot() - 1) / 2
    var (low, high) = (Double(top) - 1, Double(top) + 1)
    func value(_ frame: Double) -> Double { sign * interpolate(samples, at: frame) }
    var (left, right) = (high - ratio * (high - low), low + ratio * (high - low))
    var (first, second) = (value(left), value(right))
    while high - low > 1e-7 {
      if first > second {
        (high, right, second) = (right, left, first)
        left = high - ratio * (high - low)
        first = value(left)
      } else {
        (low, left, first) = (left, right, second)
        right = low + ratio * (high - low)
        second = value(right)
      }
    }
    let frame = (low + high) / 2
    return Peak(frame: frame, value: interpolate(samples, at: frame))
  }

  /// The value between samples: sum of x[n] sinc(t - n) w(t - n).
  private static func interpolate(_ samples: [Float], at frame: Double) -> Double {
    let reach = Double(WindowedSinc.reach)
    let first = max(0, Int((frame - reach).rounded(.up)))
    let last = min(samples.count - 1, Int((frame + reach).rounded(.down)))
    guard first <= last else { return 0 }
    return (first...last).reduce(0) {
      $0 + Double(samples[$1]) * WindowedSinc.weight(frame - Double($1))
    }
  }
}
