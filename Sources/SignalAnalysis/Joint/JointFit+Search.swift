// SPDX-License-Identifier: Apache-2.0

extension JointFit {
  /// How well an event is explained at each delay, from the lowest in reach on.
  struct DelayProfile {
    /// The energy that the event explains at each delay, at the gain that is best there.
    let explained: [Double]
    /// The gain over the present one that is best at each delay.
    let gains: [Double]
    /// The energy of the event's waveform at its present gain, as far as it lies in the frames looked at.
    let energies: [Double]
    /// The energy that the event explains as it is now.
    let now: Double
    /// Whether the present gain is next to nothing, and the waveform as predicted.
    let isOff: Bool
    let level: Double
    /// The delay of the first element, relative to the present one.
    let firstLag: Int

    var energy: Double { energies[-firstLag] }

    var lags: Range<Int> { firstLag..<(firstLag + gains.count) }

    /// The best delay within some frames of the present one, and outside of them.
    func best(within distance: Int) -> (inside: Int, outside: Int?) {
      var inside = 0
      var outside: Int?
      for (place, value) in explained.enumerated() {
        let here = place + firstLag
        if abs(here) <= distance {
          if value > self[inside] { inside = here }
        } else if value > outside.map({ self[$0] }) ?? 0 {
          outside = here
        }
      }
      return (inside, outside)
    }

    subscript(_ lag: Int) -> Double {
      explained.indices.contains(lag - firstLag) ? explained[lag - firstLag] : 0
    }
  }

  /// Frames of a long event beyond which its place is looked for no more: its beginning tells it.
  ///
  /// The frames looked at are then the same at every delay: one that moves the event to where it goes on anyway would
  /// seem to explain more.
  private var longestSearched: Int { Int(40 * resonance.period) }

  /// How well an event is explained at each delay in reach by what the others leave.
  func profile(of event: Int, rest: [Double]) -> DelayProfile? {
    let places = piecesOfEvent[event]
    guard let first = places.map({ pieces[$0].first }).min(),
      let end = places.map({ pieces[$0].end }).max()
    else { return nil }
    let isCut = end - first > longestSearched
    let count = isCut ? longestSearched : end - first
    let strength = places.reduce(0) { $0 + energies[$1] }
    let mean = places.reduce(0) { $0 + energies[$1] * gains[$1] } / max(strength, 1e-300)
    let isOff = mean < 0.2
    let now = pieces[places[0]].delay
    let lowest = Int((-reach - now).rounded(.up))
    let highest = Int((reach - now).rounded(.down))
    guard lowest <= 0, highest >= 0 else { return nil }
    // Moved forward, a cut event shows more of itself.
    var waveform = [Double](repeating: 0, count: isCut ? count - lowest : count)
    for place in places {
      let piece = pieces[place]
      InnerProduct.add(
        isOff ? 1 : gains[place], times: piece.values, from: piece.first - first, to: &waveform)
    }
    let sums = waveform.lazy.map { $0 * $0 }.runningSums()
    let strengths = (lowest...highest).map { isCut ? sums[max(0, count - $0)] : sums[count] }
    guard strengths.allSatisfy({ $0 > 0 }) else { return nil }
    // What the others leave, around the event.
    var seen = [Double](repeating: 0, count: count + highest - lowest)
    InnerProduct.add(1, times: rest, from: -(first + lowest), to: &seen)
    for place in places {
      let piece = pieces[place]
      InnerProduct.add(
        gains[place], times: piece.values, from: piece.first - first - lowest, to: &seen)
    }
    if isCut { seen.replaceSubrange((count - lowest)..., with: repeatElement(0, count: highest)) }
    let length = FourierTransform.commonLength(
      atLeast: max(seen.count, waveform.count + highest - lowest))
    let lags = highest - lowest + 1
    let scale = 1 / Double(length)
    let ratios = plans.with(length) { plan in
      let shape = plan.forward(waveform.span)
      let spectrum = plan.forward(seen.span)
      let correlation = plan.inverse { product in
        shape.withUnsafeBufferPointer { shape in
          spectrum.withUnsafeBufferPointer { spectrum in
            for bin in shape.indices { product[bin] = spectrum[bin] * shape[bin].conjugate }
          }
        }
      }
      return (0..<lags).map { max(0, scale * correlation[$0] / strengths[$0]) }
    }
    // What is off explains next to nothing.
    let present = isOff ? mean : 1
    return DelayProfile(
      explained: zip(ratios, strengths).map { $0 * $0 * $1 }, gains: ratios, energies: strengths,
      now: (2 * ratios[-lowest] - present) * present * strengths[-lowest], isOff: isOff,
      level: isOff ? 1 : mean, firstLag: lowest)
  }

  /// A move must explain this share of the event's own energy more than staying does, and than another period.
  private static let leastMove = 0.25
  /// An event that moves keeps the strength that is predicted, but for 8 dB: what is stronger or weaker at another
  /// place is another event's.
  private static let plausible = 0.4...2.5

  /// Where an event explains more than where it is, and how strong it is there.
  private struct Move {
    let lag: Int
    /// Over the present gain, or over what is predicted where that was next to nothing.
    let gain: Double
    let isAnew: Bool
    /// The energy that it explains more than the event does as it is.
    let gained: Double
  }

  /// Moves events to where they explain more by far, or weakens those that explain nothing; says whether there
  /// was one.
  ///
  /// The one that gains most goes first, and those beside it are looked at anew: what they seemed to explain
  /// may have been its own. `rest` is what all leave over, before and after.
  mutating func search(_ rest: inout [Double]) -> Bool {
    // No two events may push each other to and fro; those that stand are not moved at all.
    var left = [Int](repeating: 0, count: eventCount)
    for place in active { left[events[place]] = 2 }
    var moves = (0..<eventCount).map { left[$0] > 0 ? move(of: $0, rest: rest) : nil }
    var hasMoved = false
    while let event = moves.indices.max(by: { moves[$0]?.gained ?? 0 < moves[$1]?.gained ?? 0 }),
      let move = moves[event]
    {
      hasMoved = true
      left[event] -= 1
      add(event, to: &rest)
      for place in piecesOfEvent[event] {
        gains[place] = move.gain * (move.isAnew ? 1 : gains[place])
        if move.lag != 0 { self.place(place, at: pieces[place].delay + Double(move.lag)) }
      }
      add(event, to: &rest, factor: -1)
      for other in neighbours(of: event) {
        moves[other] = left[other] > 0 ? self.move(of: other, rest: rest) : nil
      }
    }
    return hasMoved
  }

  /// The events that may touch one, itself included.
  func neighbours(of event: Int) -> Set<Int> {
    var found: Set<Int> = []
    for place in piecesOfEvent[event] {
      for other in max(0, place - span)...min(pieces.count - 1, place + span) {
        found.insert(events[other])
      }
    }
    return found
  }

  private func move(of event: Int, rest: [Double]) -> Move? {
    guard let profile = profile(of: event, rest: rest) else { return nil }
    let least = max(Self.leastMove * profile.energy, 40 * noise * noise)
    let quarter = max(1, Int(resonance.period / 4))
    let usual = 1 / profile.level
    /// What the event explains at a lag, at a strength that it may have there.
    func explained(_ lag: Int) -> (energy: Double, gain: Double)? {
      let ratio = profile.gains[lag - profile.firstLag]
      guard lag == 0 || (Self.plausible ~= ratio / usual) else { return nil }
      let gain = min(ratio, Self.plausible.upperBound * usual)
      return ((2 * ratio - gain) * gain * profile.energies[lag - profile.firstLag], gain)
    }
    typealias Place = (lag: Int, energy: Double, gain: Double)
    var (inside, outside): (Place?, Place?)
    for lag in profile.lags {
      guard let (energy, gain) = explained(lag) else { continue }
      if abs(lag) <= quarter {
        if energy > inside?.energy ?? -1 { inside = (lag, energy, gain) }
      } else if energy > outside?.energy ?? -1 {
        outside = (lag, energy, gain)
      }
    }
    // Another period must be better by far; within one the descent goes on from the best place.
    guard let near = inside else { return nil }
    let best = outside.flatMap { $0.energy - near.energy > least ? $0 : nil } ?? near
    // What is won against staying as it is: of two events that could move, the one that leaves less over does.
    let gained = best.energy - profile.now
    guard gained > least else { return nil }
    return Move(
      lag: best.lag, gain: max(0.05 * usual, best.gain), isAnew: profile.isOff, gained: gained)
  }

  private func add(_ event: Int, to rest: inout [Double], factor: Double = 1) {
    for place in piecesOfEvent[event] {
      let piece = pieces[place]
      InnerProduct.add(factor * gains[place], times: piece.values, from: piece.first, to: &rest)
    }
  }
}
