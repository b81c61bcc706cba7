/// How large a signal is.
public enum Amplitude {
  /// The root of the mean square over `frames`, as far as there are samples, or all; zero for none.
  public static func rms(_ samples: [Float], frames: Range<Int>? = nil) -> Double {
    let frames = (frames ?? samples.indices).clamped(to: samples.indices)
    guard !frames.isEmpty else { return 0 }
    var sum = 0.0
    for frame in frames { sum += Double(samples[frame]) * Double(samples[frame]) }
    return (sum / Double(frames.count)).squareRoot()
  }
}
