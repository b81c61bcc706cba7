// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Fits one or two resonators with a common delay to a measured response.
///
/// Minimises the sum of |H measured - H model|^2 / u^2 over the frequencies. One mode starts as in
/// `ResonatorFit`; two start from all pairs of a grid of frequencies and Qs, whose best gains are exact
/// (`ModalFit+Start`). The best few go down by Levenberg and Marquardt with an analytic Jacobian. A
/// second mode is believed where the evidence asks for it: see `fit`. Deterministic; some milliseconds
/// for 300 frequencies.
public struct ModalFit: Sendable {
  /// How many modes may be found: 1 or 2.
  public var modes: ClosedRange<Int>
  /// The frequencies of resonance that are believed, in hertz; nil for the band of the response.
  public var frequencies: ClosedRange<Double>?
  /// The delays that are looked for, in seconds.
  public var delays: ClosedRange<Double>
  /// What lies between motion and samples and is known.
  public var knownFilter: KnownFilter
  /// The relative rms beyond the noise from which a fit counts as none.
  public var maximumMisfit: Double
  /// The share of the largest response that a second mode must have at its own resonance.
  private static let minimumShare = 0.03
  /// How near two modes may lie, in means of their half-power widths.
  ///
  /// What stands closer than 1 may be one resonance that is not quite linear: only where that is
  /// excluded, at small signal, should closer ones be believed.
  public var leastDistance: Double

  /// Makes a fit; traps unless the count of modes lies in 1...2.
  public init(
    modes: ClosedRange<Int> = 1...2, frequencies: ClosedRange<Double>? = nil,
    delays: ClosedRange<Double> = -0.001...0.1, knownFilter: KnownFilter = .none,
    maximumMisfit: Double = 0.3, leastDistance: Double = 1
  ) {
    precondition(
      modes.lowerBound >= 1 && modes.upperBound <= 2, "a fit of \(modes) modes: 1 or 2 are known")
    self.modes = modes
    self.frequencies = frequencies
    self.delays = delays
    self.knownFilter = knownFilter
    self.maximumMisfit = maximumMisfit
    self.leastDistance = leastDistance
  }

  /// Fits the model.
  ///
  /// Uncertainties grow by sqrt(chi-square / degrees of freedom) where more than the stated noise is
  /// left over. With n real numbers and k parameters, two modes are taken over one where
  /// n ln(max(chi-square / n, 1)) + k ln n is lower, the second has at least 3 % of the
  /// largest response, its gain is 5 times its uncertainty, and the two lie `leastDistance` means of
  /// their half-power widths apart. Of two that lie within two such widths, one must leave 0.8 % or more
  /// unexplained and two at most a quarter of it, which a spring that is not linear does not do; of two
  /// within one width the gains must have one sign. A pair that only their coupling tells from one mode is
  /// taken where one leaves 5 % or more and two at most 0.15 of that: a part of the fixture on a spring of
  /// its own, beside or within the width of the actuator's resonance.
  ///
  /// A fit that begins with a `known` model, of the same system at another time, looks nowhere else.
  public func fit(
    _ measured: TransferFunction, from known: ModalModel? = nil
  ) throws(ModalFitError) -> ModalModel {
    guard measured.response.allSatisfy({ $0.power.isFinite }) else { throw .notFinite }
    guard measured.frequencies.count >= 12 else {
      throw .tooFew(frequencies: measured.frequencies.count)
    }
    let spectra = ResonatorSpectra(measured, filter: knownFilter)
    let believed = frequencies ?? measured.band
    var delays = [measured.delay]
    var best: Fitted?
    if let known {
      if modes.contains(1) { best = descend([known.trial(modes: 1)], spectra, isNear: true) }
    } else {
      best = single(measured, spectra, believed, &delays)
    }
    if modes.contains(2), best.map({ mayHideMore($0, spectra) }) ?? true {
      let single = best
      let starts =
        known.flatMap { $0.modes.count == 2 ? [$0.trial(modes: 2)] : nil }
        ?? pairStarts(spectra, around: delays, best) + closeStarts(spectra, best)
      if let two = descend(
        starts, spectra, isCoupled: known.map { $0.coupling.value != 0 } ?? false)
      {
        let isPair = isBetter(two, than: single, spectra, believed)
        if isPair || single.map({ $0.misfit(spectra) > Self.fixture.left }) ?? false {
          let freed = coupled(two, spectra)
          if isPair && isBetter(freed, than: single, spectra, believed)
            || isFixture(freed, beside: single, spectra, believed)
          {
            best = freed
          }
        }
      }
      if known == nil, let fixture = fixture(beside: single, spectra, believed, delays),
        best.map({ fixture.sum < $0.sum }) ?? true
      {
        best = fixture
      }
    }
    guard let best else { throw .noConvergence }
    return try checked(best, spectra, believed)
  }

  /// Two modes that damp each other.
  ///
  /// That they do not is nowhere known: what noise hides of it belongs into the uncertainties. They are reached
  /// from two that do not: from anywhere else delay and coupling may change places.
  private func coupled(_ two: Fitted, _ spectra: ResonatorSpectra) -> Fitted {
    guard two.couplingScale == nil, let other = descend([two.trial], spectra, isCoupled: true),
      other.sum <= two.sum
    else { return two }
    return other
  }

  /// One mode from the highest peak and, where that explains too little, from the grid.
  ///
  /// Adds the delays that the grid found worth trying. Nil where one mode is not asked for.
  private func single(
    _ measured: TransferFunction, _ spectra: ResonatorSpectra, _ believed: ClosedRange<Double>,
    _ delays: inout [Double]
  ) -> Fitted? {
    let best =
      modes.contains(1) ? descend(peakStarts(measured, spectra, believed), spectra) : nil
    // The peak and its width may mislead; the grid of all frequencies and Qs does not.
    guard best.map({ $0.misfit(spectra) > Self.plainMisfit }) ?? true else { return best }
    let starts = search(believed, measured).starts(for: spectra)
    delays += starts.map(\.delay)
    guard modes.contains(1) else { return nil }
    let grid = starts.map { Trial(delay: $0.delay, modes: [($0.frequency, $0.q, $0.gain)]) }
    return [best, descend(grid, spectra)].compactMap(\.self).min { $0.sum < $1.sum }
  }

  /// Fits the model to the answer to a sweep.
  ///
  /// As the other `fit`; then what the sweep's gate does to the model found is taken off the response, and
  /// the fit is done again, until no parameter moves by more than a tenth of its uncertainty, at most 6
  /// times. So neither the ends of the band nor a ring that is cut off bias it.
  public func fit(
    _ response: SweepResponse, from known: ModalModel? = nil
  ) throws(ModalFitError) -> ModalModel {
    var model = try fit(response.linear, from: known)
    for _ in 0..<6 {
      let next = try fit(response.corrected(by: model).linear, from: model)
      let isSettled = next.isNear(model)
      model = next
      if isSettled { break }
    }
    return model
  }

  private static let qs = 0.3...300.0

  /// The misfit below which the start from the highest peak needs no other beside it.
  private static let plainMisfit = 0.15

  func search(_ believed: ClosedRange<Double>, _ measured: TransferFunction) -> ResonatorFit {
    ResonatorFit(
      band: max(believed.lowerBound, 1e-3 * measured.band.lowerBound)...believed.upperBound,
      delays: delays, knownFilter: knownFilter)
  }

  /// Whether noise and a share too small to count do not explain what one mode leaves over.
  private func mayHideMore(_ one: Fitted, _ spectra: ResonatorSpectra) -> Bool {
    one.reduced(spectra) > 1 + 3 * (2 / spectra.freedom).squareRoot()
      && one.misfit(spectra) > 0.1 * Self.minimumShare
  }

  private func checked(
    _ best: Fitted, _ spectra: ResonatorSpectra, _ believed: ClosedRange<Double>
  ) throws(ModalFitError) -> ModalModel {
    guard let quality = spectra.quality(leaving: best.sum, parameters: best.parameters.count)
    else { throw .deadResponse }
    let model = best.model(quality, filter: knownFilter)
    guard model.modes.allSatisfy({ believed.contains($0.frequency.value) }) else {
      throw .outsideBand(model, believed)
    }
    guard quality.misfit <= maximumMisfit, delays.contains(model.delay.value),
      model.modes.allSatisfy({ Self.qs.contains($0.q.value) })
    else { throw .doesNotFit(model) }
    return model
  }

  /// What one mode leaves over at least where a second one counts that only the coupling tells from it, and
  /// the most that the two then leave, as a share of that.
  ///
  /// A spring that is not linear, of any Q, leaves two modes with 0.4 of what it leaves one; a part of the
  /// fixture leaves them next to nothing.
  private static let fixture = (left: 0.05, share: 0.15)

  /// Two modes on one mount, within each other's width or against each other as they may be, that explain what
  /// one does not: a part of the fixture beside the actuator; nil where they do not.
  ///
  /// Modes that do not damp each other explain nothing of that, so their fit leads nowhere near.
  private func fixture(
    beside one: Fitted?, _ spectra: ResonatorSpectra, _ believed: ClosedRange<Double>,
    _ delays: [Double]
  ) -> Fitted? {
    guard let one, one.misfit(spectra) > Self.fixture.left else { return nil }
    return descend(coupledStarts(spectra, around: delays, one), spectra, isCoupled: true)
      .flatMap { isFixture($0, beside: one, spectra, believed) ? $0 : nil }
  }

  private func isFixture(
    _ two: Fitted, beside one: Fitted?, _ spectra: ResonatorSpectra,
    _ believed: ClosedRange<Double>
  ) -> Bool {
    guard let one, isPossible(two, believed), two.evidence(spectra) < one.evidence(spectra) else {
      return false
    }
    let (left, before) = (two.misfit(spectra), one.misfit(spectra))
    return before > Self.fixture.left && left < Self.fixture.share * before
  }

  private func isPossible(_ fitted: Fitted, _ believed: ClosedRange<Double>) -> Bool {
    delays.contains(fitted.delay)
      && fitted.modes.allSatisfy { believed.contains($0.frequency) && Self.qs.contains($0.q) }
  }

  private func isBetter(
    _ two: Fitted, than one: Fitted?, _ spectra: ResonatorSpectra,
    _ believed: ClosedRange<Double>
  ) -> Bool {
    guard let one else { return true }
    guard two.evidence(spectra) < one.evidence(spectra), isPossible(two, believed) else {
      return false
    }
    let modes = two.modes
    let apart = abs(log(modes[1].frequency / modes[0].frequency))
    let width = 0.5 * (1 / modes[0].q + 1 / modes[1].q)
    guard apart > leastDistance * width else { return false }
    if apart < 2 * width {
      let (left, before) = (two.misfit(spectra), one.misfit(spectra))
      guard before > 0.008, left < 0.25 * before else { return false }
    }
    guard apart > width || modes[0].gain * modes[1].gain > 0 else { return false }
    let growth = max(1, two.reduced(spectra)).squareRoot()
    for (index, mode) in modes.enumerated() {
      let variance = two.variance(ofGain: index)
      guard abs(mode.gain) > 5 * growth * variance.squareRoot() else { return false }
    }
    let largest = modes.map { abs($0.gain) }.max() ?? 0
    return modes.allSatisfy { abs($0.gain) >= Self.minimumShare * largest }
  }
}

extension ModalModel {
  /// Begins where a fit ended before, with its strongest modes.
  fileprivate func trial(modes count: Int) -> ModalFit.Trial {
    ModalFit.Trial(
      delay: delay.value,
      modes: modes.indices.prefix(count).map { index in
        let (frequency, q) = (modes[index].frequency.value, modes[index].q.value)
        return (frequency, q, q * numerator(of: index).constant)
      }, coupling: count > 1 ? numerator(of: 0).slope : 0)
  }
}

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
