// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
private import Glibc
import HapticRendering
import SignalAnalysis
import Units

/// What each haptic event of a pattern did by itself, told from all others by one joint fit.
///
/// The stages, each in a type of its own:
///
/// 1. `DriveShares`: what each event contributes to the drive as sent.
/// 2. `ResponseModel`: how the actuator answers, by the take's own probe.
/// 3. `AnalysisGrid`: the capture on the drive's clock, at a few kilohertz, and each share's predicted response.
/// 4. `JointFit`: a gain and a delay of each event, all together; of a long event their course.
/// 5. Events that cannot be told apart are joined, and fitted again, until what remains is sure.
struct EventSeparation: SeparatedEvents {
  private(set) var parts: [Int: SeparatedPart] = [:]
  private(set) var reasons: [Int: String] = [:]

  /// The largest delay that is looked for, to either side, in seconds: later comes another event.
  static let reach = 0.010
  /// Above this share of the amplitude the model does not describe what the actuator does.
  private static let largestMisfit = 0.5
  /// A delay less sure than this is joined with a neighbour's, in seconds.
  static let vaguestDelay = 0.5e-3
  /// An event weaker than this stands in no noise, as energy over the noise's density.
  private static let leastContrast = 25.0
  /// Of an event more than this share of the energy must have been recorded: by the rest alone no model is good enough.
  private static let leastSeen = 0.25
  private static let mostRounds = 8
  /// The time between the pieces of a long event, in seconds, and the length up to which it is one piece.
  private static let pieceStep = 0.1

  let alignment: TakeAlignment
  var take: TakeDrive { alignment.take }
  let model: ResponseModel
  let grid: AnalysisGrid
  let shares: [Int: DriveShares.Share]
  let volts: Float
  private(set) var courses: [Int: [(gain: Double, delay: Double)]] = [:]
  private(set) var spans: [Int: Range<Int>] = [:]
  private(set) var shift = (lnF0: 0.0, lnQ: 0.0)
  let modelSpectra = ModelSpectra()
  private(set) var rest: [Double] = []
  private(set) var whole: [Double] = []
  let quiet: Double
  /// An event whose prediction has less energy than this is not told from the noise.
  var leastEnergy: Double { Self.leastContrast * quiet * quiet }

  init?(
    _ alignment: TakeAlignment, samples: Samples, noise: NoiseFloor
  ) {
    guard let resonator = alignment.responder else { return nil }
    self.alignment = alignment
    let take = alignment.take
    model = ResponseModel(
      resonator, modes: alignment.modes, probe: alignment.probe, noise: noise.sigma.value,
      rate: take.rate)
    volts = Float(alignment.driveVolts)
    let rendered = DriveShares(take)
    shares = Dictionary(uniqueKeysWithValues: rendered.shares.map { ($0.event, $0) })
    let room = Int(Self.reach * take.rate.hertz)
    let last = rendered.shares.reduce(take.layout.pattern) { max($0, $1.frames.upperBound) }
    let tail = Int(model.ringing * take.rate.hertz)
    grid = AnalysisGrid(over: (take.layout.pattern - room)..<(last + tail + room), rate: take.rate)
    let (grid, reach) = (grid, Double(grid.reach))
    let gaps = alignment.untold(
      ringing: tail, until: Double(grid.first + grid.count * grid.factor)
    ).map { stretch in
      let first = Int(grid.place(of: stretch.from - reach).rounded(.down))
      let end = Int(grid.place(of: stretch.until + reach).rounded(.up))
      return (first..<max(first, end)).clamped(to: 0..<grid.count)
    }.filter { !$0.isEmpty }
    let stretch = grid.sample(
      samples, offset: Float(noise.offset.value), delay: { alignment.electricalFrames(at: $0) })
    quiet = noise.sigma.value / Double(grid.factor).squareRoot()
    separate(stretch, gaps: gaps)
  }

  private mutating func separate(_ samples: [Double], gaps: [Range<Int>]) {
    var groups = shares.keys.sorted().map { [$0] }
    guard !groups.isEmpty else { return }
    var predictions = Predictions()
    var fit = fit(
      predictions.pieces(of: groups.enumerated().map { ($0, $1) }, by: self), count: groups.count,
      gaps: gaps)
    var result = fit.fit(samples)
    for _ in 1..<Self.mostRounds {
      let joined = join(groups, result)
      guard joined.count < groups.count else { break }
      let places = Dictionary(uniqueKeysWithValues: groups.enumerated().map { ($1, $0) })
      let same = joined.map { places[$0] }
      let new = joined.enumerated().filter { same[$0.offset] == nil }.map { ($0, $1) }
      // They are drawn again: of a long take they are tens of megabytes.
      (result.model, result.rest) = ([], [])
      fit = fit.regrouped(same, new: predictions.pieces(of: new, by: self))
      result = fit.fit(samples)
      groups = joined
    }
    conclude(groups, result, fit, energies: groups.map { predictions.energies[$0] ?? 0 })
  }

  private struct Predictions {
    private var spectra: [Int: [Complex]] = [:]
    /// The energy of each group's prediction, with what gaps hide.
    private(set) var energies: [[Int]: Double] = [:]

    /// The pieces of some groups, each under the place that it is given.
    mutating func pieces(
      of groups: some Sequence<(place: Int, group: [Int])>, by separation: EventSeparation
    ) -> [JointFit.Piece] {
      groups.flatMap { place, group in
        let pieces = separation.pieces(of: group).map { piece in
          let (first, samples) = separation.grid.predict(
            piece.samples.map { $0 * separation.volts }, from: piece.first, separation.model,
            spectra: &spectra)
          return JointFit.Piece(event: place, first: first, samples: samples)
        }
        energies[group] = pieces.reduce(0) { $1.samples.reduce($0) { $0 + $1 * $1 } }
        return pieces
      }
    }
  }

  private func fit(_ pieces: [JointFit.Piece], count: Int, gaps: [Range<Int>]) -> JointFit {
    let resonator = model.resonator
    let (model, rate) = (model, grid.rate)
    // What level, temperature and mounting do to a resonance from the probe to the pattern, at least.
    let misfit = model.misfit
    let prior = (
      lnF0: max(0.01, resonator.frequency.relativeUncertainty, misfit / (2 * resonator.q.value)),
      lnQ: max(0.05, resonator.q.relativeUncertainty, 2 * misfit)
    )
    let shared = JointFit.Resonance(period: rate / resonator.frequency.value, prior: prior) {
      model.response(at: $0 * rate, lnF0: $1, lnQ: $2)
    }
    return JointFit(
      pieces, eventCount: count, resonance: shared, reach: Self.reach * rate,
      noise: quiet, gaps: gaps,
      // A model of the pattern itself was bent by what its events did: what is left over tells how good it is.
      leastMisfit: alignment.modelSource == .pattern ? 0 : misfit)
  }

  /// What a group of events drives, a long one in pieces that fade into each other and add up to the whole.
  private func pieces(of group: [Int]) -> [DriveShares.Share] {
    let members = group.compactMap { shares[$0] }
    guard let first = members.map(\.first).min(),
      let end = members.map(\.frames.upperBound).max()
    else { return [] }
    var samples = [Float](repeating: 0, count: end - first)
    for share in members {
      for (index, sample) in share.samples.enumerated() {
        samples[share.first - first + index] += sample
      }
    }
    return Self.pieces(of: samples, from: first, rate: take.rate.hertz).map {
      DriveShares.Share(event: group[0], first: $0.first, samples: $0.samples)
    }
  }

  static func pieces(
    of samples: [Float], from first: Int, rate: Double
  ) -> [(first: Int, samples: [Float])] {
    let step = Int(pieceStep * rate)
    guard samples.count > step * 3 / 2 else { return [(first, samples)] }
    let count = (samples.count + step - 1) / step
    return (0...count).map { node in
      let frames = ((node - 1) * step..<(node + 1) * step).clamped(to: samples.indices)
      return (
        first + frames.lowerBound,
        frames.map { frame in
          let turn = cos(.pi / 2 * Double(frame - node * step) / Double(step))
          return samples[frame] * Float(turn * turn)
        }
      )
    }.filter { !$0.samples.isEmpty }
  }

  private mutating func conclude(
    _ groups: [[Int]], _ result: JointFit.Result, _ fit: JointFit, energies: [Double]
  ) {
    shift = result.resonanceShift
    rest = result.rest
    whole = result.model
    if result.misfit > Self.largestMisfit {
      let share = Int((100 * result.misfit).rounded())
      for event in shares.keys {
        reasons[event] = "the probe's model leaves \(share) % of the response over"
      }
      return
    }
    let usual = usual(result)
    for (place, (group, found)) in zip(groups, result.parts).enumerated() {
      let isAmbiguous = fit.isAmbiguous(place, in: result)
      for event in group {
        guard let share = shares[event] else { continue }
        if found.energy < Self.leastSeen * energies[place] {
          reasons[event] = "a gap, an xrun or an overload hides most of its response"
          continue
        }
        let found =
          group.count > 1 ? usual.member(found, share: energyShare(of: event, in: group)) : found
        if found.energy < leastEnergy {
          reasons[event] = "no signal above the noise: its drive is too weak for this sensor"
          continue
        }
        guard found.gain.uncertainty.isFinite else {
          reasons[event] = "the joint fit does not settle"
          continue
        }
        courses[event] = found.course
        spans[event] = group.compactMap { shares[$0] }.reduce(share.first..<share.first) {
          min($0.lowerBound, $1.first)..<max($0.upperBound, $1.frames.upperBound)
        }
        parts[event] = part(found, of: share, members: group, isAmbiguous: isAmbiguous)
      }
    }
  }

  private func part(
    _ found: JointFit.Part, of share: DriveShares.Share, members: [Int], isAmbiguous: Bool
  ) -> SeparatedPart {
    let line = alignment.electricalDelay(at: Double(share.first)).uncertainty / take.rate.hertz
    let own = alignment.chainDelay?.uncertainty ?? 0
    let delay = Estimate(
      model.resonator.delay.value + (1 + 1e-6 * alignment.knownDrift) * found.delay.value
        / grid.rate,
      uncertainty: found.delay.uncertainty / grid.rate
    ).widened(by: line, own)
    let reason: String? =
      isAmbiguous
      ? "two delays explain it nearly as well"
      : delay.uncertainty > Self.vaguestDelay ? "its delay cannot be told with any certainty" : nil
    return SeparatedPart(
      delay: delay, unless: reason, gain: found.gain, members: members, misfit: found.misfit,
      frameCount: share.samples.count + Int(model.ringing * take.rate.hertz))
  }

  var ringing: Double { model.ringing }

  /// The frames of the grid that an event's own drive lasts, and rings; `nil` for one that drives nothing.
  func shareFrames(of event: Int) -> Range<Int>? {
    shares[event].map { share in
      let first = Int(grid.place(of: Double(share.first)))
      let last = Int(grid.place(of: Double(share.first + share.samples.count)))
      return first..<(last + Int(ringing * grid.rate))
    }
  }

  func seconds(of place: Int) -> Double {
    Double(grid.first + place * grid.factor - take.layout.pattern) / take.rate.hertz
  }

  func isDriven(_ event: Int) -> Bool { shares[event] != nil }

  func traces() -> (first: Int, factor: Int, model: [Double], rest: [Double])? {
    (grid.first, grid.factor, whole, rest)
  }

  /// A gain less sure than this is joined with a neighbour's, as a share: 1 dB.
  private static let vaguestGain = 0.12
  /// Events that do what is asked differ by less than this in strength, as a share.
  private static let largestScatter = 0.3

  /// Joins each group that is not sure of itself with the one that it is hardest to tell from.
  func join(_ groups: [[Int]], _ result: JointFit.Result) -> [[Int]] {
    let usual = usual(result)
    var pairs: [(Int, Int)] = []
    for (index, part) in result.parts.enumerated() {
      guard let partner = part.partner, part.energy > leastEnergy, isVague(part),
        !differs(part, from: usual), !differs(result.parts[partner], from: usual)
      else { continue }
      pairs.append((index, partner))
    }
    return EventGroups.joined(groups, by: pairs)
  }

  /// Whether an event surely does something else than the others: in a group that would be lost.
  private func differs(_ part: JointFit.Part, from usual: Usual) -> Bool {
    func isOff(_ value: Estimate, _ usual: Double, _ least: Double) -> Bool {
      abs(value.value - usual) > least + 3 * value.uncertainty
    }
    return SeparatedPart.isDropped(part.gain)
      || isOff(part.gain, usual.gain, Self.largestScatter * usual.gain)
      || isOff(part.delay, usual.delay, Self.vaguestDelay * grid.rate)
  }

  private func isVague(_ part: JointFit.Part) -> Bool {
    let gain = part.gain
    if SeparatedPart.isDropped(gain) { return false }
    return gain.uncertainty > Self.vaguestGain * max(gain.value, 0.5)
      || (gain.value > SeparatedPart.dropped
        && part.delay.uncertainty > Self.vaguestDelay * grid.rate)
  }

  func usual(_ result: JointFit.Result) -> Usual {
    Usual(result.parts.filter { $0.energy > leastEnergy })
  }

  struct Usual {
    let gain: Double
    let delay: Double

    init(_ parts: [JointFit.Part]) {
      gain = parts.isEmpty ? 1 : Statistics.median(parts.map(\.gain.value))
      delay = parts.isEmpty ? 0 : Statistics.median(parts.map(\.delay.value))
    }

    /// What is known of a member of a group by what the group does as a whole.
    ///
    /// What one member does differently shows in the group by its share of the energy; where the group differs from
    /// what is usual it may be this one or another.
    func member(_ found: JointFit.Part, share: Double) -> JointFit.Part {
      guard !SeparatedPart.isDropped(found.gain) else { return found }
      func wide(_ value: Estimate, _ usual: Double) -> Estimate {
        Estimate(value.value, uncertainty: value.uncertainty / max(share, 1e-6))
          .widened(by: value.value - usual)
      }
      var part = found
      part.gain = wide(found.gain, gain)
      part.delay = wide(found.delay, delay)
      return part
    }
  }

  func energyShare(of event: Int, in group: [Int]) -> Double {
    func energy(_ event: Int) -> Double {
      shares[event]?.samples.reduce(0) { $0 + Double($1) * Double($1) } ?? 0
    }
    return energy(event) / max(group.reduce(0) { $0 + energy($1) }, 1e-300)
  }
}
