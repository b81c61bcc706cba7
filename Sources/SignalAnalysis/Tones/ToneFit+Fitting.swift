private import Glibc
public import Units

extension ToneFit {
  /// Fits a tone of known frequency, its harmonics and an offset.
  ///
  /// The window is `frames`, as far as there are samples, or all. Harmonics at or above 0.95 of half
  /// the rate are left out. White noise is assumed for the uncertainties. Gives nil where the window
  /// is shorter than one period or 4 frames a parameter, or a sample is not finite. Costs O(n) times
  /// the number of harmonics.
  public static func fit(
    _ samples: [Float], frames: Range<Int>? = nil, rate: SampleRate, frequency: Double,
    harmonics: Int = 5
  ) -> ToneFit? {
    let frames = (frames ?? samples.indices).clamped(to: samples.indices)
    let nyquist = 0.95 * rate.hertz / 2
    guard frequency > 0, frequency < nyquist, harmonics >= 1 else { return nil }
    let orders = min(harmonics, max(1, Int(nyquist / frequency)))
    let parameters = 2 * orders + 1
    guard Double(frames.count) * frequency >= rate.hertz, frames.count >= 4 * parameters else {
      return nil
    }
    return ToneProjection(samples, frames, step: frequency / rate.hertz, orders: orders)?
      .tone(frequency: Estimate(frequency, uncertainty: 0))
  }

  /// Fits a tone whose frequency is known to about a fifth of one over the window, and finds it.
  ///
  /// The phases of the two halves of the window say by how much the frequency is off; repeated until
  /// that is less than a hundredth of its uncertainty, the bound of Cramer and Rao,
  /// sqrt(6) s / (pi A T sqrt(n)).
  public static func refining(
    _ samples: [Float], frames: Range<Int>? = nil, rate: SampleRate, frequency: Double,
    harmonics: Int = 5
  ) -> ToneFit? {
    let frames = (frames ?? samples.indices).clamped(to: samples.indices)
    let half = frames.count / 2
    let middle = frames.lowerBound + half
    let seconds = rate.seconds(Double(frames.count))
    var found = frequency
    for _ in 0..<12 {
      guard
        let first = fit(
          samples, frames: frames.lowerBound..<middle, rate: rate, frequency: found,
          harmonics: harmonics),
        let second = fit(
          samples, frames: middle..<frames.upperBound, rate: rate, frequency: found,
          harmonics: harmonics)
      else { return nil }
      let turn = second.fundamental.phase.value - first.fundamental.phase.value
      let nearest = turn - 2 * .pi * (turn / (2 * .pi)).rounded()
      // The halves' middles are half the window apart.
      let step = nearest / (.pi * seconds)
      found += step
      if abs(step) < 1e-9 * found { break }
    }
    guard
      let whole = fit(
        samples, frames: frames, rate: rate, frequency: found, harmonics: harmonics)
    else { return nil }
    let bound =
      6.0.squareRoot() * whole.residual
      / (.pi * max(whole.fundamental.amplitude.value, 1e-300) * seconds
        * Double(frames.count).squareRoot())
    // The phase difference of two halves is a little less exact than the bound: by sqrt(4/3).
    return ToneFit(
      frequency: Estimate(found, uncertainty: 1.155 * bound), components: whole.components,
      offset: whole.offset, residual: whole.residual)
  }
}
