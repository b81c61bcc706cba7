import SignalAnalysis

extension SeparatedResponse {
  /// The height of the response's highest crest in some of its frames; `nil` where there is none.
  ///
  /// The fitted response says which crest that is, so that noise cannot choose one that it lifts; how high it
  /// is the measured samples say, from one zero to the next: a = sum(m f) / sum(f^2) times the fitted
  /// height. With white noise of standard deviation s a frame, its own is s h / sqrt(sum(f^2)).
  func crest(within frames: Range<Int>, noise: Double) -> Estimate? {
    let frames = frames.clamped(to: fitted.indices)
    guard let top = frames.max(by: { abs(fitted[$0]) < abs(fitted[$1]) }), fitted[top] != 0 else {
      return nil
    }
    let isSame = { (frame: Int) in fitted[frame] * fitted[top] > 0 }
    let first = (fitted.startIndex..<top).last { !isSame($0) } ?? fitted.startIndex
    let last = (top..<fitted.endIndex).first { !isSame($0) } ?? fitted.endIndex
    var (shared, own) = (0.0, 0.0)
    for frame in first..<last {
      shared += measured[frame] * fitted[frame]
      own += fitted[frame] * fitted[frame]
    }
    let height = abs(fitted[top])
    return Estimate(
      max(0, height * shared / own), uncertainty: noise * height / own.squareRoot())
  }
}
