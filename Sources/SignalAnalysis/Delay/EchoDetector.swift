/// Tells whether a known waveform came back by one path or by two that lie close together.
///
/// An echo a few frames after a signal cannot be told from it in time: it shows as a ripple of the
/// transfer function, 1 + a exp(-j w t), as do the filters of every converter. So two models are fitted
/// to the mean spectrum of several passages: one path of any gain and delay through a low-pass and a
/// high-pass of second order each (`PathModel`), and the same with an echo. What scatters from passage
/// to passage is the noise. An echo is told where it explains what the one path leaves over.
///
/// Below a quarter of a period of the waveform's highest frequency an echo is no other than a low-pass,
/// and none is told. Cost: some milliseconds for twenty passages of 2,400 frames.
public struct EchoDetector: Sendable {
  /// A second path beside the first.
  public struct Echo: Sendable, Equatable {
    /// How much later it comes than the stronger, in frames; negative where it comes before.
    public let distance: Double
    /// Its amplitude over that of the stronger, -1...1; negative where its polarity is the other.
    public let share: Double
  }

  /// The known waveform, as it comes back on the recording's clock.
  public let template: [Double]

  /// An echo weaker than this share is not told, however sure it is.
  private static let minimumShare = 0.05

  /// How much better than the one path the echo must explain the spectrum: the drop of chi-square.
  ///
  /// Noise alone drops it by 30 once in a million; some room is left for noise that is not white.
  private static let significance = 40.0
  /// The share of what one path leaves over that the echo must explain.
  ///
  /// What else does not fit, as hum or an echo far away, is not made an echo nearby.
  private static let explainedShare = 0.5
  /// Distances that are told, in periods of the waveform's highest frequency.
  private static let periods = 0.25...2.5
  /// Distances that are tried in any case, in quarters of a period: where filters mimic an echo in part,
  /// the first order about them leads nowhere.
  private static let coarse = [2, -2, 3, -3, 1.33, -1.33, 4.4, -4.4]
  /// How many of the likeliest distances are tried beside those.
  private static let startLimit = 4
  /// Frames before a passage that are looked at too: what band limits spread of it.
  private static let lead = 96

  /// Makes a detector of one waveform, under the conditions of `DelayEstimator`.
  public init(template: [Double]) { self.template = template }

  /// Looks for an echo near the waveform.
  ///
  /// `arrivals` are the frames at which the waveform's frame 0 stands, as `DelayEstimator` gives them; what is
  /// too near the recording's ends is left out. Gives nil where one path explains what came back, or fewer
  /// than three passages are left to know the noise by.
  public func echo(in recording: [Float], arrivals: [Double]) -> Echo? {
    let tail = template.count / 5
    let windows = arrivals.compactMap { arrival -> (frames: Range<Int>, shift: Double)? in
      let first = Int(arrival.rounded()) - Self.lead
      let frames = first..<(first + Self.lead + template.count + tail)
      guard first >= 0, frames.upperBound <= recording.count else { return nil }
      return (frames, arrival - Double(first))
    }
    guard windows.count >= 3,
      let spectra = PathSpectra(
        template: template,
        windows: windows.map { (Array(recording[$0.frames]), $0.shift) })
    else { return nil }
    return echo(in: spectra)
  }

  private func echo(in spectra: PathSpectra) -> Echo? {
    let model = PathModel(spectra: spectra)
    guard let first = model.singlePath() else { return nil }
    let period = 2 * .pi / spectra.highest
    let near = Self.periods.lowerBound * period
    let distances = stride(from: near, through: Self.periods.upperBound * period, by: near / 3)
    let starts = model.starts(distances.flatMap { [$0, -$0] }, beside: first)
    // One path that fits as well as noise lets it, and no echo that would better it, is one path.
    let missing = first.sumOfSquares - Double(model.residualCount)
    guard let best = starts.first,
      best.gained >= Self.significance / 2 || missing >= Self.significance
    else { return nil }
    guard let double = double(from: starts, near: near, model, beside: first) else { return nil }
    // The filters that were found beside an echo may do without it.
    let single =
      [first, model.singlePath(from: double)].compactMap(\.self)
      .min { $0.sumOfSquares < $1.sumOfSquares } ?? first
    let gained = single.sumOfSquares - double.sumOfSquares
    let left = single.sumOfSquares - Double(model.residualCount)
    guard gained >= Self.significance, gained >= Self.explainedShare * left else { return nil }
    let echo = Self.echo(of: double)
    return abs(echo.share) >= Self.minimumShare && abs(echo.distance) >= near ? echo : nil
  }

  /// The best of two paths from the likeliest starts and the coarse ones.
  private func double(
    from starts: [PathModel.Start], near: Double, _ model: PathModel,
    beside first: PathModel.Path
  ) -> PathModel.Path? {
    var likely: [PathModel.Start] = []
    for start in starts where likely.count < Self.startLimit {
      let isNew = likely.allSatisfy { abs($0.distance - start.distance) >= near }
      if isNew { likely.append(start) }
    }
    let coarse = Self.coarse.flatMap { quarters in
      [0.1, -0.1].map { PathModel.Start(distance: quarters * near, share: $0, gained: 0) }
    }
    let count = Double(model.residualCount)
    var best: PathModel.Path?
    for (place, start) in (likely + coarse).enumerated() {
      guard
        let path = model.doublePath(from: start, beside: place < likely.count ? first : nil),
        path.sumOfSquares < best?.sumOfSquares ?? .infinity
      else { continue }
      best = path
      // Noise lets nothing fit much better than its mean and one sigma.
      let echo = Self.echo(of: path)
      if path.sumOfSquares < count + (2 * count).squareRoot(), abs(echo.share) >= Self.minimumShare,
        abs(echo.distance) >= near
      {
        break
      }
    }
    return best
  }

  /// The echo of two paths, of which the stronger is the first, whichever came before.
  private static func echo(of double: PathModel.Path) -> Echo {
    let (share, distance) = (
      double.parameters[PathModel.filterCount], double.parameters[PathModel.filterCount + 1]
    )
    return abs(share) > 1
      ? Echo(distance: -distance, share: 1 / share) : Echo(distance: distance, share: share)
  }
}
