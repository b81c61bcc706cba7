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
  /// `noise` is the standard deviation of the motion in the band, `filter` what the sensor does.
  static func measure(
    _ plan: SweepPlan, _ capture: Capture, output: [Float], segment: Int, filter: KnownFilter,
    modes: ClosedRange<Int>, noise: Double
  ) -> Result<SweepReading, SweepFailure> {
    let response: SweepResponse
    do {
      response = try SweepResponse.measure(
        plan.sweep, input: capture.input, output: output, rate: capture.rate)
    } catch {
      return .failure(.dead)
    }
    let fit = ModalFit(
      modes: modes, delays: -0.0005...0.03, knownFilter: filter, maximumMisfit: 0.35)
    do {
      let model = try fit.fit(response.linear)
      let peak = output.reduce(0) { max($0, abs(Double($1))) }
      return .success(
        SweepReading(
          segment: segment, level: plan.sweep.amplitude, direction: plan.sweep.direction,
          response: response, model: model, peak: peak,
          disturbance: SweepDisturbance(
            input: capture.input, output: output, lead: capture.lead, rate: capture.rate,
            model: model, noise: noise, band: plan.sweep.band)))
    } catch .deadResponse {
      return .failure(.dead)
    } catch .outsideBand(let model, let band) {
      return .failure(.outside(ModalFitError.outsideBand(model, band).description))
    } catch .doesNotFit(let model) {
      return .failure(
        .unlike(
          misfit: model.quality?.misfit ?? 1, ModalFitError.doesNotFit(model).description))
    } catch {
      return .failure(.dead)
    }
  }
}
