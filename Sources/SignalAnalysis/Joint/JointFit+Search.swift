extension JointFit {
  /// How well an event is explained at each delay, from the lowest in reach on.
  struct DelayProfile {
    /// The energy that the event explains at each delay, at the gain that is best there.
    let explained: [Double]
    /// The gain over the present one that is best at each delay.
    let gains: [Double]
    /// The energy of the event's waveform at its present gain.
    let energy: Double
    /// The energy that the event explains as it is now.
    let now: Double
    /// The delay of the first element, relative to the present one.
    let firstLag: Int

    /// The best delay within some frames of one, and outside of them.
    func best(within distance: Int, of lag: Int = 0) -> (inside: Int, outside: Int?) {
      var inside = lag
      var outside: Int?
      for (place, value) in explained.enumerated() {
        let here = place + firstLag
        if abs(here - lag) <= distance {
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
  private var longestSearched: Int { Int(40 * resonance.period) }

  /// How well an event is explained at each delay in reach by what the others leave.
  mutating func profile(of event: Int, rest: [Double]) -> DelayProfile? {
    let places = piecesOfEvent[event]
    guard let first = places.map({ pieces[$0].first }).min(),
      let end = places.map({ pieces[$0].end }).max()
    else { return nil }
    let count = min(end - first, longestSearched)
    let isOff = places.allSatisfy { gains[$0] <= 0 }
    var waveform = [Double](repeating: 0, count: count)
    for place in places {
      let piece = pieces[place]
      InnerProduct.add(
        isOff ? 1 : gains[place], times: piece.values, from: piece.first - first, to: &waveform)
    }
    let energy = Self.energy(waveform)
    guard energy > 0 else { return nil }
    let now = pieces[places[0]].delay
    let lowest = Int((-reach - now).rounded(.up))
    let highest = Int((reach - now).rounded(.down))
    guard lowest <= 0, highest >= 0 else { return nil }
    // What the others leave, around the event.
    var seen = [Double](repeating: 0, count: count + highest - lowest)
    InnerProduct.add(1, times: rest, from: -(first + lowest), to: &seen)
    if !isOff { InnerProduct.add(1, times: waveform, from: -lowest, to: &seen) }
    let length = FourierTransform.commonLength(atLeast: seen.count)
    let lags = highest - lowest + 1
    let scale = 1 / (energy * Double(length))
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
      return (0..<lags).map { max(0, scale * correlation[$0]) }
    }
    return DelayProfile(
      explained: ratios.map { $0 * $0 * energy }, gains: ratios, energy: energy,
      now: isOff ? 0 : (2 * ratios[-lowest] - 1) * energy, firstLag: lowest)
  }

  /// A move must explain this share of the event's own energy more than staying does, and than another period.
  private static let leastMove = 0.25
  /// Where an event explains less than this share of its own energy it is not; 13 dB less than asked.
  private static let leastExplained = 0.05

  /// Moves events to where they explain more by far; says whether one was moved.
  @discardableResult
  mutating func search(_ samples: [Double]) -> Bool {
    var rest = Step(self, samples).rest
    let quarter = max(1, Int(resonance.period / 4))
    var hasMoved = false
    for _ in 0..<2 {
      var candidates: [(event: Int, gained: Double)] = []
      for event in 0..<eventCount {
        if let move = move(of: event, rest: rest, quarter: quarter) {
          candidates.append((event, move.gained))
        }
      }
      guard !candidates.isEmpty else { break }
      candidates.sort { ($1.gained, $0.event) < ($0.gained, $1.event) }
      for (event, _) in candidates {
        // Another's move may have explained it since.
        guard let move = move(of: event, rest: rest, quarter: quarter) else { continue }
        hasMoved = true
        add(event, to: &rest)
        for place in piecesOfEvent[event] {
          gains[place] *= move.gain
          self.place(place, at: pieces[place].delay + Double(move.lag))
        }
        add(event, to: &rest, factor: -1)
      }
    }
    return hasMoved
  }

  private mutating func move(
    of event: Int, rest: [Double], quarter: Int
  ) -> (lag: Int, gain: Double, gained: Double)? {
    guard let profile = profile(of: event, rest: rest) else { return nil }
    let (inside, outside) = profile.best(within: quarter)
    let least = Self.leastMove * profile.energy
    // Another period must be better by far; within one the descent goes on from the best place.
    let lag = outside.flatMap { profile[$0] - profile[inside] > least ? $0 : nil } ?? inside
    // What is won against staying as it is: of two events that could move, the one that leaves less over does.
    let gained = profile[lag] - profile.now
    guard lag != 0, gained > least, gained > 40 * noise * noise,
      profile[lag] > Self.leastExplained * profile.energy
    else { return nil }
    return (lag, max(0.05, profile.gains[lag - profile.firstLag]), gained)
  }

  private func add(_ event: Int, to rest: inout [Double], factor: Double = 1) {
    for place in piecesOfEvent[event] {
      let piece = pieces[place]
      InnerProduct.add(factor * gains[place], times: piece.values, from: piece.first, to: &rest)
    }
  }
}
