private import Glibc

/// Tells several known waveforms apart in one stretch: the gain and the small delay of each, together.
///
/// Least squares of samples = offset + sum of g[k] p[k](t - d[k]) over all gains and delays at once, by
/// Gauss and Newton, the waveforms shifted exactly in their spectra. In white noise it is the
/// maximum-likelihood estimate, and its uncertainties are the Cramer-Rao bounds: waveforms that are alike
/// and near have large ones. The search begins where the waveforms stand; where that leaves much over, it
/// begins again where each waveform correlates best with what the others leave, so that a delay longer than
/// half a period is found too.
public struct TemplateFit: Sendable {
  /// What was found of one waveform.
  public struct Part: Sendable, Equatable {
    /// What it comes back as: 1 for the waveform as it was given.
    public let gain: Estimate
    /// How much later than given it comes, in frames.
    public let delay: Estimate
    /// The waveform with this gain and delay, frame by frame.
    public let waveform: [Double]
  }

  /// What was found of all.
  public struct Result: Sendable, Equatable {
    /// One part for each waveform.
    public let parts: [Part]
    /// The rms of what is left over beyond the noise, over the rms of the samples about their offset.
    public let misfit: Double
  }

  /// The waveforms, all as long as the stretch.
  private let templates: [[Double]]
  /// The largest delay to either side, in frames.
  private let reach: Double

  /// Makes a fit of waveforms of one length, each allowed to move by `reach` frames.
  ///
  /// Traps without a waveform, and where the lengths differ.
  public init(templates: [[Double]], reach: Double) {
    precondition(!templates.isEmpty, "a fit of no waveform")
    precondition(
      templates.allSatisfy { $0.count == templates[0].count }, "waveforms of several lengths")
    self.templates = templates
    self.reach = reach
  }

  /// Fits the waveforms to samples with white noise of a standard deviation.
  ///
  /// What is left over beyond the noise widens gain and delay by as much as it could move them. Throws
  /// where a delay leaves its reach, or two waveforms cannot be told apart at all. Costs two transforms
  /// for each waveform and step, of which there are ten at most, and as much again where it begins twice.
  public func fit(_ samples: [Float], noise: Double) throws(DelayError) -> Result {
    let count = templates[0].count
    precondition(samples.count == count, "\(samples.count) samples beside \(count)")
    guard samples.allSatisfy(\.isFinite) else { throw .notFinite(frame: 0) }
    var shifts = ShiftedWaveforms(templates, room: Int(reach.rounded(.up)) + 64)
    var state = [Double](repeating: 0, count: 2 * templates.count)
    for part in templates.indices { state[2 * part] = 1 }
    let near = descent(samples, &shifts, from: state)
    if case .success(let end) = near, end.step.leftover(beyond: noise) < Self.plain * Self.plain {
      return result(end.step, state: end.state, noise: noise)
    }
    let far = descent(samples, &shifts, from: searched(samples, &shifts, from: state))
    switch (near, far) {
    case (.success(let one), .success(let other)):
      let best = other.step.restEnergy < one.step.restEnergy ? other : one
      return result(best.step, state: best.state, noise: noise)
    case (.success(let one), .failure), (.failure, .success(let one)):
      return result(one.step, state: one.state, noise: noise)
    case (.failure(let error), .failure): throw error
    }
  }

  /// The misfit below which the waveforms stand where they should.
  private static let plain = 0.1
  /// How often each waveform is looked for.
  private static let rounds = 3

  /// Gauss and Newton from a state of gains and delays.
  private func descent(
    _ samples: [Float], _ shifts: inout ShiftedWaveforms, from start: [Double]
  ) -> Swift.Result<(step: Step, state: [Double]), DelayError> {
    var state = start
    var step = Step(samples, shifts: &shifts, state: state)
    for _ in 0..<10 {
      guard let change = step.change else {
        return .failure(
          .notFound(reason: "the waveforms are too much alike to be told apart"))
      }
      for index in state.indices { state[index] += change[index] }
      for part in templates.indices where abs(state[2 * part + 1]) > reach {
        return .failure(
          .notFound(
            reason: "waveform \(part + 1) of \(templates.count) is not where it should be"))
      }
      step = Step(samples, shifts: &shifts, state: state)
      let largest = templates.indices.reduce(0) { max($0, abs(change[2 * $1 + 1])) }
      if largest < 1e-6 { break }
    }
    return .success((step, state))
  }

  /// Where each waveform correlates best with what the others leave, whole frames.
  private func searched(
    _ samples: [Float], _ shifts: inout ShiftedWaveforms, from start: [Double]
  ) -> [Double] {
    var state = start
    for _ in 0..<(templates.count == 1 ? 1 : Self.rounds) {
      for part in templates.indices {
        var rest = samples.map(Double.init)
        for other in templates.indices where other != part {
          let waveform = shifts.shifted(other, by: state[2 * other + 1]).waveform
          for index in rest.indices { rest[index] -= state[2 * other] * waveform[index] }
        }
        let place = shifts.place(of: part, in: rest, reach: Int(reach))
        (state[2 * part], state[2 * part + 1]) = (place.gain, Double(place.lag))
      }
    }
    return state
  }

  private func result(_ step: Step, state: [Double], noise: Double) -> Result {
    let freedom = Double(max(1, step.samples.count - state.count - 1))
    let excess = max(0, step.restEnergy - noise * noise * freedom)
    let strength = max(step.energy - noise * noise * freedom, 1e-30)
    let parts = templates.indices.map { part in
      let gain = state[2 * part]
      func sigma(_ index: Int) -> Double {
        let leverage = max(0, step.inverse[index, index])
        // Of an error of known size in an unknown direction the worst moves by its length times this.
        return (leverage * (noise * noise + excess)).squareRoot()
      }
      return Part(
        gain: Estimate(gain, uncertainty: sigma(2 * part)),
        delay: Estimate(state[2 * part + 1], uncertainty: sigma(2 * part + 1)),
        waveform: step.columns[2 * part].map { gain * $0 })
    }
    return Result(parts: parts, misfit: (excess / strength).squareRoot())
  }

  /// One step of Gauss and Newton: what is left over at a state, and where it says to go.
  private struct Step {
    let samples: [Double]
    let columns: [[Double]]
    let inverse: SymmetricInverse
    let restEnergy: Double
    /// The energy of the samples about their mean.
    let energy: Double
    /// The energy left over beyond white noise of a standard deviation, as a share of all.
    func leftover(beyond noise: Double) -> Double {
      let white = noise * noise * Double(samples.count)
      return max(0, restEnergy - white) / max(energy - white, 1e-30)
    }

    /// What to add to gains and delays; `nil` where the waveforms do not determine them.
    let change: [Double]?

    init(_ samples: [Float], shifts: inout ShiftedWaveforms, state: [Double]) {
      // Means off every column: the offset is fitted with the rest.
      let samples = Self.centred(samples.map(Double.init))
      var columns: [[Double]] = []
      var slopes: [[Double]] = []
      let parts = state.indices.filter { $0.isMultiple(of: 2) }.map { $0 / 2 }
      for part in parts {
        let (waveform, slope) = shifts.shifted(part, by: state[2 * part + 1])
        columns += [waveform, waveform]
        slopes += [waveform, slope.map { -state[2 * part] * $0 }]
      }
      var rest = samples
      for part in parts {
        for index in rest.indices { rest[index] -= state[2 * part] * columns[2 * part][index] }
      }
      rest = Self.centred(rest)
      let jacobian = slopes.map(Self.centred)
      let size = jacobian.count
      var products = [Double](repeating: 0, count: size * size)
      for row in 0..<size {
        for column in 0...row {
          let product = Self.product(jacobian[row], jacobian[column])
          products[row * size + column] = product
          products[column * size + row] = product
        }
      }
      // Scaled to a diagonal of one, so that gains and delays weigh alike.
      let scale = (0..<size).map { 1 / max(products[$0 * size + $0], 1e-300).squareRoot() }
      let scaled = SymmetricInverse(size: size) {
        products[$0 * size + $1] * scale[$0] * scale[$1]
      }
      self.samples = samples
      self.columns = columns
      restEnergy = Self.product(rest, rest)
      energy = Self.product(samples, samples)
      inverse = SymmetricInverse(scaled) { $2 * scale[$0] * scale[$1] }
      let right = jacobian.map { Self.product($0, rest) }
      // A diagonal of 1e8 means that 1e-4 of a waveform is all that tells it from the others.
      let isKnown = (0..<size).allSatisfy { scaled[$0, $0].isFinite && scaled[$0, $0] < 1e8 }
      change = isKnown ? inverse.times(right) : nil
    }

    private static func product(_ left: [Double], _ right: [Double]) -> Double {
      var sum = 0.0
      for index in left.indices { sum += left[index] * right[index] }
      return sum
    }

    private static func centred(_ values: [Double]) -> [Double] {
      let mean = values.reduce(0, +) / Double(max(1, values.count))
      return values.map { $0 - mean }
    }
  }
}

/// Waveforms of one length that can be moved by parts of a frame, with their slopes a frame.
private struct ShiftedWaveforms: ~Copyable {
  private let count: Int
  private var transform: FourierTransform
  private let bins: [[Complex]]

  /// Takes waveforms; zeros stand beyond their ends, `room` of them at least.
  init(_ waveforms: [[Double]], room: Int) {
    count = waveforms[0].count
    var transform = FourierTransform(
      length: FourierTransform.fastLength(atLeast: count + 2 * room))
    bins = waveforms.map { transform.forward($0.span) }
    self.transform = transform
  }

  /// A waveform so many frames later, and how fast it changes there.
  mutating func shifted(
    _ index: Int, by frames: Double
  ) -> (waveform: [Double], slope: [Double]) {
    var moved = bins[index]
    var slope = moved
    for bin in moved.indices {
      let frequency = 2 * .pi * Double(bin) / Double(transform.length)
      moved[bin] = moved[bin] * Complex(angle: -frequency * frames)
      slope[bin] = moved[bin] * Complex(0, frequency)
    }
    return (
      Array(transform.inverse(moved).prefix(count)), Array(transform.inverse(slope).prefix(count))
    )
  }

  /// By how many frames later than given a waveform correlates best with samples, and how strong it is
  /// there.
  mutating func place(
    of index: Int, in samples: [Double], reach: Int
  ) -> (lag: Int, gain: Double) {
    let mean = samples.reduce(0, +) / Double(max(1, samples.count))
    let centred = samples.map { $0 - mean }
    let spectrum = transform.forward(centred.span)
    let correlation = transform.inverse(zip(spectrum, bins[index]).map { $0 * $1.conjugate })
    let length = transform.length
    let lag = (-reach...reach).max {
      correlation[($0 + length) % length] < correlation[($1 + length) % length]
    }
    let energy = transform.inverse(bins[index].map { Complex($0.power) })[0]
    let best = lag ?? 0
    return (best, correlation[(best + length) % length] / max(energy, 1e-300))
  }
}
