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
struct EventSeparation {
  /// One event's own response.
  struct Part {
    /// The pure delay of this event's response after the reference, in seconds of the capture, the sensor's
    /// included; `nil` where two delays explain it, or nothing came.
    let delay: Estimate?
    /// Why there is no delay.
    let delayReason: String?
    /// The strength of the response over the predicted one.
    let gain: Estimate
    /// The events that it is scored with as one, itself included, in order.
    let members: [Int]
    /// What prediction and response differ by around it, as a share of the amplitude.
    let misfit: Double
    /// How many frames were compared.
    let frameCount: Int

    /// Whether nothing came of the event: surely 10 dB less than its drive asks for.
    var isDropped: Bool { EventSeparation.isDropped(gain) }
    /// What it was scored with, in words; `nil` where it stands for itself.
    var account: String? {
      guard members.count > 1 else { return nil }
      return "scored as one with events \(members.map(String.init).joined(separator: ", ")), "
        + "which cannot be told apart"
    }
  }

  /// By event.
  private(set) var parts: [Int: Part] = [:]
  /// Why an event has no part.
  private(set) var reasons: [Int: String] = [:]

  /// Where the gain is surely below this, nothing came of an event: 10 dB less than its drive asks for.
  static let dropped = 0.3
  static func isDropped(_ gain: Estimate) -> Bool { gain.value + 2 * gain.uncertainty < dropped }

  /// The largest delay that is looked for, to either side, in seconds: what comes later than this is another
  /// event.
  private static let reach = 0.010
  /// Above this share of the amplitude the model does not describe what the actuator does.
  private static let largestMisfit = 0.5
  /// A delay less sure than this is joined with a neighbour's, in seconds.
  private static let vaguestDelay = 0.5e-3
  /// A gain less sure than this is joined with a neighbour's, as a share: 1 dB.
  private static let vaguestGain = 0.12
  /// Events that do what is asked differ by less than this in strength, as a share.
  private static let largestScatter = 0.3
  /// An event weaker than this stands in no noise, as energy over the noise's density.
  private static let leastEnergy = 25.0
  /// How often events are joined and fitted again.
  private static let mostRounds = 8
  /// The time between the pieces of a long event, in seconds, and the length up to which it is one piece.
  private static let pieceStep = 0.1

  private let take: TakeDrive
  private let alignment: TakeAlignment
  private let model: ResponseModel
  let grid: AnalysisGrid
  private let shares: [Int: DriveShares.Share]
  private let volts: Float
  private var courses: [Int: [(gain: Double, delay: Double)]] = [:]
  private var spans: [Int: Range<Int>] = [:]
  private var shift = (lnF0: 0.0, lnQ: 0.0)
  private let answers = Answers()
  /// What the fit left over on the frames of `grid`, and what it explains.
  private(set) var rest: [Double] = []
  private(set) var whole: [Double] = []
  /// The noise's standard deviation on the grid.
  let quiet: Double

  /// Fits every haptic event of a take; nothing is told apart without a model of the response.
  init?(
    _ take: TakeDrive, rig: RigDescription, recording: Recording, alignment: TakeAlignment,
    samples: [Float], noise: NoiseFloor
  ) {
    guard let resonator = alignment.model, alignment.electrical != nil else { return nil }
    self.take = take
    self.alignment = alignment
    model = ResponseModel(
      resonator, probe: alignment.probe, noise: noise.sigma.value, rate: take.rate)
    volts = Float(alignment.referenceGain ?? rig.drive.fullScaleVolts)
    let rendered = DriveShares(take)
    shares = Dictionary(uniqueKeysWithValues: rendered.shares.map { ($0.event, $0) })
    let room = Int(Self.reach * take.rate.hertz)
    let last = rendered.shares.reduce(take.layout.pattern) { max($0, $1.first + $1.samples.count) }
    let tail = Int(model.ringing * take.rate.hertz)
    grid = AnalysisGrid(
      over: (take.layout.pattern - room)..<(last + tail + room), rate: take.rate)
    let gaps = Self.gaps(recording, alignment, grid, ringing: tail)
    let stretch = grid.sample(
      samples, offset: Float(noise.offset.value), delay: { alignment.electricalFrames(at: $0) })
    quiet = noise.sigma.value / Double(grid.factor).squareRoot()
    separate(stretch, gaps: gaps, noise: quiet)
  }

  /// Frames of the grid of which the capture does not tell what the drive as sent did.
  private static func gaps(
    _ recording: Recording, _ alignment: TakeAlignment, _ grid: AnalysisGrid, ringing: Int
  ) -> [Range<Int>] {
    func places(_ from: Double, _ to: Double) -> Range<Int> {
      let first = Int(grid.place(of: from - Double(grid.reach)).rounded(.down))
      return first..<max(first, Int(grid.place(of: to + Double(grid.reach)).rounded(.up)))
    }
    func driven(_ frame: Int) -> Double {
      Double(frame) - alignment.electricalFrames(at: Double(frame))
    }
    var gaps = recording.captureEvents.map {
      places(driven($0.frames.lowerBound), driven($0.frames.upperBound))
    }
    gaps += recording.driveEvents.map {
      places(Double($0.frames.lowerBound), Double($0.frames.upperBound + ringing))
    }
    // What was not recorded.
    gaps.append(places(driven(recording.frameCount), Double(grid.first + grid.count * grid.factor)))
    return gaps.map { $0.clamped(to: 0..<grid.count) }.filter { !$0.isEmpty }
  }

  private mutating func separate(_ samples: [Double], gaps: [Range<Int>], noise: Double) {
    var groups = shares.keys.sorted().map { [$0] }
    guard !groups.isEmpty else { return }
    var predictions = Predictions()
    // What the last round found of each group.
    var found: [[Int]: JointFit.Part] = [:]
    var shift = (lnF0: 0.0, lnQ: 0.0)
    for round in 0..<Self.mostRounds {
      predictions.keep(groups)
      var fit = fit(groups, &predictions, gaps: gaps, noise: noise)
      if round > 0 { fit.begin(at: groups.map { found[$0] }, shift: shift) }
      let result = fit.fit(samples)
      let joined = round + 1 < Self.mostRounds ? join(groups, result, noise: noise) : groups
      guard joined.count < groups.count else {
        conclude(groups, result, noise: noise)
        return
      }
      found = Dictionary(uniqueKeysWithValues: zip(groups, result.parts))
      shift = result.resonanceShift
      groups = joined
    }
  }

  /// What groups of events are predicted to do, kept from round to round.
  private struct Predictions {
    var spectra: [Int: [Complex]] = [:]
    var pieces: [[Int]: [(first: Int, samples: [Double])]] = [:]

    /// Keeps those of some groups alone.
    mutating func keep(_ groups: [[Int]]) {
      let kept = Set(groups)
      pieces = pieces.filter { kept.contains($0.key) }
    }
  }

  /// The joint fit of some groups of events.
  private func fit(
    _ groups: [[Int]], _ predictions: inout Predictions, gaps: [Range<Int>], noise: Double
  ) -> JointFit {
    var pieces: [JointFit.Piece] = []
    for (place, group) in groups.enumerated() {
      if predictions.pieces[group] == nil {
        predictions.pieces[group] = self.pieces(of: group).map { piece in
          grid.predict(
            piece.samples.map { $0 * volts }, from: piece.first, self.model,
            spectra: &predictions.spectra)
        }
      }
      for (first, samples) in predictions.pieces[group] ?? [] {
        pieces.append(JointFit.Piece(event: place, first: first, samples: samples))
      }
    }
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
      pieces, eventCount: groups.count, resonance: shared, reach: Self.reach * rate,
      noise: noise, gaps: gaps, leastMisfit: misfit)
  }

  /// What a group of events drives, a long one in pieces that fade into each other and add up to the whole.
  private func pieces(of group: [Int]) -> [DriveShares.Share] {
    let members = group.compactMap { shares[$0] }
    guard let first = members.map(\.first).min(),
      let end = members.map({ $0.first + $0.samples.count }).max()
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

  private static func pieces(
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

  /// Joins each group that is not sure of itself with the one that it is hardest to tell from.
  private func join(_ groups: [[Int]], _ result: JointFit.Result, noise: Double) -> [[Int]] {
    var home = Array(groups.indices)
    func root(_ index: Int) -> Int {
      var index = index
      while home[index] != index { index = home[index] }
      return index
    }
    let usual = Usual(result.parts.filter { $0.energy > Self.leastEnergy * noise * noise })
    for (index, part) in result.parts.enumerated() {
      guard let partner = part.partner, part.energy > Self.leastEnergy * noise * noise,
        isVague(part), !differs(part, from: usual), !differs(result.parts[partner], from: usual)
      else { continue }
      let (one, other) = (root(index), root(partner))
      home[max(one, other)] = min(one, other)
    }
    var joined: [Int: [Int]] = [:]
    for index in groups.indices { joined[root(index), default: []] += groups[index] }
    return joined.keys.sorted().map { joined[$0]?.sorted() ?? [] }
  }

  /// Whether an event surely does something else than the others: in a group that would be lost.
  private func differs(_ part: JointFit.Part, from usual: Usual) -> Bool {
    func isOff(_ value: Estimate, _ usual: Double, _ least: Double) -> Bool {
      abs(value.value - usual) > least + 3 * value.uncertainty
    }
    return Self.isDropped(part.gain)
      || isOff(part.gain, usual.gain, Self.largestScatter * usual.gain)
      || isOff(part.delay, usual.delay, Self.vaguestDelay * grid.rate)
  }

  private func isVague(_ part: JointFit.Part) -> Bool {
    let gain = part.gain
    if Self.isDropped(gain) { return false }
    return gain.uncertainty > Self.vaguestGain * max(gain.value, 0.5)
      || (gain.value > Self.dropped && part.delay.uncertainty > Self.vaguestDelay * grid.rate)
  }

  private mutating func conclude(_ groups: [[Int]], _ result: JointFit.Result, noise: Double) {
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
    let usual = Usual(result.parts.filter { $0.energy > Self.leastEnergy * noise * noise })
    for (group, found) in zip(groups, result.parts) {
      for event in group {
        guard let share = shares[event] else { continue }
        let found =
          group.count > 1 ? usual.member(found, share: energyShare(of: event, in: group)) : found
        if found.energy < Self.leastEnergy * noise * noise {
          reasons[event] = "no signal above the noise: its drive is too weak for this sensor"
          continue
        }
        guard found.gain.uncertainty.isFinite else {
          reasons[event] = "the joint fit does not settle"
          continue
        }
        courses[event] = found.course
        spans[event] = group.compactMap { shares[$0] }.reduce(share.first..<share.first) {
          min($0.lowerBound, $1.first)..<max($0.upperBound, $1.first + $1.samples.count)
        }
        parts[event] = part(found, of: share, members: group)
      }
    }
  }

  /// What most events of a take do.
  private struct Usual {
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
      guard !EventSeparation.isDropped(found.gain) else { return found }
      func wide(_ value: Estimate, _ usual: Double) -> Estimate {
        let (own, off) = (value.uncertainty / max(share, 1e-6), value.value - usual)
        return Estimate(value.value, uncertainty: (own * own + off * off).squareRoot())
      }
      var part = found
      part.gain = wide(found.gain, gain)
      part.delay = wide(found.delay, delay)
      return part
    }
  }

  /// An event's share of the energy of its group's drive.
  private func energyShare(of event: Int, in group: [Int]) -> Double {
    func energy(_ event: Int) -> Double {
      shares[event]?.samples.reduce(0) { $0 + Double($1) * Double($1) } ?? 0
    }
    return energy(event) / max(group.reduce(0) { $0 + energy($1) }, 1e-300)
  }

  private func part(
    _ found: JointFit.Part, of share: DriveShares.Share, members: [Int]
  ) -> Part {
    let line = alignment.electricalDelay(at: Double(share.first)).uncertainty / take.rate.hertz
    let own = alignment.modelDelay?.uncertainty ?? 0
    let late = found.delay.uncertainty / grid.rate
    let delay = Estimate(
      model.resonator.delay.value + (1 + 1e-6 * alignment.knownDrift) * found.delay.value
        / grid.rate,
      uncertainty: (late * late + line * line + own * own).squareRoot())
    let reason: String? =
      if Self.isDropped(found.gain) {
        "dropped: nothing came of it"
      } else if found.isAmbiguous {
        "two delays explain it nearly as well"
      } else if delay.uncertainty > Self.vaguestDelay {
        "its delay cannot be told with any certainty"
      } else {
        nil
      }
    return Part(
      delay: reason == nil ? delay : nil, delayReason: reason, gain: found.gain,
      members: members.sorted(), misfit: found.misfit,
      frameCount: share.samples.count + Int(model.ringing * take.rate.hertz))
  }

  /// How long the actuator answers after its drive, in seconds.
  var ringing: Double { model.ringing }

  /// The frames of the grid that an event's own drive lasts, and rings; `nil` for one that drives nothing.
  func shareFrames(of event: Int) -> Range<Int>? {
    shares[event].map { share in
      let first = Int(grid.place(of: Double(share.first)))
      let last = Int(grid.place(of: Double(share.first + share.samples.count)))
      return first..<(last + Int(ringing * grid.rate))
    }
  }

  /// The time of a frame of the grid, in seconds of the pattern.
  func seconds(of place: Int) -> Double {
    Double(grid.first + place * grid.factor - take.layout.pattern) / take.rate.hertz
  }

  /// Whether an event drives the actuator at all.
  func isDriven(_ event: Int) -> Bool { shares[event] != nil }

  /// The whole response as the fit has it, and what it left over, a value every `factor` drive frames from
  /// drive frame `first` on.
  func traces() -> (first: Int, factor: Int, model: [Double], rest: [Double])? {
    (grid.first, grid.factor, whole, rest)
  }

  /// One event's response alone, on the capture's frames.
  struct Response {
    /// The capture frame that both begin at.
    let first: Int
    /// As the fit has it: without noise and offset.
    let fitted: [Double]
    /// The same with its share of what the fit left over, noise included.
    let measured: [Double]
    /// The course of its crests, where the carrier's phase is not the drive's.
    var strength: [Double]? = nil
  }

  /// The response of one event, drawn from the fit; costs a transform or two, and of the event asked for
  /// last nothing.
  func response(of event: Int) -> Response? {
    if let last = answers.last, last.event == event { return last.response }
    let response = drawnResponse(of: event)
    answers.last = (event, response)
    return response
  }

  private func drawnResponse(of event: Int) -> Response? {
    guard let share = shares[event], let course = courses[event], let span = spans[event] else {
      return nil
    }
    let rate = take.rate.hertz
    let start = alignment.electricalFrames(at: Double(share.first))
    let room = Int(Self.reach * rate) + 64
    let first = share.first + Int(start.rounded(.down)) - room
    let count = share.samples.count + 2 * room + Int(model.ringing * rate)
    // The group's pieces cut this event's own share.
    var padded = [Float](repeating: 0, count: span.count)
    for (index, sample) in share.samples.enumerated() {
      padded[share.first - span.lowerBound + index] = sample
    }
    let pieces = zip(Self.pieces(of: padded, from: span.lowerBound, rate: rate), course).map {
      Placed(
        samples: $0.samples, lead: $0.first - share.first + room, gain: $1.gain * Double(volts),
        delay: $1.delay * Double(grid.factor) + start - start.rounded(.down))
    }
    let fitted = drawn(pieces, count: count)
    let left = shareOfRest(fitted, from: grid.place(of: Double(first) - start))
    return Response(
      first: first, fitted: fitted, measured: fitted.indices.map { fitted[$0] + left[$0] })
  }

  /// What was drawn: the model's response by the lengths of transforms, and the last event's.
  private final class Answers {
    var last: (event: Int, response: Response?)?
    private var spectra: [Int: [Complex]] = [:]

    func spectrum(_ length: Int, _ response: (Double) -> Complex) -> [Complex] {
      if let known = spectra[length] { return known }
      let made = (0...(length / 2)).map { response(Double($0) / Double(length)) }
      spectra[length] = made
      return made
    }
  }

  /// A piece of drive, and where and how strong it is in a stretch.
  private struct Placed {
    let samples: [Float]
    /// Frames of the stretch before it.
    let lead: Int
    let gain: Double
    /// In frames.
    let delay: Double
  }

  /// Nothing of a response comes earlier than its drive by more than this, in seconds.
  private static let earliest = 0.004

  /// What the actuator answers to some pieces of drive, each drawn by itself.
  private func drawn(_ pieces: [Placed], count: Int) -> [Double] {
    var sum = [Double](repeating: 0, count: count)
    let (before, after) = (
      take.rate.wholeFrames(Self.earliest),
      take.rate.wholeFrames(model.ringing + Self.earliest)
    )
    for piece in pieces where piece.samples.contains(where: { $0 != 0 }) {
      let length = FourierTransform.commonLength(atLeast: before + piece.samples.count + after)
      var transform = FourierTransform(length: length)
      let values = [Float](repeating: 0, count: before) + piece.samples
      let spectrum = answers.spectrum(length) { width in
        model.response(at: width * take.rate.hertz, lnF0: shift.lnF0, lnQ: shift.lnQ)
      }
      var bins = transform.forward(values.span)
      let whole = piece.delay.rounded()
      let turn = -2 * .pi / Double(length) * (piece.delay - whole)
      let step = Complex(angle: turn)
      var angle = Complex(1)
      for bin in bins.indices {
        // Every so often exactly, so that rounding does not add up.
        if bin.isMultiple(of: 64) { angle = Complex(angle: turn * Double(bin)) }
        bins[bin] = bins[bin] * spectrum[bin] * angle
        angle = angle * step
      }
      let answer = transform.inverse(bins)
      let first = piece.lead - before + Int(whole)
      for frame in (first..<first + length).clamped(to: sum.indices) {
        sum[frame] += piece.gain * answer[frame - first]
      }
    }
    return sum
  }

  /// What the fit left over at an event's frames, as far as the response there is the event's own.
  private func shareOfRest(_ fitted: [Double], from origin: Double) -> [Double] {
    let step = 1 / Double(grid.factor)
    let width = max(1, Int(0.003 * grid.rate))
    let count = Int(Double(fitted.count) * step) + 1
    let first = Int(origin.rounded(.down))
    /// Mean powers around the columns of the grid.
    func mean(_ value: (Int) -> Double) -> [Double] {
      var sums = [0.0]
      sums.reserveCapacity(count + 2 * width + 2)
      var sum = 0.0
      for index in -width..<(count + width + 1) {
        let value = value(index)
        sum += value * value
        sums.append(sum)
      }
      return (0...count).map { sums[$0 + 2 * width] - sums[$0] }
    }
    let own = mean { index in
      let place = index * grid.factor
      return fitted.indices.contains(place) ? fitted[place] : 0
    }
    let all = mean { index in
      whole.indices.contains(first + index) ? whole[first + index] : 0
    }
    let shares = zip(own, all).map { $1 > 0 ? min(1, $0 / $1) : 0 }
    var left = [Double](repeating: 0, count: fitted.count)
    for frame in left.indices {
      let place = origin + Double(frame) * step
      let base = Int(place.rounded(.down))
      guard base >= 0, base + 1 < rest.count else { continue }
      let part = place - Double(base)
      left[frame] =
        shares[min(count, frame / grid.factor)] * ((1 - part) * rest[base] + part * rest[base + 1])
    }
    return left
  }
}
