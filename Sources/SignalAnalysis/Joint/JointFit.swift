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
  let span: Int

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
    var span = PairedUnknowns.span(
      of: ordered.map { $0.first..<($0.first + $0.samples.count) }, room: room)
    for places in piecesOfEvent {
      for (one, other) in zip(places, places.dropFirst()) { span = max(span, other - one) }
    }
    self.span = span
    for index in self.pieces.indices { place(index, at: 0) }
    energies = self.pieces.map { InnerProduct.energy($0.values) }
  }

  /// Begins where an earlier fit of the same stretch ended, as far as the events are the same.
  ///
  /// - Parameters:
  ///   - earlier: What that fit found of each event; `nil` where the event is another.
  ///   - shift: What it moved the resonance by.
  public mutating func begin(at earlier: [Part?], shift: (lnF0: Double, lnQ: Double)) {
    adjust(to: shift)
    for (places, part) in zip(piecesOfEvent, earlier) {
      let course = part?.course ?? []
      let isSame = course.count == places.count
      for (number, index) in places.enumerated() {
        if isSame { gains[index] = course[number].gain }
        place(index, at: isSame ? course[number].delay : 0)
      }
    }
  }

  /// So often events are looked for in what a descent left over.
  private static let mostSearches = 4

  /// Fits the waveforms to a stretch of samples about zero.
  public mutating func fit(_ samples: [Double]) -> Result {
    var samples = samples
    for gap in gaps {
      for frame in gap.clamped(to: samples.indices) { samples[frame] = 0 }
    }
    search(samples)
    var step = descend(samples)
    // What the joint fit leaves over shows whom it put at a wrong place.
    for _ in 0..<Self.mostSearches {
      let (before, least) = (state, step.restEnergy)
      guard search(samples) else { break }
      // Two at once are not needed: what was drawn can be drawn again.
      step = Step()
      step = descend(samples)
      guard step.restEnergy < least else {
        restore(before)
        step = Step(self, samples)
        break
      }
    }
    return result(step, samples)
  }

  mutating func place(_ index: Int, at delay: Double) {
    pieces[index].move(to: delay, plans)
    pieces[index].leaveOut(gaps)
  }

  var state: (gains: [Double], delays: [Double], moved: (lnF0: Double, lnQ: Double)) {
    (gains, pieces.map(\.delay), moved)
  }

  mutating func restore(
    _ state: (gains: [Double], delays: [Double], moved: (lnF0: Double, lnQ: Double))
  ) {
    gains = state.gains
    adjust(to: state.moved)
    for index in pieces.indices { place(index, at: state.delays[index]) }
  }
}
