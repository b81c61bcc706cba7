private import Glibc

/// Where each order of a sweep's response lies in the impulse response.
struct SweepGates: Sendable, Equatable {
  /// The impulse responses that are cut up.
  let division: SpectralDivision
  let sweep: SynchronizedSweep
  /// Samples a second of the impulse response.
  let rate: Double
  /// The sample of the linear response's largest value.
  private let centre: Int
  /// How many samples are kept after that.
  private let tail: Double
  /// How many orders are looked at.
  private let harmonics: Int
  /// How the stretch that no order occupies is looked at.
  private let quiet: NoiseWindow

  /// The share of the distance to the next order that a gate begins before its moment.
  private static let early = 0.2

  init(
    _ sweep: SynchronizedSweep, _ division: SpectralDivision, harmonics: Int, tail: Double?
  ) {
    self.sweep = sweep
    self.division = division
    self.harmonics = harmonics
    let impulse = division.impulse
    rate = impulse.sampleRate
    let gap = sweep.growthTime * log(2)
    let room = impulse.period - sweep.growthTime * log(Double(max(2, harmonics) + 1))
    let usual =
      sweep.direction == .up ? max(0.75 * gap, min(0.4, 0.5 * room)) : 0.75 * gap
    self.tail = min(tail ?? usual, max(0.1 * gap, impulse.period - Self.early * gap)) * rate
    let reach = -Int(0.25 * gap * rate)...max(0, Int(0.6 * room * rate))
    let centre = reach.max { abs(impulse[$0]) < abs(impulse[$1]) } ?? 0
    self.centre = centre
    quiet = NoiseWindow(
      Self.free(
        sweep, centre: Double(centre), tail: self.tail, count: impulse.samples.count, rate: rate,
        harmonics: harmonics),
      rate: rate, share: division.share(at:))
  }

  /// The response of one order, with its uncertainty; nil where no frequency lies in the band.
  func transfer(
    order: Int, noise: NoiseSpectrum, band: ClosedRange<Double>
  ) -> TransferFunction? {
    guard var view = OrderView(self, order: order, band: band) else { return nil }
    let response = view.response(of: division.impulse)
    // Single precision and the regularisation leave no response better than this.
    let floor = 1e-6 * (response.map(\.magnitude).max() ?? 0)
    return TransferFunction(
      spacing: view.spacing, frequencies: view.frequencies, response: response,
      uncertainty: view.frequencies.map {
        max(floor, noise.deviation(at: $0, gatePower: view.gate.noisePower))
      }, delay: view.delay)
  }

  /// The linear response without what band and gate do to a system of known response.
  ///
  /// What the same gate makes of the known system, less the system, is taken off; the noise is
  /// that of what the known system leaves over.
  func linear(
    band: ClosedRange<Double>, known model: ModalModel
  ) -> TransferFunction? {
    guard var view = OrderView(self, order: 1, band: band) else { return nil }
    let known = division.impulse(of: model)
    let rest = ImpulseResponse(
      sampleRate: rate, samples: zip(division.impulse.samples, known.samples).map { $0 - $1 })
    let noise = noise(of: rest)
    // The gate is linear: what it makes of the rest stands beside the known response itself.
    let seen = view.response(of: rest)
    let power = view.gate.noisePower
    let corrected = view.frequencies.indices.map {
      seen[$0] + model.response(at: view.frequencies[$0])
    }
    let floor = 1e-6 * (corrected.map(\.magnitude).max() ?? 0)
    return TransferFunction(
      spacing: view.spacing, frequencies: view.frequencies, response: corrected,
      uncertainty: view.frequencies.map {
        max(floor, noise.deviation(at: $0, gatePower: power))
      }, delay: view.delay)
  }

  /// The noise of an impulse response on this circle.
  func noise(of impulse: ImpulseResponse) -> NoiseSpectrum {
    NoiseSpectrum(impulse, through: quiet)
  }

  /// The sample at which an order's impulse response is expected.
  func moment(_ order: Int) -> Int {
    centre - Int((sweep.harmonicLead(order) * rate).rounded())
  }

  /// The samples that no order occupies: between the linear response and the highest harmonic.
  private static func free(
    _ sweep: SynchronizedSweep, centre: Double, tail: Double, count: Int, rate: Double,
    harmonics: Int
  ) -> Range<Int> {
    let beyond = sweep.growthTime * log(Double(max(2, harmonics) + 1)) * rate
    let before = early * sweep.growthTime * log(2) * rate
    let (start, end) =
      sweep.direction == .up
      ? (centre + tail, centre + Double(count) - beyond - before)
      : (centre + beyond + before, centre + Double(count) - before)
    // A record that the orders fill has no such place: then all but the linear response stands for it.
    if end - start < 0.1 * Double(count) {
      return Int(centre + tail)..<Int(centre + Double(count) - before)
    }
    return Int(start)..<Int(end)
  }

  /// From shortly before an order's moment to shortly before what follows it.
  func gate(_ order: Int) -> Gate {
    let unit = sweep.growthTime * rate
    let above = unit * log(Double(order + 1) / Double(order))
    if order == 1 { return Gate(before: Self.early * above, after: tail) }
    // Up, a lower order follows; down, the next higher one. Either begins early as well.
    let below = unit * log(Double(order) / Double(order - 1))
    let after = sweep.direction == .up ? 0.8 * below : 0.8 * above
    return Gate(before: Self.early * above, after: min(after, tail))
  }
}
