// SPDX-License-Identifier: Apache-2.0

import Devices
import HapticRendering

/// A player apart from the object that an app holds: what its stream needs as long as it plays.
final class PlayerCore: Sendable {
  /// What was set, for the next stream as well.
  struct Settings: Sendable {
    var isLooping = false
    var loopEnd = 0.0
    var rate = 1.0
    var isMuted = false
  }

  let program: PlayerProgram
  /// How often the engine had been reset when it was made.
  let generation: Int
  /// What its owner knows it by.
  let tag: Int
  let settings = Guarded(Settings())
  /// What is called when a play is over.
  let completion = Guarded<Handler<((any Error)?) -> Void>?>(nil)

  init(program: PlayerProgram, generation: Int = 0, tag: Int = 0) {
    self.program = program
    self.generation = generation
    self.tag = tag
  }

  func complete(_ error: CHHapticError?, on handlers: HandlerQueue) {
    guard let handler = completion.withLock({ $0 }) else { return }
    handlers.add { handler.call(error) }
  }
}

/// Who plays on a stream: the slots of its players, and what of them is still to come.
///
/// Its lock makes callers wait for each other, and nobody else: the queue of commands is written under it.
struct PlayerBook: ~Copyable {
  /// A start that has been asked for and not yet done.
  struct Start {
    let slot: Int
    /// When it was asked, in seconds of the host's clock since the stream's start.
    let asked: Double
    /// For when, in seconds of the stream; 0 for as soon as possible.
    let time: Double
  }

  /// What a notice means beyond its slot.
  enum News {
    case over(PlayerCore)
    /// A player is gone; given to the caller, who lets it go outside of any lock.
    case gone(PlayerCore)
    case began(Start)
    case refused
    case dropped
  }

  private(set) var players: [Int: PlayerCore] = [:]
  private(set) var played: [Int: PlayedEvents] = [:]
  /// Players that are gone, as far as they have played.
  private(set) var past: [PlayedEvents] = []
  private var slots: [ObjectIdentifier: Int] = [:]
  private var starts: [Int: Start] = [:]
  /// The slots of cancels that are not done yet.
  private var cancels: [Int: Int] = [:]
  private var playing: Set<Int> = []
  private var order = 0
  private let limit: Int
  private let keepsEvents: Bool
  private var commands: RealtimeQueue<StreamCommand>.Producer

  init(
    limit: Int, keepsEvents: Bool, commands: consuming RealtimeQueue<StreamCommand>.Producer
  ) {
    self.limit = limit
    self.keepsEvents = keepsEvents
    self.commands = commands
  }

  /// Hands a command to the thread that renders; throws where there is no room.
  mutating func push(_ command: StreamCommand) throws(CHHapticError) {
    guard commands.push(command) else {
      throw CHHapticError(
        .memoryError, "the engine has not yet done what was asked before: ask for less at once")
    }
  }

  var isBusy: Bool { !playing.isEmpty || !starts.isEmpty }

  /// The players that play, or hold a play.
  var active: [PlayerCore] { playing.compactMap { players[$0] } }

  /// The slot of a player; `nil` where it has none yet.
  func slot(of player: PlayerCore) -> Int? { slots[ObjectIdentifier(player)] }

  /// Gives a player a slot; throws where all are taken.
  mutating func seat(_ player: PlayerCore) throws(CHHapticError) -> Int {
    guard players.count < limit else {
      throw CHHapticError(
        .memoryError, "the engine has \(limit) players already: let some of them end or go")
    }
    var slot = 0
    while players[slot] != nil { slot += 1 }
    players[slot] = player
    slots[ObjectIdentifier(player)] = slot
    if keepsEvents { played[slot] = PlayedEvents(source: player.program.pattern) }
    return slot
  }

  mutating func nextOrder() -> Int {
    order += 1
    return order
  }

  mutating func expect(_ start: Start, order: Int) { starts[order] = start }

  /// Notes a cancel, which takes back the starts that were asked before it.
  mutating func expectCancel(of slot: Int, order: Int) { cancels[order] = slot }

  /// Forgets the starts of a player that nothing will come of.
  mutating func forgetStarts(of slot: Int, before order: Int = .max) {
    starts = starts.filter { $0.value.slot != slot || $0.key > order }
  }

  /// Takes a notice, and says what it means.
  mutating func take(_ notice: StageNotice) -> News? {
    let slot = notice.slot
    played[slot]?.take(notice)
    switch notice.kind {
    case .entered:
      playing.insert(slot)
    case .finished, .stopped:
      playing.remove(slot)
      return players[slot].map(News.over)
    case .removed:
      if let events = played.removeValue(forKey: slot) { past.append(events) }
      playing.remove(slot)
      guard let player = players.removeValue(forKey: slot) else { return nil }
      slots[ObjectIdentifier(player)] = nil
      return .gone(player)
    case .took(let order):
      if let slot = cancels.removeValue(forKey: order) { forgetStarts(of: slot, before: order) }
      return starts.removeValue(forKey: order).map(News.began)
    case .refused(let order):
      starts[order] = nil
      cancels[order] = nil
      return .refused
    case .dropped: return .dropped
    case .held, .turned, .began, .left, .control: return nil
    }
    return nil
  }
}
