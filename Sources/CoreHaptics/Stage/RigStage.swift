// SPDX-License-Identifier: Apache-2.0

package import Actuators
package import Devices
package import HapticRendering
package import Units

/// A rig that is opened once and then played on: patterns, taps and vibrations that follow a finger, as they come.
///
/// The engine of an app without its rules: the same stream, in short blocks and with little drive ahead of the device.
/// Any thread asks.
package final class RigStage: Sendable {
  /// Something that plays on a stage.
  package struct Player: Sendable {
    let core: PlayerCore

    package var tag: Int { core.tag }
    /// The length of the pattern in seconds.
    package var length: Double { core.program.length }
  }

  /// The part of a pattern that is played.
  package struct Region: Sendable, Equatable {
    /// In seconds of the pattern.
    package var from: Double
    /// In seconds of the pattern; `nil` for its end.
    package var to: Double?
    package var isLooping: Bool

    package init(from: Double = 0, to: Double? = nil, isLooping: Bool = false) {
      self.from = from
      self.to = to
      self.isLooping = isLooping
    }
  }

  /// What happened: in which frame of the drive, and at which second of the host's clock the device plays that.
  package struct News: Sendable {
    package enum Kind: Sendable, Equatable {
      /// What was asked with this ticket was done.
      case done(ticket: Int)
      /// It was not: too much waits already.
      case refused(ticket: Int)
      /// A play goes on from a place in seconds of the pattern.
      case entered(Double)
      /// It went back to where its loop begins.
      case turned
      /// It is over: it came to its end, or was stopped.
      case ended
    }

    package let kind: Kind
    /// What the player is known by.
    package let tag: Int
    package let frame: Int
    /// By the clock of `MonotonicClock`; of a stepped clock the frame's own time.
    package let time: Double
  }

  /// Frames a second.
  package let rate: SampleRate
  private let stream: EngineStream
  private let news: Shelf<[News]>
  private let end: Shelf<End>
  private let isStepped: Bool

  /// How the stream ended, if it has.
  private struct End: Sendable {
    var isOver = false
    var fault: DeviceError?
  }

  /// How many frames are rendered at a time: as long as a finger waits for the next one.
  private static let blockFrames = 64

  /// Opens a rig and drives zero.
  ///
  /// A request to stop leaves the drive at zero at once. On a stepped clock nothing moves but by `advance`.
  package init(
    _ rig: RigDescription, laws: RenderConfiguration, limits: DriveLimits, isStepped: Bool = false,
    sound: consuming SoundLine = SoundLine(), stop: StopSignal,
    tap: @escaping @Sendable (RigDescription) -> (any SignalTap)?,
    log: @escaping @Sendable (String) -> Void
  ) throws {
    var stage = StageConfiguration(
      laws: laws, limits: limits, fullScaleVolts: rig.drive.fullScaleVolts)
    let bench = EngineBench(rig: rig, clock: isStepped ? .stepped : .host)
    stage.slots = bench.playerLimit
    self.isStepped = isStepped
    rate = rig.drive.rate
    let news = Shelf<[News]>([])
    let rate = rate
    var watch = StreamWatch()
    watch.slack = .touched
    watch.blockFrames = min(Self.blockFrames, rig.drive.periodFrames)
    watch.stop = stop
    watch.tap = tap
    watch.onNotice = { player, notice, time in
      guard let kind = News.Kind(notice.kind) else { return }
      let frame = Int((notice.time * rate.hertz - 1e-6).rounded(.up))
      // The engine goes by the host's raw clock.
      let ahead = isStepped ? 0 : MonotonicClock.seconds - HostClock.now()
      news.value.withLock {
        $0.append(News(kind: kind, tag: player?.tag ?? -1, frame: frame, time: time + ahead))
      }
    }
    let end = Shelf<End>(End())
    stream = try EngineStream(
      bench: bench, stage: stage, origin: 0, watch: watch, sound: sound, handlers: HandlerQueue(),
      log: log,
      onNews: { _ in },
      onEnd: { _, fault in end.value.withLock { $0 = End(isOver: true, fault: fault) } })
    self.news = news
    self.end = end
    try stream.start()
  }

  /// Brings a rig that still plays to rest.
  deinit { stream.stop() }

  /// How far ahead of the device the drive is rendered, in seconds: what is asked now is played so much later.
  package var lead: Double {
    let block = rate.seconds(Double(Self.blockFrames))
    return stream.lead + block
  }

  /// How many frames the device had to play without being given them, once the stream has ended.
  package var underrunFrames: Int { stream.underrunFrames }

  /// Takes what has happened since the last call, in the order of time.
  package func takeNews() -> [News] {
    news.value.withLock { news in
      defer { news = [] }
      return news
    }
  }

  /// Whether the stream has ended; throws what ended it: a device's fault, or a request to stop.
  package func isOver() throws(DeviceError) -> Bool {
    let end = end.value.withLock { $0 }
    if let fault = end.fault { throw fault }
    return end.isOver
  }

  /// Moves a stepped clock on by frames; false where the stream has ended.
  package func advance(frames: Int) -> Bool {
    precondition(isStepped, "the stage's clock is the host's: it moves by itself")
    return stream.advance(frames: frames)
  }

  /// Fades what plays and ends the stream; returns when the rig is at rest.
  package func finish() {
    stream.stop()
    while !isStepped, !end.value.withLock({ $0.isOver }) { HostClock.sleep(1e-3) }
  }

  /// Plays a program as soon as possible; gives the ticket that its beginning is told with.
  ///
  /// In a loop it goes on where another loop is, `following`, which ends.
  package func play(
    _ program: PlayerProgram, tag: Int, _ region: Region = Region(), following: Player? = nil
  ) throws(StageRefusal) -> (player: Player, ticket: Int) {
    let core = PlayerCore(program: program, tag: tag)
    core.settings.withLock {
      $0.isLooping = region.isLooping
      $0.loopEnd = region.to ?? 0
    }
    var actions: [(action: PlayerAction, delay: Double)] = []
    if region.from > 0 { actions.append((.seek(region.from), 0)) }
    if region.isLooping {
      if region.from > 0 { actions.append((.loopStart(region.from), 0)) }
      if let slot = following.flatMap({ stream.slot(of: $0.core) }) {
        actions.append((.takeOver(slot: slot), 0))
      } else {
        actions.append((.start, 0))
      }
    } else {
      actions.append((.start, 0))
      if let to = region.to { actions.append((.stop, max(0, to - region.from))) }
    }
    let ticket = try ask(actions, of: core)
    return (Player(core: core), ticket)
  }

  /// Asks something of a player as soon as possible; gives its ticket.
  package func ask(
    _ actions: [PlayerAction], of player: Player
  ) throws(StageRefusal) -> Int {
    try ask(actions.map { ($0, 0) }, of: player.core)
  }

  /// Begins a program after its parameters were set.
  package func begin(
    _ program: PlayerProgram, tag: Int, _ actions: [PlayerAction]
  ) throws(StageRefusal) -> (player: Player, ticket: Int) {
    let core = PlayerCore(program: program, tag: tag)
    let ticket = try ask((actions + [.start]).map { ($0, 0) }, of: core)
    return (Player(core: core), ticket)
  }

  /// Lets a player go: it plays to its end.
  package func release(_ player: Player) { stream.release(player.core) }

  func slot(of player: Player) -> Int? { stream.slot(of: player.core) }

  func ask(_ request: SoundFollower.Request) throws(StageRefusal) {
    do throws(CHHapticError) {
      try stream.ask(request)
    } catch {
      throw StageRefusal(description: error.errorDescription ?? "\(error)")
    }
  }

  private func ask(
    _ actions: [(action: PlayerAction, delay: Double)], of core: PlayerCore
  ) throws(StageRefusal) -> Int {
    do throws(CHHapticError) {
      return try stream.ask(actions, of: core, at: 0)
    } catch {
      throw StageRefusal(description: error.errorDescription ?? "\(error)")
    }
  }
}

/// Why something cannot be played now, in a sentence.
package struct StageRefusal: Error, Sendable, CustomStringConvertible {
  package let description: String
}

/// A value that closures and their owner share, one thread at a time.
private final class Shelf<Value: Sendable>: Sendable {
  let value: Guarded<Value>

  init(_ value: Value) { self.value = Guarded(value) }
}

extension RigStage.News.Kind {
  fileprivate init?(_ kind: StageNotice.Kind) {
    switch kind {
    case .took(let order): self = .done(ticket: order)
    case .refused(let order): self = .refused(ticket: order)
    case .entered(let place): self = .entered(place)
    case .turned: self = .turned
    case .finished, .stopped: self = .ended
    case .held, .removed, .began, .left, .dropped, .control: return nil
    }
  }
}
