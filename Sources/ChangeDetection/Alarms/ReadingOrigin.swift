// SPDX-License-Identifier: Apache-2.0

/// What a reading is made of or moves with: the one table by which changes are told apart from what
/// they bring with them.
struct ReadingOrigin: Sendable, Hashable {
  /// A reading that moves another one.
  struct Part: Sendable, Hashable, ExpressibleByStringLiteral {
    var reading: String
    /// How far the other moves when this one moves by 1, in their units; `nil` where that is no
    /// constant.
    var factor: Double?

    init(_ reading: String, times factor: Double?) {
      self.reading = reading
      self.factor = factor
    }

    init(stringLiteral reading: String) { self.init(reading, times: nil) }
  }

  var reading: String
  var parts: [Part]

  private init(_ reading: String, _ parts: Part...) {
    self.reading = reading
    self.parts = parts
  }

  /// A just noticeable difference of level, in dB.
  private static let noticeable = 2.2

  /// What belongs to the chain and not to one actuator: it may move all of them.
  private static let ofChain: [ReadingOrigin] = [
    Self("latency.electrical"),
    Self("drift"),
    Self("xruns"),
    Self("xruns.perHour", "xruns"),
    Self("dropouts", "xruns"),
    Self("overloads"),
    Self("noise.floor"),
    Self("temperature"),
    Self("latency.jitter.restarts"),
    Self("latency.jitter.stream", "drift", "xruns"),
    Self("latency.jitter", "latency.jitter.restarts", "latency.jitter.stream", "xruns"),
  ]

  /// The readings by their simplicity: the chain and the rig, what the drive was, the actuator as a
  /// whole, times of events, levels, shapes, indices.
  ///
  /// A part always stands before what it moves.
  static let table: [ReadingOrigin] =
    ofChain + [
      Self("mixing.limited"),
      Self("voices.dropped"),
      Self("profile.limited"),
      Self("drive.limited", "mixing.limited", "profile.limited"),
      Self("gamut.outside"),
      Self("quantisation.delay"),
      Self("quantisation.level"),
      Self("quantisation.frequency"),
      Self("quantisation.silenced"),
      Self("quantisation.prolonged"),
      Self("latency.transport", "quantisation.delay"),
      Self("latency.rise"),
      Self("response.frequency", "quantisation.frequency"),
      Self("events.dropped", "voices.dropped", "quantisation.silenced", "dropouts"),
      Self("latency.event", .init("latency.transport", times: 1)),
      Self("response.rise", "latency.rise", "response.frequency"),
      Self(
        "latency.onset", .init("latency.event", times: 1), "response.rise", "latency.rise"),
      Self(
        "latency.total", .init("latency.onset", times: 1), .init("latency.electrical", times: 1)),
      Self("sync.audioHaptic", .init("latency.event", times: 1)),
      Self("events.late", "latency.event"),
      Self("events.extra", "quantisation.prolonged", "noise.floor"),
      Self(
        "response.peak", "drive.limited", "profile.limited", "quantisation.level",
        "latency.rise", "response.frequency"),
      Self("response.rms", "response.peak"),
      Self("intensity.error", "response.peak", "response.rms", "gamut.outside"),
      Self("intensity.jnd", .init("intensity.error", times: 1 / noticeable)),
      Self("intensity.contrast", "intensity.error"),
      Self("response.snr", "noise.floor", "response.peak", "response.rms"),
      Self("events.scored", "events.dropped", "response.snr"),
      Self("sharpness.error", "response.frequency", "gamut.outside"),
      Self("response.braking", "latency.transport", "response.frequency", "latency.rise"),
      Self("decay.error", .init("response.braking", times: 1)),
      Self("pulseToRing", "response.braking", "response.rise"),
      Self("response.distortion", "response.peak"),
      Self("response.crossAxis"),
      Self(
        "envelope.correlation", "latency.event", "response.rise", "response.braking",
        "intensity.contrast", "events.dropped", "events.extra"),
      Self("energy.outside", "latency.event", "response.braking", "events.extra"),
      Self("consistency.j", "intensity.error", "sharpness.error"),
      Self("harmony.sync", "sync.audioHaptic"),
      Self("harmony.intensity", "intensity.error", "intensity.contrast"),
      Self("harmony.sharpness", "sharpness.error"),
      Self("harmony.decay", "decay.error"),
      Self("harmony.envelope", "envelope.correlation"),
      Self("harmony.outside", "energy.outside"),
      Self(
        "harmony", "harmony.sync", "harmony.intensity", "harmony.sharpness", "harmony.decay",
        "harmony.envelope", "harmony.outside"),
    ]

  private static let places = Dictionary(
    uniqueKeysWithValues: table.enumerated().map { ($1.reading, $0) })

  /// A reading's place in the table, the simplest first; after all others for one that is not in
  /// it.
  static func rank(of reading: String) -> Int { places[reading] ?? table.count }

  static func isOfChain(_ reading: String) -> Bool { rank(of: reading) < ofChain.count }

  /// How a reading moves with another: at all, and how far where that is known.
  enum Movement: Sendable, Hashable {
    case apart
    case moved
    case movedBy(times: Double)
  }

  /// Whether and how far a reading moves where another one does; every reading moves with itself.
  static func movement(of reading: String, with origin: String) -> Movement {
    if reading == origin { return .movedBy(times: 1) }
    guard let place = places[reading], let start = places[origin] else { return .apart }
    return movements[place][start]
  }

  /// The same of all readings of the table, by their places: a reading's is made of those of its
  /// parts, which stand before it.
  private static let movements: [[Movement]] = {
    var all: [[Movement]] = []
    for (place, origin) in table.enumerated() {
      var own = [Movement](repeating: .apart, count: table.count)
      own[place] = .movedBy(times: 1)
      for part in origin.parts {
        guard let place = places[part.reading], place < all.count else { continue }
        for start in 0...place { own[start].join(all[place][start], times: part.factor) }
      }
      all.append(own)
    }
    return all
  }()
}

extension SeriesKey {
  /// The reading without the mark of a control and of an older definition.
  public var quantity: String {
    let own = isControl ? reading.dropFirst("control.".count) : reading[...]
    return String(own.prefix { $0 != "@" })
  }

  /// Whether it is of what all actuators of a rig have in common: its control, its chain, its surroundings.
  public var isOfRig: Bool {
    isControl || actuator.isEmpty || ReadingOrigin.isOfChain(quantity)
  }

  /// How simple the reading is: of the control first, then by its place in the table.
  var rank: Int { isControl ? -1 : ReadingOrigin.rank(of: quantity) }
}

extension ReadingOrigin.Movement {
  /// Adds a way on which a part moves the reading; the first whose size is known counts.
  fileprivate mutating func join(_ part: Self, times factor: Double?) {
    switch (self, part, factor) {
    case (.movedBy, _, _), (_, .apart, _): break
    case (_, .movedBy(let times), let factor?): self = .movedBy(times: times * factor)
    case (_, _, _): self = .moved
    }
  }
}
