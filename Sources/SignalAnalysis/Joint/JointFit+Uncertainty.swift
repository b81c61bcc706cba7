// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Units

extension JointFit {
  /// What was found of one event.
  public struct Part: Sendable {
    /// How strong it is, 1 as predicted: of its pieces the mean by their energy.
    public var gain: Estimate
    /// How much later than predicted it comes, in frames.
    public var delay: Estimate
    /// Each piece's gain and delay, by time.
    public var course: [(gain: Double, delay: Double)]
    /// The event that its gain is hardest to tell from; `nil` where no other touches it.
    public var partner: Int?
    /// The energy of its prediction.
    public var energy: Double
    /// What is left over where it is, as a share of the amplitude of the response there.
    public var misfit: Double
    /// What explains so much less energy is one neper unlikelier.
    var energyPerNeper: Double
  }

  /// What was found of all.
  public struct Result: Sendable {
    /// One for each event.
    public var parts: [Part]
    /// What all waveforms predict together, frame by frame.
    public var model: [Double]
    /// What is left over.
    public var rest: [Double]
    /// The rms of what is left over beyond the noise, over the rms of the samples.
    public var misfit: Double
    /// What ln f0 and ln Q of the shared resonance were moved by.
    public var resonanceShift: (lnF0: Double, lnQ: Double)
  }

  /// Fewer events than this say nothing of how far the waveforms can be trusted.
  private static let fewestScattered = 8
  /// Another delay counts as nearly as good where it is less than this many nepers unlikelier.
  private static let leastLead = 8.0

  /// How unsure everything is, at the end of the fit.
  ///
  /// The variance of a parameter is its element of the inverse normal matrix, with that of the shared
  /// resonance, times an error a frame. That error is the noise, and what the waveforms do not explain: a
  /// share of the response around the event. The share is what is left over around most events, weighted by how much of it
  /// lies in the waveforms' own band, where it moves them; at least what makes the delays of the take's events scatter as they
  /// do, since a joint fit swallows errors of its waveforms in the parameters; and where more is left over around
  /// one event than elsewhere, that.
  func result(_ step: Step, _ samples: [Double]) -> Result {
    let count = Double(max(1, samples.count - gaps.reduce(0) { $0 + $1.count }))
    let white = noise * noise
    let energy = max(InnerProduct.energy(samples) - white * count, 1e-300)
    let excess = max(0, step.restEnergy - white * count)
    let misfit = (excess / energy).squareRoot()
    let variance = max(white, step.restEnergy / count)
    let model = step.model(samples, samples.indices)
    guard
      let equations = equations(step, samples, of: Array(pieces.indices), variance: variance)
    else {
      return Result(
        parts: unsureParts(), model: model, rest: step.rest, misfit: misfit, resonanceShift: moved)
    }
    let inverse = equations.factor.inverseBand()
    func leverage(_ index: Int) -> Double {
      var sum = max(0, inverse[index, index])
      for row in 0..<2 {
        for column in 0..<2 {
          sum +=
            equations.answers[row][index] * equations.sharedInverse[row][column]
            * equations.answers[column][index]
        }
      }
      return sum
    }
    let concentration = concentration(model: model, rest: step.rest)
    let surroundings = pieces.map { piece -> Surrounding in
      let around = InnerProduct.around(
        piece.values, from: piece.first, response: model, rest: step.rest)
      return (around.response, max(0, around.rest - white))
    }
    let delays = pieces.indices.map { leverage(2 * $0 + 1) }
    var share = concentration * max(typicalRest(surroundings), leastMisfit * leastMisfit)
    share = max(share, scatteredShare(from: share, delays: delays, surroundings))
    let errors = surroundings.map { around in
      white + max(share * around.response, concentration * around.rest)
    }
    let touching = PairedUnknowns.partners(
      inverse, owners: events, count: eventCount, stretches: pieces.map { $0.first..<$0.end })
    let parts = (0..<eventCount).map { event -> Part in
      part(
        of: event, errors: errors, delays: delays, leverage: leverage, surroundings,
        partner: touching[event])
    }
    return Result(
      parts: parts, model: model, rest: step.rest, misfit: misfit, resonanceShift: moved)
  }

  /// What is left over around a piece, as a share of the response there: the median, so that one event at which
  /// something else happened does not make all others unsure.
  private func typicalRest(_ surroundings: [Surrounding]) -> Double {
    let shares = surroundings.filter { $0.response > 0 }.map { $0.rest / $0.response }
    return shares.isEmpty ? 0 : Statistics.median(shares)
  }

  private func unsureParts() -> [Part] {
    piecesOfEvent.map { places in
      Part(
        gain: Estimate(1, uncertainty: .infinity), delay: Estimate(0, uncertainty: .infinity),
        course: places.map { (gains[$0], pieces[$0].delay) }, partner: nil,
        energy: places.reduce(0) { $0 + energies[$1] }, misfit: 1, energyPerNeper: .infinity)
    }
  }

  private func part(
    of event: Int, errors: [Double], delays: [Double], leverage: (Int) -> Double,
    _ surroundings: [Surrounding], partner: Int?
  ) -> Part {
    let places = piecesOfEvent[event]
    let whole = places.reduce(0) { $0 + energies[$1] }
    var (gain, gainVariance) = (0.0, 0.0)
    var (delay, delayVariance, weights) = (0.0, 0.0, 0.0)
    var (left, around, inflation, error) = (0.0, 0.0, 0.0, 0.0)
    for place in places where whole > 0 {
      let weight = energies[place] / whole
      let own = leverage(2 * place)
      gain += weight * gains[place]
      // Pieces of one event share what makes them unsure.
      gainVariance += weight * own * errors[place]
      let strength = max(1e-12, gains[place] * gains[place]) * energies[place]
      weights += strength
      delay += strength * pieces[place].delay
      delayVariance += strength * delays[place] * errors[place]
      left += surroundings[place].rest * weight
      around += surroundings[place].response * weight
      // By weight: a last piece of next to no energy is hardly told from the one before, and says nothing of the event.
      inflation += weight * own * energies[place]
      error += weight * errors[place]
    }
    return Part(
      gain: Estimate(gain, uncertainty: whole > 0 ? gainVariance.squareRoot() : .infinity),
      delay: Estimate(
        weights > 0 ? delay / weights : 0,
        uncertainty: weights > 0 ? (delayVariance / weights).squareRoot() : .infinity),
      course: places.map { (gains[$0], pieces[$0].delay) },
      partner: partner, energy: whole, misfit: (left / max(around, 1e-300)).squareRoot(),
      // As far as it is the event's alone to explain.
      energyPerNeper: 2 * error * max(1, inflation))
  }

  /// Whether another delay, a period or more away, explains an event nearly as well; costs a search for it.
  public func isAmbiguous(_ event: Int, in result: Result) -> Bool {
    let part = result.parts[event]
    guard part.energy > 0, part.energyPerNeper.isFinite else { return part.energy > 0 }
    guard let profile = profile(of: event, rest: result.rest) else { return false }
    let (inside, outside) = profile.best(within: max(1, Int(resonance.period / 4)))
    guard let outside else { return false }
    return profile[inside] - profile[outside] < Self.leastLead * part.energyPerNeper
  }

  /// Mean squares around a piece, by the piece's own energy: of all that is predicted, and of what is left
  /// over beyond the noise.
  private typealias Surrounding = (response: Double, rest: Double)

  /// How much denser what is left over lies in the response's band than spread over all frequencies; 1 or more.
  private func concentration(model: [Double], rest: [Double]) -> Double {
    let count = rest.count
    let length = FourierTransform.commonLength(atLeast: min(count, Self.spectrumLength))
    var (left, response) = ([Double](), [Double]())
    plans.with(length) { plan in
      func add(_ values: Span<Double>, to sums: inout [Double]) {
        let powers = plan.forward(values).map(\.power)
        if sums.isEmpty {
          sums = powers
        } else {
          for bin in sums.indices { sums[bin] += powers[bin] }
        }
      }
      for first in stride(from: 0, to: count, by: length) {
        let frames = first..<min(first + length, count)
        add(rest.span.extracting(frames), to: &left)
        add(model.span.extracting(frames), to: &response)
      }
    }
    let (all, weight) = (left.reduce(0, +), response.reduce(0, +))
    guard all > 0, weight > 0 else { return 1 }
    return max(1, InnerProduct.of(left, response) / weight / all * Double(left.count))
  }

  /// Spectra are taken over so many frames at most: finer than any resonance.
  private static let spectrumLength = 16_384

  /// The share of the response that, taken for an error, explains how the events' delays scatter.
  private func scatteredShare(
    from share: Double, delays: [Double], _ surroundings: [Surrounding]
  ) -> Double {
    // An event that is not itself sure to some degrees of its period says nothing of the others.
    let sure = pieces.indices.filter { gains[$0] > 0.3 && surroundings[$0].response > 0 }
    guard sure.count >= Self.fewestScattered else { return share }
    let middle = Statistics.median(sure.map { pieces[$0].delay })
    func spread(_ share: Double) -> Double {
      1.4826
        * Statistics.median(
          sure.map { index in
            let error = noise * noise + share * surroundings[index].response
            return abs(pieces[index].delay - middle) / (delays[index] * error).squareRoot()
          })
    }
    guard spread(share) > 1 else { return share }
    var high = max(share, 1e-9)
    while spread(high) > 1, high < 1 { high *= 4 }
    return Statistics.bisect(share...high, rounds: 40) { !(spread($0) > 1) }.high
  }
}
