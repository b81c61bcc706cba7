private import Glibc

/// How late a long known signal stands in a recording, judged by an excerpt of the recording alone.
///
/// Least squares of recording = gain signal(frame - delay) + offset over the excerpt, whose ends are faded:
/// where it is cut out of a tone no bias comes of the cut, as the signal is known beyond it. Of several
/// delays that explain a tone nearly as well the likeliest counts, by what is left over and by what was
/// expected; where that does not decide, no cycle is guessed.
public struct ExcerptDelay: Sendable {
  /// What an excerpt tells.
  public struct Found: Sendable, Equatable {
    /// Recording frame minus signal frame, with its fraction.
    public let delay: Double
    /// One standard deviation of the delay in frames: by the spectrum of what is left over, and at least
    /// the bound.
    public let uncertainty: Double
    /// The smallest standard deviation, in frames, that white noise of the residual's power allows.
    public let cramerRaoBound: Double
    /// The recording's amplitude over the signal's.
    public let gain: Double
    /// The signal frame that the delay belongs to: where the energy of the signal's slope is centred.
    public let centre: Double
    /// The power of the signal over the power of what is left without it, over the full band, in dB.
    public let signalToNoise: Double
  }

  /// Frames by which the known signal must be as sent beyond an excerpt and the delays that are searched.
  public static let margin = 256
  /// Frames over which the signal is faded beyond its margin's inner part.
  private static let fade = 192
  /// The nepers by which the best delay must be likelier than any other one.
  private static let decision = 10.0
  /// The nepers by which it must be likelier than no signal at all.
  private static let presence = 20.0

  private let signal: [Float]
  private let recording: [Float]
  private let gain: Double

  /// Takes what was sent, silence before and after, and a recording of it.
  ///
  /// `gain` is what the signal comes back as; a found one that is a fifth off is not believed.
  public init(signal: [Float], recording: [Float], gain: Double) {
    self.signal = signal
    self.recording = recording
    self.gain = gain
  }

  /// How far from the expected delay is searched, in frames: five standard deviations and a few frames.
  public static func reach(of expected: Estimate) -> Int {
    Int((5 * expected.uncertainty).rounded(.up)) + 4
  }

  /// Finds the delay of an excerpt of at least 64 frames, all of them true samples.
  ///
  /// `expected` is the delay as it is known before, normally distributed, in frames. Throws where there is no
  /// signal, none is found, or more than one delay explains it.
  public func delay(in frames: Range<Int>, expected: Estimate) throws(DelayError) -> Found {
    guard frames.count >= 64, frames.lowerBound >= 0, frames.upperBound <= recording.count else {
      throw .notFound(reason: "the excerpt \(frames) is not inside the recording, or too short")
    }
    for frame in frames where !recording[frame].isFinite { throw .notFinite(frame: frame) }
    let fit = ExcerptFit(
      signal: signal, recording: recording, frames: frames,
      delay: Int(expected.value.rounded()), reach: Self.reach(of: expected), margin: Self.margin,
      fade: Self.fade)
    guard fit.holdsSignal else { throw .notFound(reason: "the signal is silent there") }
    let shift = ExpectedShift(
      centre: expected.value - expected.value.rounded(), uncertainty: expected.uncertainty)
    var found: [(solution: ExcerptFit.Solution, likelihood: Double)] = []
    for (place, lobe) in fit.lobes(positive: gain > 0, expected: shift).enumerated() {
      if place >= LobeTops.fewest, let best = found.first {
        if lobe.ceiling < best.likelihood - Self.decision { break }
        guard place < LobeTops.most else {
          throw .notFound(reason: "more than \(place) delays explain it nearly as well")
        }
      }
      guard let solution = fit.refined(from: Double(lobe.shift), gain: gain) else { continue }
      found.append((solution, solution.likelihood + shift.likelihood(of: solution.shift)))
      found.sort { $0.likelihood > $1.likelihood }
    }
    guard let (best, likelihood) = found.first else {
      throw .notFound(reason: "no delay near the expected one explains it")
    }
    guard best.likelihood >= Self.presence else {
      throw .notFound(reason: "the signal does not stand out of the noise")
    }
    let rival = found.dropFirst().first { abs($0.solution.shift - best.shift) > 0.5 }
    if let rival, likelihood - rival.likelihood < Self.decision {
      throw .notFound(
        reason: "two delays explain it nearly as well, "
          + "\(Int(abs(rival.solution.shift - best.shift).rounded())) frames apart")
    }
    let tolerance = max(0.2 * abs(gain), 5 * best.gainUncertainty)
    guard abs(best.gain - gain) <= tolerance else {
      throw .notFound(reason: "it is not as strong as the signal elsewhere")
    }
    let delay = expected.value.rounded() + best.shift
    return Found(
      delay: delay, uncertainty: best.uncertainty, cramerRaoBound: best.bound, gain: best.gain,
      centre: Double(frames.lowerBound) + best.centre - delay, signalToNoise: best.signalToNoise)
  }
}
