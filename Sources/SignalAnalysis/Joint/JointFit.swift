// SPDX-License-Identifier: Apache-2.0

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
/// 3. `search` and `descend` again in what the joint fit left over, while that finds an event elsewhere.
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
  let events: [Int]
  /// The pieces of each event, by time.
  let piecesOfEvent: [[Int]]
  /// The energy of each piece at a gain of 1.
  let energies: [Double]
  let plans: MovableWaveform.Plans
  /// What ln f0 and ln Q were moved by.
  var moved = (lnF0: 0.0, lnQ: 0.0)
  /// How many places further in the order a piece may be that touches another.
  let span: Int
  /// The pieces that searches and descents change, in order: those of whole events.
  private(set) var active: [Int]
  private(set) var stretches: [Stretch]
  /// Whether searches and descents change all, and what all share with them.
  var isWhole: Bool { active.count == pieces.count }

  /// Makes a fit of the pieces of `eventCount` events.
  ///
  /// Traps where a piece belongs to none of them.
  public init(
    _ pieces: [Piece], eventCount: Int, resonance: Resonance, reach: Double, noise: Double,
    gaps: [Range<Int>] = [], leastMisfit: Double = 0
  ) {
    precondition(pieces.allSatisfy { (0..<eventCount).contains($0.event) }, "a piece of no event")
    let plans = MovableWaveform.Plans()
    self.init(
      pieces.map { Self.placed($0, plans, gaps: gaps) }, eventCount: eventCount,
      resonance: resonance, reach: reach, noise: noise, gaps: gaps, leastMisfit: leastMisfit,
      plans: plans)
  }

  private init(
    _ pieces: [Placed], eventCount: Int, resonance: Resonance, reach: Double, noise: Double,
    gaps: [Range<Int>], leastMisfit: Double, plans: MovableWaveform.Plans
  ) {
    let ordered = pieces.sorted { ($0.waveform.origin, $0.event) < ($1.waveform.origin, $1.event) }
    self.resonance = resonance
    self.reach = reach
    self.noise = noise
    self.gaps = gaps
    self.leastMisfit = leastMisfit
    self.eventCount = eventCount
    self.plans = plans
    self.pieces = ordered.map(\.waveform)
    gains = ordered.map(\.gain)
    energies = ordered.map(\.energy)
    events = ordered.map(\.event)
    var piecesOfEvent = [[Int]](repeating: [], count: eventCount)
    for (index, piece) in ordered.enumerated() { piecesOfEvent[piece.event].append(index) }
    self.piecesOfEvent = piecesOfEvent
    // A piece touches those that begin before it ends, however both have moved.
    let room = 2 * MovableWaveform.room + 2 * Int(reach.rounded(.up))
    var span = PairedUnknowns.span(of: ordered.map(\.waveform.frames), room: room)
    for places in piecesOfEvent {
      for (one, other) in zip(places, places.dropFirst()) { span = max(span, other - one) }
    }
    self.span = span
    active = Array(ordered.indices)
    stretches = [Stretch(frames: .min..<(.max), pieces: active)]
  }

  /// Frames, and all pieces that may reach into them.
  struct Stretch {
    let frames: Range<Int>
    let pieces: [Int]
  }

  /// A piece where it stands.
  private struct Placed {
    let event: Int
    var waveform: MovableWaveform
    var gain = 1.0
    /// At a gain of 1, without a delay.
    let energy: Double
  }

  private static func placed(
    _ piece: Piece, _ plans: MovableWaveform.Plans, gaps: [Range<Int>]
  ) -> Placed {
    var waveform = MovableWaveform(piece.samples, first: piece.first, plans)
    waveform.move(to: 0, plans)
    waveform.leaveOut(gaps)
    return Placed(
      event: piece.event, waveform: waveform, energy: InnerProduct.energy(waveform.values))
  }

  /// The fit of the same stretch with other events in place of some, begun where this one ended.
  ///
  /// `same` says of each event which one of this fit it is, `nil` where it is new, and `new` are the pieces of
  /// those. Where few are new, only those near them are looked for and descend with them: the others, and what
  /// all share, stood already. The fit is not yet made.
  public func regrouped(_ same: [Int?], new: [Piece]) -> JointFit {
    var placed = same.enumerated().flatMap { event, before in
      (before.map { piecesOfEvent[$0] } ?? []).map { place in
        Placed(event: event, waveform: pieces[place], gain: gains[place], energy: energies[place])
      }
    }
    var factors = ShiftFactors(resonance, from: (0, 0), to: moved)
    for piece in new {
      var piece = Self.placed(piece, plans, gaps: gaps)
      piece.waveform.filter(factors.of(piece.waveform.length))
      piece.waveform.move(to: 0, plans)
      piece.waveform.leaveOut(gaps)
      placed.append(piece)
    }
    var fit = JointFit(
      placed, eventCount: same.count, resonance: resonance, reach: reach, noise: noise, gaps: gaps,
      leastMisfit: leastMisfit, plans: plans)
    fit.hold = hold
    fit.moved = moved
    var near = Set(same.indices.filter { same[$0] == nil })
    // Those that a new one touches, and those that these touch.
    for _ in 0..<2 { near = near.reduce(into: near) { $0.formUnion(fit.neighbours(of: $1)) } }
    let active = fit.pieces.indices.filter { near.contains(fit.events[$0]) }
    if 2 * active.count < fit.pieces.count { fit.changeOnly(active) }
    return fit
  }

  private mutating func changeOnly(_ places: [Int]) {
    active = places
    let room = MovableWaveform.room + Int(reach.rounded(.up))
    func frames(_ place: Int) -> Range<Int> {
      let frames = pieces[place].frames
      return frames.lowerBound - room..<frames.upperBound + room
    }
    var joined: [Range<Int>] = []
    for frames in places.map(frames) {
      if let last = joined.last, frames.lowerBound <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, frames.upperBound)
      } else {
        joined.append(frames)
      }
    }
    stretches = joined.map { stretch in
      Stretch(frames: stretch, pieces: pieces.indices.filter { stretch.overlaps(frames($0)) })
    }
  }

  /// So often events are looked for in what a descent left over.
  private static let mostSearches = 4

  /// Fits the waveforms to a stretch of samples about zero.
  public mutating func fit(_ samples: [Double]) -> Result {
    var samples = samples
    samples.clear(gaps)
    var step = Step(self, samples)
    if search(&step.rest) { step.draw(self, samples) }
    descend(&step, samples)
    // What the joint fit leaves over shows whom it put at a wrong place.
    for _ in 0..<Self.mostSearches {
      let (before, least) = (state, step.restEnergy)
      guard search(&step.rest) else { break }
      step.draw(self, samples)
      descend(&step, samples)
      guard step.restEnergy < least else {
        restore(before)
        step.draw(self, samples)
        break
      }
    }
    return result(step, samples)
  }

  mutating func place(_ index: Int, at delay: Double) {
    pieces[index].move(to: delay, plans)
    pieces[index].leaveOut(gaps)
  }

  typealias State = (gains: [Double], delays: [Double], moved: (lnF0: Double, lnQ: Double))

  var state: State { (gains, pieces.map(\.delay), moved) }

  mutating func restore(_ state: State) {
    gains = state.gains
    adjust(to: state.moved)
    for index in pieces.indices { place(index, at: state.delays[index]) }
  }
}
