// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The noise of impulse responses over frequency, from a stretch that holds nothing else.
///
/// The window is the same for every impulse response that is cut up in the same way.
struct NoiseWindow: Sendable, Equatable {
  /// The samples of the circle that hold nothing but noise.
  private let free: Range<Int>
  /// The samples of the transform: zeros fill up what there are more.
  private let length: Int
  private let spacing: Double
  /// A Hann window over the stretch.
  private let weights: [Double]
  private let power: Double
  /// How much of the noise's power the band lets pass, around each bin.
  private let passed: [Double]

  /// Prepares to look at a stretch; `share` is the factor of the band that was measured.
  init(_ free: Range<Int>, rate: Double, share: (_ frequency: Double) -> Double) {
    self.free = free
    let length = FourierTransform.fastLength(atLeast: max(16, free.count))
    let spacing = rate / Double(length)
    self.length = length
    self.spacing = spacing
    let unit = 2 * Double.pi / Double(free.count)
    weights = (0..<free.count).map { 0.5 - 0.5 * cos(unit * (Double($0) + 0.5)) }
    power = weights.reduce(0) { $0 + $1 * $1 }
    // At the band's edges a mean holds what lies outside: less, by the mean of what passes.
    passed = Self.smooth(
      (0...length / 2).map { bin in
        let share = share(Double(bin) * spacing)
        return share * share
      })
  }

  /// The standard deviation of real and imaginary part, at a frequency, of what a gate passes of noise.
  func deviation(_ densities: [Double], at frequency: Double, gatePower: Double) -> Double {
    let bin = min(densities.count - 1, Int((frequency / spacing).rounded()))
    return (gatePower * densities[bin] / 2).squareRoot()
  }

  /// The noise of an impulse response: for each bin the variance of one sample's gate.
  func densities(of impulse: ImpulseResponse) -> [Double] {
    var transform = FourierTransform(length: length)
    let stretch = zip(free, weights).map { $1 * impulse[$0] }
    let powers = transform.forward(stretch.span).map { $0.power / max(power, 1e-300) }
    let sums = Self.smooth(powers)
    return powers.indices.map { bin in
      guard passed[bin] > 1e-3 else { return sums[bin] }
      // Under a Hann window 1.94 bins are worth one.
      let freedom = 2 * Double(2 * Self.reach(bin) + 1) * passed[bin] / 1.94
      return sums[bin] / passed[bin] * Self.growth(freedom)
    }
  }

  /// How many bins to each side a mean takes: a sixth of an octave, at least 8.
  private static func reach(_ bin: Int) -> Int { max(8, Int(0.12 * Double(bin))) }

  private static func smooth(_ powers: [Double]) -> [Double] {
    let sums = powers.runningSums()
    return powers.indices.map { bin in
      let reach = reach(bin)
      let (first, end) = (max(0, bin - reach), min(powers.count, bin + reach + 1))
      return (sums[end] - sums[first]) / Double(end - first)
    }
  }

  /// By how much the variance is larger for having been estimated from so few numbers: (n / (n - 2))^2.
  ///
  /// Once for the variance of Student's distribution (supplement 1 of the GUM, 6.4.9), once for the weights
  /// of a fit, which are no better known and then not the best.
  private static func growth(_ freedom: Double) -> Double {
    let ratio = freedom > 4 ? freedom / (freedom - 2) : 2
    return ratio * ratio
  }
}

/// Where each order of a sweep's response lies in the impulse response.
struct SweepGates: Sendable, Equatable {
  let division: SpectralDivision
  let sweep: SynchronizedSweep
  /// How the stretch that no order occupies is looked at.
  let quiet: NoiseWindow
  /// Samples a second of the impulse response.
  fileprivate let rate: Double
  /// The sample of the linear response's largest value.
  private let centre: Int
  /// How many samples are kept after that.
  private let tail: Double

  /// The share of the distance to the next order that a gate begins before its moment.
  private static let early = 0.2

  init(_ sweep: SynchronizedSweep, _ division: SpectralDivision, harmonics: Int, tail: Double?) {
    self.sweep = sweep
    self.division = division
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

  /// The response of one order, with its uncertainty; nil where no frequency lies in the band.
  func transfer(
    order: Int, noise densities: [Double], band: ClosedRange<Double>
  ) -> TransferFunction? {
    guard var view = OrderView(self, order: order, band: band) else { return nil }
    let response = view.response(of: division.impulse)
    return view.transfer(response, quiet, densities)
  }

  /// The linear response without what band and gate do to a system of known response.
  ///
  /// What the same gate makes of the known system, less the system, is taken off; the noise is
  /// that of what the known system leaves over.
  func linear(band: ClosedRange<Double>, known model: ModalModel) -> TransferFunction? {
    guard var view = OrderView(self, order: 1, band: band) else { return nil }
    let known = division.impulse(of: model)
    let rest = ImpulseResponse(
      sampleRate: rate, samples: zip(division.impulse.samples, known.samples).map { $0 - $1 })
    // The gate is linear: what it makes of the rest stands beside the known response itself.
    let corrected = zip(view.response(of: rest), view.frequencies).map {
      $0 + model.response(at: $1)
    }
    return view.transfer(corrected, quiet, quiet.densities(of: rest))
  }

  /// The sample at which an order's impulse response is expected.
  fileprivate func moment(_ order: Int) -> Int {
    centre - Int((sweep.harmonicLead(order) * rate).rounded())
  }

  /// The samples from shortly before an order's moment to shortly before what follows it.
  fileprivate func reach(_ order: Int) -> (before: Double, after: Double) {
    let unit = sweep.growthTime * rate
    let above = unit * log(Double(order + 1) / Double(order))
    if order == 1 { return (Self.early * above, tail) }
    // Up, a lower order follows; down, the next higher one. Either begins early as well.
    let below = unit * log(Double(order) / Double(order - 1))
    let after = sweep.direction == .up ? 0.8 * below : 0.8 * above
    return (Self.early * above, min(after, tail))
  }
}

/// One order of a sweep's response, cut out with soft edges, over the frequencies of a band.
private struct OrderView: ~Copyable {
  let frequencies: [Double]
  private let spacing: Double
  /// The delay about which the response lies, in seconds.
  private let delay: Double
  private let centre: Int
  private let moment: Double
  private let sign: Double
  private let bins: ClosedRange<Int>
  /// The first sample of the gate, counted from the centre.
  private let first: Int
  private let weights: [Double]
  private var transform: FourierTransform
  /// What the gate makes of the band alone.
  private var window: [Complex] = []

  /// Looks at an order; nil where no frequency lies in the band.
  init?(_ gates: SweepGates, order: Int, band: ClosedRange<Double>) {
    let (before, after) = gates.reach(order)
    let weights = Self.weights(before: before, after: after)
    let spacing = gates.rate / Double(weights.count)
    let lowest = Int((band.lowerBound / spacing).rounded(.up))
    let highest = min(weights.count / 2, Int((band.upperBound / spacing).rounded(.down)))
    guard lowest <= highest else { return nil }
    self.weights = weights
    self.spacing = spacing
    first = -Int(before.rounded())
    bins = lowest...highest
    frequencies = bins.map { Double($0) * spacing }
    centre = gates.moment(order)
    // Back by the gate's moment, forth by the order's lead.
    moment = Double(centre) + gates.sweep.harmonicLead(order) * gates.rate
    delay = moment / gates.rate
    // Running down, the sweep is -sin of a phase p that grows; of its copy at 2p the sign is wrong.
    sign = gates.sweep.direction == .down && order.isMultiple(of: 2) ? -1 : 1
    transform = FourierTransform(length: weights.count)
    window = spectrum(of: gates.division.band, around: 0, moment: 0)
  }

  /// A gate from `before` to `after` samples around a moment, its length rounded down to one that is fast
  /// to transform.
  ///
  /// The rise takes a third of what lies before, the fall the last sixth.
  private static func weights(before: Double, after: Double) -> [Double] {
    var length = max(8, Int((before + after).rounded())) & ~1
    while FourierTransform.fastLength(atLeast: length) > length { length -= 2 }
    let rise = max(1, before / 3)
    let fall = max(1, (before + after) / 6)
    return (0..<length).map { index in
      let start = (Double(index) + 0.5) / rise
      let end = (Double(length - index) - 0.5) / fall
      return RaisedCosine.rise(min(start, end))
    }
  }

  /// The response of an impulse response on the circle, its phase counted from zero delay.
  mutating func response(of impulse: ImpulseResponse) -> [Complex] {
    let found = spectrum(of: impulse, around: centre, moment: moment)
    return found.indices.map { sign * (found[$0] / window[$0]) }
  }

  /// The spectrum of the stretch around a sample of a circle, its phase counted from a moment.
  private mutating func spectrum(
    of impulse: ImpulseResponse, around centre: Int, moment: Double
  ) -> [Complex] {
    let stretch = weights.indices.map { weights[$0] * impulse[centre + first + $0] }
    let found = transform.forward(stretch.span)
    // Bin by bin the turn grows by the same angle.
    let unit = -2 * Double.pi * (Double(first) + moment) / Double(transform.length)
    var turn = Complex(angle: unit * Double(bins.lowerBound))
    let step = Complex(angle: unit)
    return bins.map { bin in
      defer { turn = turn * step }
      return found[bin] * turn
    }
  }

  /// A response seen through the gate, with its uncertainty.
  ///
  /// The noise is what a gate of this length without soft edges passes, a little more than this one does. But
  /// the edges also make the errors of neighbouring frequencies alike, and what is fitted lies where the
  /// weight is 1: its uncertainty is that of independent errors of this size.
  func transfer(
    _ response: [Complex], _ noise: NoiseWindow, _ densities: [Double]
  ) -> TransferFunction {
    // Single precision and the regularisation leave no response better than this.
    let floor = 1e-6 * (response.map(\.magnitude).max() ?? 0)
    let power = Double(weights.count)
    return TransferFunction(
      spacing: spacing, frequencies: frequencies, response: response,
      uncertainty: frequencies.map {
        max(floor, noise.deviation(densities, at: $0, gatePower: power))
      }, delay: delay)
  }
}
