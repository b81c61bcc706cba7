public import AHAP
private import Glibc
import Perception
import Units

/// A pattern made ready for a player: everything that takes memory or a search is done.
///
/// Immutable, so that any number of players may share one. Whoever adds it to a stage keeps it until the
/// stage has told that the player is removed (`StageNotice.Kind.removed`).
public final class PlayerProgram: @unchecked Sendable {
  // Sendable: the memory is written while the program is made, and only read after that.

  /// The length in seconds, where a play ends: that of the pattern, whole taps and sounds included.
  public let length: Double
  /// The pattern that it was made of, its events by rising start: the place of an event in it is the
  /// number that notices give.
  public let pattern: HapticPattern
  /// How many events would be felt or heard: without one there is nothing to play.
  public var eventCount: Int { view.eventCount }

  let view: ProgramView
  private let events: UnsafeMutablePointer<LiveEvent>
  private let pieces: UnsafeMutablePointer<LivePiece>
  private let firstPiece: UnsafeMutablePointer<Int>
  private let samples: UnsafeMutablePointer<Float>

  /// Makes a program; n log n in events and control points.
  ///
  /// A sound whose file is not in the bank is silent.
  ///
  /// - Parameters:
  ///   - pattern: What is to be played.
  ///   - configuration: The laws.
  ///   - defaults: The values of parameters that an event leaves out.
  ///   - sounds: The decoded sound files by their paths as written, at the configuration's rate.
  public init(
    _ pattern: HapticPattern, configuration: RenderConfiguration,
    defaults: EventDefaults = .apple, sounds: SoundBank = SoundBank()
  ) {
    var ordered = pattern
    ordered.events = pattern.eventsByTime
    self.pattern = ordered

    let placed = SoundMemory.place(
      Set(ordered.events.compactMap(\.waveformPath)), of: sounds, rate: configuration.rate)
    samples = placed.memory

    let maker = EventMaker(
      configuration: configuration, defaults: defaults, files: placed.files)
    events = .allocate(capacity: max(1, ordered.events.count))
    var length = pattern.duration
    for (index, event) in ordered.events.enumerated() {
      let live = maker.make(event)
      (events + index).initialize(to: live.event)
      length = max(length, live.end)
    }
    self.length = length

    var all: [LivePiece] = []
    firstPiece = .allocate(capacity: DynamicParameterID.count + 1)
    for id in DynamicParameterID.allCases {
      (firstPiece + id.place).initialize(to: all.count)
      all += Self.pieces(of: id, in: pattern)
    }
    (firstPiece + DynamicParameterID.count).initialize(to: all.count)
    pieces = .allocate(capacity: max(1, all.count))
    for (index, piece) in all.enumerated() { (pieces + index).initialize(to: piece) }
    view = ProgramView(
      length: length, events: events, eventCount: ordered.events.count, pieces: pieces,
      firstPiece: firstPiece)
  }

  deinit {
    events.deallocate()
    pieces.deallocate()
    firstPiece.deallocate()
    samples.deallocate()
  }

  /// The pieces of one parameter by rising start, each cut where a newer step or curve begins.
  private static func pieces(of id: DynamicParameterID, in pattern: HapticPattern) -> [LivePiece] {
    var sources = pattern.parameters.filter { $0.id == id }.map {
      ControlTrack.Source(points: [($0.time, $0.value)], order: $0.order)
    }
    for curve in pattern.curves where curve.id == id && !curve.points.isEmpty {
      sources.append(
        ControlTrack.Source(
          points: curve.points.map { (curve.time + $0.time, $0.value) }, order: curve.order))
    }
    let ordered = sources.enumerated().sorted { first, second in
      (first.element.points[0].time, first.element.order, first.offset)
        < (second.element.points[0].time, second.element.order, second.offset)
    }.map(\.element)
    var pieces: [LivePiece] = []
    for (index, source) in ordered.enumerated() {
      let end = index + 1 < ordered.count ? ordered[index + 1].points[0].time : .infinity
      let track = ControlTrack(neutral: id.neutral, range: id.range, sources: [source])
      for piece in track.pieces where piece.start < end {
        pieces.append(
          LivePiece(
            start: piece.start, value: piece.value, slope: piece.slope,
            sourceStart: source.points[0].time))
      }
    }
    return pieces
  }
}

/// Turns events of a pattern into events of a stage.
private struct EventMaker {
  let configuration: RenderConfiguration
  let defaults: EventDefaults
  let files: [String: SoundMemory]

  /// An event, and when it is over as the length of the pattern counts it, in seconds.
  func make(_ event: HapticEvent) -> (event: LiveEvent, end: Double) {
    let values = event.resolved(defaults: defaults)
    let asked = max(0, event.duration ?? 0)
    let limited = min(asked, HapticEvent.longestDuration)
    let file = event.waveformPath.flatMap { files[$0] }
    let own = configuration.rate.seconds(Double(file?.frameCount ?? 0))
    let (hold, end) =
      switch event.kind {
      case .hapticTransient: (0.0, max(asked, configuration.transientShape.length))
      case .hapticContinuous, .audioContinuous: (limited, limited)
      case .audioCustom where asked > 0: (asked, asked)
      // Twice its length at the lowest pitch; the voice is over when the file is.
      case .audioCustom: (.infinity, own / exp2(values.audioPitch))
      }
    let isFile = event.kind == .audioCustom
    let live = LiveEvent(
      isTap: event.kind == .hapticTransient, isFelt: event.kind.domain == .haptic,
      start: event.time, holdEnd: event.time + hold,
      // A sound file knows no decay of its own.
      isSustained: values.isSustained || isFile, attack: Float(values.attackTime),
      decay: Float(values.decayTime), release: Float(values.releaseTime),
      intensity: Float(values.intensity), sharpness: Float(values.sharpness),
      turns: Float(
        configuration.sharpnessLaw.frequency(of: values.sharpness) / configuration.rate.hertz),
      sound: LiveEvent.Sound(
        volume: Float(values.audioVolume), pan: Float(values.audioPan),
        pitch: Float(values.audioPitch), brightness: Float(values.audioBrightness),
        usesEnvelope: !isFile || event.useVolumeEnvelope, loops: event.loopEnabled, isFile: isFile,
        left: file?.left, right: file?.right, frameCount: file?.frameCount ?? 0))
    return (live, event.time + end)
  }
}
