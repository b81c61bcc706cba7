/// Why no modes could be fitted.
public enum ModalFitError: Error, Equatable, CustomStringConvertible {
  /// Fewer frequencies than a fit needs.
  case tooFew(frequencies: Int)
  /// A number of the response is not finite.
  case notFinite
  /// The response is no more than its noise.
  case deadResponse
  /// No start led to a minimum.
  case noConvergence
  /// The best model has a resonance outside of the frequencies that are believed.
  case outsideBand(ModalModel, ClosedRange<Double>)
  /// The best model leaves too much over, or has parameters out of range; it must not be used.
  case doesNotFit(ModalModel)

  /// One sentence.
  public var description: String {
    switch self {
    case .tooFew(let frequencies):
      "\(frequencies) frequencies are too few to fit a resonance: play a longer sweep"
    case .notFinite: "a number of the response is not finite"
    case .deadResponse:
      "the response does not rise above its noise: check the actuator, its wiring and the sensor"
    case .noConvergence: "no resonance was found that has this response"
    case .outsideBand(let model, let band):
      "a resonance near \(Self.hertz(model.modes, outside: band)) Hz lies outside of the "
        + "\(Int(band.lowerBound.rounded())) to \(Int(band.upperBound.rounded())) Hz that were swept: "
        + "sweep a wider band"
    case .doesNotFit(let model):
      "the response is not that of \(model.modes.count == 1 ? "one resonance" : "two resonances"): the "
        + "best (\(Int(model.mode.frequency.value.rounded())) Hz) leaves "
        + "\(Int((100 * (model.quality?.misfit ?? 1)).rounded())) % unexplained"
    }
  }

  private static func hertz(_ modes: [ModalModel.Mode], outside band: ClosedRange<Double>) -> Int {
    let found = modes.first { !band.contains($0.frequency.value) } ?? modes[0]
    return Int(min(1e9, found.frequency.value.rounded()))
  }
}
