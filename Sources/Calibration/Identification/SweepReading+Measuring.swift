import SignalAnalysis
import Units

/// Why a sweep told nothing.
enum SweepFailure: Error, Equatable {
  /// The response is no more than noise.
  case dead
  /// A resonance outside of the sweep.
  case outside(String)
  /// Something answers, and it is not a resonance.
  case unlike(misfit: Double, String)
}

extension SweepReading {
  /// Reads the answer to a sweep.
  ///
  /// `noise` is the standard deviation of the motion in the band, `filter` what the sensor does. Where
  /// two modes are `known` from another sweep there are two, in that order.
  static func measure(
    _ plan: SweepPlan, _ capture: Capture, output: [Float], segment: Int, filter: KnownFilter,
    modes: ClosedRange<Int>, noise: Double, known: ModalModel? = nil
  ) -> Result<SweepReading, SweepFailure> {
    let response: SweepResponse
    do {
      response = try SweepResponse.measure(
        plan.sweep, input: capture.input, output: output, rate: capture.rate)
    } catch {
      return .failure(.dead)
    }
    let pair = known.flatMap { $0.modes.count == 2 ? $0 : nil }
    let fit = ModalFit(
      modes: pair == nil ? modes : 2...2, delays: -0.0005...0.03, knownFilter: filter,
      maximumMisfit: 0.35, leastDistance: 0.2)
    do {
      // A ring that the gate cuts is taken off by the model itself.
      let fitted =
        plan.cutsRing
        ? try fit.fit(response, from: pair) : try fit.fit(response.linear, from: pair)
      let model = fitted.ordered(by: pair?.modes.map(\.frequency.value) ?? [])
      let peak = output.reduce(0) { max($0, abs(Double($1))) }
      return .success(
        SweepReading(
          segment: segment, level: plan.sweep.amplitude, direction: plan.sweep.direction,
          response: response, model: model,
          motions: motions(output, capture, plan, model), peak: peak,
          disturbance: SweepDisturbance(
            input: capture.input, output: output, lead: capture.lead, rate: capture.rate,
            model: model, noise: noise, band: plan.sweep.band)))
    } catch .deadResponse {
      return .failure(.dead)
    } catch .outsideBand(let model, let band) {
      let places = model.modes.map(\.frequency.value)
      return .failure(
        .outside(outside(places.first { !band.contains($0) } ?? places[0], of: band)))
    } catch .doesNotFit(let model) {
      return .failure(
        .unlike(
          misfit: model.quality?.misfit ?? 1, ModalFitError.doesNotFit(model).description))
    } catch {
      return .failure(.dead)
    }
  }

  /// How far the masses of a model's modes went in a sweep.
  static func motions(
    _ output: [Float], _ capture: Capture, _ plan: SweepPlan, _ model: ModalModel
  ) -> [PassingMotion] {
    model.modes.map {
      PassingMotion(
        output, capture: capture, sweep: plan.sweep, resonance: $0.frequency.value,
        delay: model.delay.value)
    }
  }

  /// What to say of a resonance that a sweep does not hold.
  static func outside(_ frequency: Double, of band: ClosedRange<Double>) -> String {
    let isLow = frequency < (band.lowerBound * band.upperBound).squareRoot()
    return "the resonance, near \(text(frequency)) Hz, lies outside of the sweep "
      + (isLow
        ? "(below \(text(1.1 * band.lowerBound)) Hz): this is no actuator for vibrations that are felt; "
          + "check how it and the sensor are fixed"
        : "(above \(text(band.upperBound / 1.1)) Hz): this is no actuator for vibrations that are felt, or "
          + "a piezo, whose 'kind: piezo' belongs into the rig file")
  }
}
