private import Glibc

/// Tells many known waveforms apart in one long stretch: the gain and the delay of each, all together.
///
/// Least squares of samples = sum of g[k] p[k](t - d[k]) over all gains and delays at once, by Gauss-Newton.
/// Waveforms have ends, so the normal equations are banded and the cost grows linearly with their number,
/// times the square of how many lie over one another. The stages:
///
/// 1. `search`: from gains of 1 each event is looked for at every delay in reach, the one that explains most
///    first, since Gauss-Newton alone slips by a period where an event came later than a quarter of one.
/// 2. `descend`: gains, delays, and the resonance that all waveforms share, until they stand.
/// 3. `search` and `descend` once more in what the joint fit left over.
/// 4. `JointFit+Uncertainty`: what the noise, and what the waveforms do not explain, leave unsure.
///
/// A waveform that lasts is given in several pieces of one event, each with a gain and a delay of its own: the
/// course of its response. Neighbouring pieces are held together by `hold`.
public struct JointFit {
  /// One piece of an event's predicted response.
  public struct Piece: Sendable {
    /// The event that it belongs to, from 0.
    public var event: Int
    /// The frame of the stretch that it begins at; may lie outside.
    public var first: Int
    /// The response at a gain of 1 and no delay.
    public var samples: [Double]

    /// Makes a piece.
    public init(event: Int, first: Int, samples: [Double]) {
      self.event = event
      self.first = first
      self.samples = samples
    }
  }

  /// What all waveforms share and the fit may adjust.
  public struct Resonance {
    /// The response at a frequency in cycles a frame, with ln f0 and ln Q moved by some amounts.
    public var response: (_ frequency: Double, _ lnF0: Double, _ lnQ: Double) -> Complex
    /// The standard uncertainty that ln f0 and ln Q are known with beforehand.
    public var prior: (lnF0: Double, lnQ: Double)
    /// The period of the resonance in frames.
    public var period: Double

    /// Makes a resonance.
    public init(
      period: Double, prior: (lnF0: Double, lnQ: Double),
      response: @escaping (_ frequency: Double, _ lnF0: Double, _ lnQ: Double) -> Complex
    ) {
      self.period = period
      self.prior = prior
      self.response = response
    }
  }

  /// The largest delay to either side, in frames.
  public var reach: Double
  /// By how much neighbouring pieces of one event differ, one standard deviation: as a share in gain, and
  /// as an angle of the resonance in delay.
  public var hold = 0.15
  /// The standard deviation of the samples' noise in the waveforms' band, as of white noise.
  public var noise: Double
  /// Frames of the stretch that are left out.
  public var gaps: [Range<Int>]
  /// The share of the response's amplitude that the waveforms are known not to explain, at least.
  public var leastMisfit: Double

  let resonance: Resonance
  let eventCount: Int
  var pieces: [MovableWaveform]
  var gains: [Double]
  /// The event of each piece.
  let events: [Int]
  /// The pieces of each event, by time.
  let piecesOfEvent: [[Int]]
  /// The energy of each piece at a gain of 1.
  var energies: [Double] = []
  let plans = MovableWaveform.Plans()
  /// What ln f0 and ln Q were moved by.
  var moved = (lnF0: 0.0, lnQ: 0.0)
  /// How many places further in the order a piece may be that touches another.
  private let span: Int

  /// Makes a fit of the pieces of `eventCount` events.
  ///
  /// Traps where a piece belongs to none of them.
  public init(
    _ pieces: [Piece], eventCount: Int, resonance: Resonance, reach: Double, noise: Double,
    gaps: [Range<Int>] = [], leastMisfit: Double = 0
  ) {
    precondition(pieces.allSatisfy { (0..<eventCount).contains($0.event) }, "a piece of no event")
    let ordered = pieces.sorted { ($0.first, $0.event) < ($1.first, $1.event) }
    self.resonance = resonance
    self.reach = reach
    self.noise = noise
    self.gaps = gaps
    self.leastMisfit = leastMisfit
    self.eventCount = eventCount
    events = ordered.map(\.event)
    let plans = plans
    self.pieces = ordered.map { MovableWaveform($0.samples, first: $0.first, plans) }
    gains = [Double](repeating: 1, count: ordered.count)
    var piecesOfEvent = [[Int]](repeating: [], count: eventCount)
    for (index, piece) in ordered.enumerated() { piecesOfEvent[piece.event].append(index) }
    self.piecesOfEvent = piecesOfEvent
    // A piece touches those that begin before it ends, however both have moved.
    let room = 2 * MovableWaveform.room + 2 * Int(reach.rounded(.up))
    var span = 0
    var next = 0
    for (index, piece) in ordered.enumerated() {
      next = max(next, index)
      while next + 1 < ordered.count,
        ordered[next + 1].first < piece.first + piece.samples.count + room
      {
        next += 1
      }
      span = max(span, next - index)
    }
    for places in piecesOfEvent {
      for (one, other) in zip(places, places.dropFirst()) { span = max(span, other - one) }
    }
    self.span = span
    for index in self.pieces.indices { place(index, at: 0) }
    energies = self.pieces.map { Self.energy($0.values) }
  }

  /// Fits the waveforms to a stretch of samples about zero.
  public mutating func fit(_ samples: [Double]) -> Result {
    var samples = samples
    for gap in gaps {
      for frame in gap.clamped(to: samples.indices) { samples[frame] = 0 }
    }
    search(samples)
    var step = descend(samples)
    // What the joint fit leaves over shows whom it put at a wrong place.
    let before = state
    if search(samples) {
      let again = descend(samples)
      if again.restEnergy < step.restEnergy {
        step = again
      } else {
        restore(before)
        step = Step(self, samples)
      }
    }
    return result(step, samples)
  }

  static func energy(_ values: [Double]) -> Double {
    InnerProduct.of(values, from: 0, values, from: 0)
  }

  mutating func place(_ index: Int, at delay: Double) {
    pieces[index].move(to: delay, plans)
    pieces[index].leaveOut(gaps)
  }

  // MARK: Gauss-Newton

  private var state: (gains: [Double], delays: [Double], moved: (lnF0: Double, lnQ: Double)) {
    (gains, pieces.map(\.delay), moved)
  }

  private mutating func restore(
    _ state: (gains: [Double], delays: [Double], moved: (lnF0: Double, lnQ: Double))
  ) {
    gains = state.gains
    adjust(to: state.moved)
    for index in pieces.indices { place(index, at: state.delays[index]) }
  }

  /// Moves the resonance that all waveforms share; they are drawn anew when they are placed.
  private mutating func adjust(to target: (lnF0: Double, lnQ: Double)) {
    guard abs(target.lnF0 - moved.lnF0) > 1e-7 || abs(target.lnQ - moved.lnQ) > 1e-6 else { return }
    let (old, response) = (moved, resonance.response)
    var factors: [Int: [Complex]] = [:]
    for index in pieces.indices {
      let length = pieces[index].length
      let shelf =
        factors[length]
        ?? (0...(length / 2)).map { bin in
          let frequency = Double(bin) / Double(length)
          let before = response(frequency, old.lnF0, old.lnQ)
          guard before.power > 0 else { return Complex(1) }
          return response(frequency, target.lnF0, target.lnQ) / before
        }
      factors[length] = shelf
      pieces[index].filter(shelf)
    }
    moved = target
  }

  private static let mostSteps = 16
  /// No delay moves further in one step, as a share of the resonance's period.
  private static let longestStep = 0.12
  /// No step moves the resonance further: ln f0, ln Q.
  private static let largestAdjustment = (lnF0: 0.02, lnQ: 0.2)

  /// Gauss-Newton from where gains and delays stand.
  private mutating func descend(_ samples: [Double]) -> Step {
    var step = Step(self, samples)
    for _ in 0..<Self.mostSteps {
      guard let change = change(step, samples) else { break }
      let start = state
      var share = 1.0
      var next = step
      repeat {
        apply(change, share: share, from: start)
        next = Step(self, samples)
        if next.restEnergy <= step.restEnergy * (1 + 1e-9) { break }
        share /= 2
      } while share > 0.1
      guard next.restEnergy < step.restEnergy else {
        restore(start)
        break
      }
      let gained = step.restEnergy - next.restEnergy
      step = next
      if gained < 1e-5 * step.restEnergy || gained < 0.1 * noise * noise { break }
    }
    return step
  }

  private struct Change {
    let parameters: [Double]
    let lnF0: Double
    let lnQ: Double
  }

  private mutating func apply(
    _ change: Change, share: Double,
    from start: (gains: [Double], delays: [Double], moved: (lnF0: Double, lnQ: Double))
  ) {
    func limited(_ value: Double, _ limit: Double) -> Double { max(-limit, min(limit, value)) }
    let longest = Self.longestStep * resonance.period
    let most = Self.largestAdjustment
    adjust(
      to: (
        start.moved.lnF0 + share * limited(change.lnF0, most.lnF0),
        start.moved.lnQ + share * limited(change.lnQ, most.lnQ)
      ))
    for index in pieces.indices {
      gains[index] = start.gains[index] + share * change.parameters[2 * index]
      let delay = start.delays[index] + share * limited(change.parameters[2 * index + 1], longest)
      place(index, at: max(-reach, min(reach, delay)))
    }
  }

  /// What gains, delays and resonance predict, and what they leave over.
  struct Step {
    /// The sum of all waveforms.
    let model: [Double]
    /// What is left over.
    let rest: [Double]
    let restEnergy: Double

    init(_ fit: JointFit, _ samples: [Double]) {
      var model = [Double](repeating: 0, count: samples.count)
      for (index, piece) in fit.pieces.enumerated() {
        let gain = fit.gains[index]
        let frames = (piece.first..<piece.end).clamped(to: model.indices)
        piece.values.withUnsafeBufferPointer { values in
          for frame in frames { model[frame] += gain * values[frame - piece.first] }
        }
      }
      rest = zip(samples, model).map { $0 - $1 }
      restEnergy = JointFit.energy(rest)
      self.model = model
    }
  }

  /// The normal equations at a state, factored, with what the shared resonance adds.
  struct Equations {
    let factor: BandedMatrix.Factor
    /// How the whole response changes with ln f0 and ln Q, frame by frame.
    let shared: [[Double]]
    /// What gains and delays do to make up for a change of each.
    let answers: [[Double]]
    /// The inverse normal matrix of ln f0 and ln Q once gains and delays have answered.
    let sharedInverse: [[Double]]
  }

  private mutating func change(_ step: Step, _ samples: [Double]) -> Change? {
    let variance = max(
      noise * noise, step.restEnergy / Double(max(1, samples.count - 2 * pieces.count)))
    guard let equations = equations(step, variance: variance) else { return nil }
    var right = projected(step.rest)
    addPrior(to: &right, variance: variance)
    let plain = equations.factor.solve(right)
    let priors = [resonance.prior.lnF0, resonance.prior.lnQ]
    let now = [moved.lnF0, moved.lnQ]
    let forces = equations.shared.indices.map { place in
      InnerProduct.of(equations.shared[place], from: 0, step.rest, from: 0)
        - Self.product(equations.answers[place], right)
        - now[place] * variance / (priors[place] * priors[place])
    }
    let shifts = equations.shared.indices.map { row in
      Self.product(equations.sharedInverse[row], forces)
    }
    var parameters = plain
    for (place, shift) in shifts.enumerated() {
      for index in parameters.indices {
        parameters[index] -= shift * equations.answers[place][index]
      }
    }
    guard parameters.allSatisfy(\.isFinite), shifts.allSatisfy(\.isFinite) else { return nil }
    return Change(parameters: parameters, lnF0: shifts[0], lnQ: shifts[1])
  }

  private static func product(_ left: [Double], _ right: [Double]) -> Double {
    InnerProduct.of(left, from: 0, right, from: 0)
  }

  /// A stretch against how the response changes with each gain and delay.
  func projected(_ values: [Double]) -> [Double] {
    var right = [Double](repeating: 0, count: 2 * pieces.count)
    for (index, piece) in pieces.enumerated() {
      right[2 * index] = InnerProduct.of(piece.values, from: piece.first, values, from: 0)
      right[2 * index + 1] =
        -gains[index] * InnerProduct.of(piece.slope, from: piece.first, values, from: 0)
    }
    return right
  }

  /// One standard deviation of a delay beforehand: half its reach.
  var delayPrior: Double { reach / 2 }
  /// One standard deviation of a gain beforehand: anything from nothing to ten times as much.
  private static let gainPrior = 10.0

  /// How much neighbouring pieces' delays differ, one standard deviation, in frames.
  private var delayHold: Double { hold * resonance.period / (2 * .pi) }

  private func addPrior(to right: inout [Double], variance: Double) {
    for index in pieces.indices {
      right[2 * index] -= (gains[index] - 1) * variance / (Self.gainPrior * Self.gainPrior)
      right[2 * index + 1] -= pieces[index].delay * variance / (delayPrior * delayPrior)
    }
    for places in piecesOfEvent {
      for (one, other) in zip(places, places.dropFirst()) {
        let gain = (gains[one] - gains[other]) * variance / (hold * hold)
        right[2 * one] -= gain
        right[2 * other] += gain
        let delay =
          (pieces[one].delay - pieces[other].delay) * variance / (delayHold * delayHold)
        right[2 * one + 1] -= delay
        right[2 * other + 1] += delay
      }
    }
  }

  /// The normal equations where gains and delays stand, for noise of a variance a frame.
  mutating func equations(_ step: Step, variance: Double) -> Equations? {
    var normal = BandedMatrix(size: 2 * pieces.count, bandwidth: 2 * span + 1)
    for index in pieces.indices { addProducts(of: index, to: &normal) }
    for index in pieces.indices {
      normal[2 * index, 2 * index] += variance / (Self.gainPrior * Self.gainPrior)
      normal[2 * index + 1, 2 * index + 1] += variance / (delayPrior * delayPrior)
    }
    for places in piecesOfEvent {
      for (one, other) in zip(places, places.dropFirst()) {
        for (offset, weight) in [
          (0, variance / (hold * hold)), (1, variance / (delayHold * delayHold)),
        ] {
          normal[2 * one + offset, 2 * one + offset] += weight
          normal[2 * other + offset, 2 * other + offset] += weight
          normal[2 * other + offset, 2 * one + offset] -= weight
        }
      }
    }
    guard let factor = normal.factored() else { return nil }
    let shared = sharedSlopes(step.model)
    let projections = shared.map { projected($0) }
    let answers = projections.map { factor.solve($0) }
    let priors = [resonance.prior.lnF0, resonance.prior.lnQ]
    func element(_ row: Int, _ column: Int) -> Double {
      Self.product(shared[row], shared[column]) - Self.product(projections[row], answers[column])
        + (row == column ? variance / (priors[row] * priors[row]) : 0)
    }
    let (a, b, c) = (element(0, 0), element(0, 1), element(1, 1))
    let determinant = a * c - b * b
    guard determinant > 0 else { return nil }
    return Equations(
      factor: factor, shared: shared, answers: answers,
      sharedInverse: [[c / determinant, -b / determinant], [-b / determinant, a / determinant]])
  }

  private func addProducts(of index: Int, to normal: inout BandedMatrix) {
    let piece = pieces[index]
    let gain = gains[index]
    for other in index...min(pieces.count - 1, index + span) {
      let second = pieces[other]
      guard second.first < piece.end, piece.first < second.end else { continue }
      func product(_ left: [Double], _ right: [Double]) -> Double {
        InnerProduct.of(left, from: piece.first, right, from: second.first)
      }
      let (row, column) = (2 * other, 2 * index)
      normal[row, column] += product(piece.values, second.values)
      let cross = -gains[other] * product(piece.values, second.slope)
      normal[row + 1, column] += cross
      normal[row + 1, column + 1] += gain * gains[other] * product(piece.slope, second.slope)
      if other > index {
        normal[row, column + 1] += -gain * product(piece.slope, second.values)
      }
    }
  }

  /// How the whole response changes with ln f0 and ln Q: its spectrum times the slope of ln H.
  private mutating func sharedSlopes(_ model: [Double]) -> [[Double]] {
    let length = FourierTransform.fastLength(atLeast: model.count + Int(16 * resonance.period))
    let slopes = resonanceSlopes()
    return plans.with(length) { plan in
      let bins = plan.forward(model.span)
      func slope(_ table: [Complex]) -> [Double] {
        let changed = bins.indices.map { bin -> Complex in
          let place = 2 * Double(bin) / Double(length) * Double(Self.tableLength)
          let row = min(Self.tableLength - 1, Int(place))
          let part = place - Double(row)
          return bins[bin] * ((1 - part) * table[row] + part * table[row + 1])
        }
        return Array(plan.inverse(changed).prefix(model.count))
      }
      return slopes.map(slope)
    }
  }

  /// So many frequencies, from zero to half the rate, draw how ln H changes with the resonance.
  private static let tableLength = 8192

  /// How ln H changes with ln f0 and ln Q, by frequency.
  private func resonanceSlopes() -> [[Complex]] {
    let (response, now) = (resonance.response, moved)
    let step = 1e-4
    func table(_ lnF0: Double, _ lnQ: Double) -> [Complex] {
      (0...Self.tableLength).map { row in
        let frequency = 0.5 * Double(row) / Double(Self.tableLength)
        let here = response(frequency, now.lnF0, now.lnQ)
        guard here.power > 0 else { return Complex(0) }
        let up = response(frequency, now.lnF0 + lnF0, now.lnQ + lnQ)
        let down = response(frequency, now.lnF0 - lnF0, now.lnQ - lnQ)
        return 1 / (2 * step) * ((up - down) / here)
      }
    }
    return [table(step, 0), table(0, step)]
  }
}
