// SPDX-License-Identifier: Apache-2.0

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
  private let samples: UnsafeMutablePointer<Float>

  /// Makes a program; n log n in events and control points.
  ///
  /// `defaults` are the values of parameters that an event leaves out. A sound whose file is not in the
  /// bank is silent. With `isEndless` events last as long as they say, and not 30 s at most.
  public init(
    _ pattern: HapticPattern, configuration: RenderConfiguration,
    defaults: EventDefaults = .apple, sounds: SoundBank = SoundBank(), isEndless: Bool = false
  ) {
    var ordered = pattern
    ordered.events = pattern.eventsByTime
    self.pattern = ordered

    let placed = SoundMemory.place(
      ordered.events.compactMap(\.waveformPath), of: sounds, rate: configuration.rate)
    samples = placed.memory

    let events = UnsafeMutablePointer<LiveEvent>.allocate(capacity: max(1, ordered.events.count))
    var length = pattern.duration
    for (index, event) in ordered.events.enumerated() {
      // A file that is not there is one without a frame.
      let file =
        event.waveformPath.flatMap { placed.files[$0] }
        ?? SoundMemory(left: samples, right: samples, frameCount: 0)
      let live = LiveEvent.make(
        event, file, configuration: configuration, defaults: defaults,
        longest: isEndless ? .infinity : HapticEvent.longestDuration)
      (events + index).initialize(to: live.event)
      length = max(length, live.end)
    }
    self.length = length

    let sources = pattern.controlSources
    var all: [LivePiece] = []
    let firstPiece = UnsafeMutablePointer<Int>.allocate(capacity: DynamicParameterID.count + 1)
    for id in DynamicParameterID.allCases {
      (firstPiece + id.place).initialize(to: all.count)
      all += LivePiece.pieces(of: id, sources[id] ?? [])
    }
    (firstPiece + DynamicParameterID.count).initialize(to: all.count)
    let pieces = UnsafeMutablePointer<LivePiece>.allocate(capacity: max(1, all.count))
    for (index, piece) in all.enumerated() { (pieces + index).initialize(to: piece) }
    view = ProgramView(
      length: length, events: events, eventCount: ordered.events.count, pieces: pieces,
      firstPiece: firstPiece)
  }

  deinit {
    view.events.deallocate()
    view.pieces.deallocate()
    view.firstPiece.deallocate()
    samples.deallocate()
  }
}
/// An event of a player's pattern as the stage begins it: no memory of its own, nothing left to look up.
struct LiveEvent {
  let isTap: Bool
  /// Whether it is felt; otherwise it is heard.
  let isFelt: Bool
  /// When it begins, in seconds of the pattern.
  let start: Double
  /// When its release begins, in seconds of the pattern; infinite for a sound that ends with its file.
  let holdEnd: Double
  let isSustained: Bool
  let attack: Float
  let decay: Float
  let release: Float
  let intensity: Float
  let sharpness: Float
  /// Turns a frame at the event's own sharpness.
  let turns: Float
  /// What only sounds have.
  let sound: SoundSource

  /// An event, and when it is over as the length of the pattern counts it, in seconds.
  static func make(
    _ event: HapticEvent, _ file: SoundMemory, configuration: RenderConfiguration,
    defaults: EventDefaults, longest: Double
  ) -> (event: LiveEvent, end: Double) {
    let values = event.resolved(defaults: defaults)
    let asked = max(0, event.duration ?? 0)
    let limited = min(asked, longest)
    let own = configuration.rate.seconds(Double(file.frameCount))
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
      sound: SoundSource(
        volume: Float(values.audioVolume), pan: Float(values.audioPan),
        pitch: Float(values.audioPitch), brightness: Float(values.audioBrightness),
        usesEnvelope: !isFile || event.useVolumeEnvelope, loops: event.loopEnabled,
        file: isFile ? file : nil))
    return (live, event.time + end)
  }

  /// Whether a play that enters after its start takes it up on the way.
  @_noAllocation @_noLocks
  func isHeld(at position: Double) -> Bool {
    !isTap && start < position && position < holdEnd
  }
}

extension LiveEvent {
  /// A tap of no pattern.
  @_noAllocation @_noLocks
  init(tapOf intensity: Float, sharpness: Float, turns: Float) {
    self.init(
      isTap: true, isFelt: true, start: 0, holdEnd: 0, isSustained: true, attack: 0, decay: 0,
      release: 0, intensity: intensity, sharpness: sharpness, turns: turns, sound: .none)
  }
}

/// A piece of a dynamic parameter as the pattern itself has it, in seconds of the pattern.
struct LivePiece {
  let start: Double
  let value: Double
  let slope: Double
  /// Where the step or curve begins that it belongs to.
  let sourceStart: Double

  /// The pieces of one parameter by rising start, each cut where a newer step or curve begins.
  static func pieces(of id: DynamicParameterID, _ sources: [ControlTrack.Source]) -> [LivePiece] {
    let ordered = sources.enumerated().sorted { first, second in
      (first.element.points[0].time, first.element.order, first.offset)
        < (second.element.points[0].time, second.element.order, second.offset)
    }.map(\.element)
    return ordered.enumerated().flatMap { index, source in
      let end = index + 1 < ordered.count ? ordered[index + 1].points[0].time : .infinity
      let track = ControlTrack(neutral: id.neutral, range: id.range, sources: [source])
      return track.pieces.filter { $0.start < end }.map {
        LivePiece(
          start: $0.start, value: $0.value, slope: $0.slope, sourceStart: source.points[0].time)
      }
    }
  }
}

/// What a stage reads of a program while it plays; the program owns the memory.
struct ProgramView: BitwiseCopyable {
  let length: Double
  let events: UnsafePointer<LiveEvent>
  let eventCount: Int
  let pieces: UnsafePointer<LivePiece>
  /// Where the pieces of each dynamic parameter begin, and after the last where they end.
  let firstPiece: UnsafePointer<Int>
}

/// What a stage needs of a program: made outside of the render thread, where references may be counted.
public struct ProgramLoan: BitwiseCopyable, @unchecked Sendable {
  // Sendable: it leads to memory that is never written again; see `PlayerProgram`.
  let view: ProgramView

  /// Lends a program, which its owner keeps.
  public init(_ program: PlayerProgram) { view = program.view }
}
