// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc

enum StreamFailure: Error {
  /// The stream broke: it has to be prepared again.
  case broken
  case unplugged
  case refused
  case outOfMemory

  /// The error number as libasound wants it, negative.
  var code: Int32 {
    switch self {
    case .broken: -EPIPE
    case .unplugged: -ENODEV
    case .refused: -EIO
    case .outOfMemory: -ENOMEM
    }
  }
}

extension CardState {
  mutating func prepare(_ side: CardDirection, bufferFrames: Int) throws(StreamFailure) {
    guard let memory else { return }
    guard !memory.pointee.isUnplugged else { throw .unplugged }
    // What the side's last stream left counts from here on.
    advance()
    if side == .playback {
      memory.pointee.head = memory.pointee.keptHead
      guard makeRing(buffer: bufferFrames) else { throw .outOfMemory }
      memory.pointee.playback.start = memory.pointee.head
    } else {
      // Until it starts: the card frame after the last one that the program read.
      if physics?.isRunning == true {
        memory.pointee.capture.startFrame += memory.pointee.capture.moved
      }
      physics?.makeRoom(frames: bufferFrames)
    }
    if setup.clock == .virtual, physics?.isRunning != true { passMissing(memory) }
    memory.pointee[side].phase = .prepared
    memory.pointee[side].moved = 0
    memory.pointee[side].bufferFrames = bufferFrames
    self[side]?.reported = 0
    wake(side)
  }

  func configure(_ side: CardDirection, wakeFrames: Int, stopsAtXrun: Bool) {
    memory?.pointee[side].wakeFrames = wakeFrames
    memory?.pointee[side].stops = stopsAtXrun ? 1 : 0
  }

  mutating func start(_ side: CardDirection) throws(StreamFailure) {
    guard let memory else { return }
    guard !memory.pointee.isUnplugged else { throw .unplugged }
    startClock(memory)
    advance()
    switch side {
    case .playback: startPlayback(memory)
    case .capture: try startCapture(memory)
    }
    memory.pointee[side].phase = .running
    wakeReady()
  }

  mutating func stop(_ side: CardDirection) {
    guard let memory else { return }
    switch side {
    case .playback:
      if memory.pointee.playback.phase == .draining {
        memory.pointee.playback.phase = .idle
      } else {
        memory.pointee.head = memory.pointee.keptHead
      }
    case .capture:
      // A broken stream is about to go on: the actuator has not come to rest in between.
      if memory.pointee.capture.isMoving { physics?.end() }
    }
    memory.pointee[side].phase = .idle
    wakeReady()
  }

  /// Where a side's stream is, in frames since its start; time goes on as far as it may.
  ///
  /// `moved` counts the stream frames that the program has written or read; once it `isDraining` it
  /// writes no more.
  mutating func position(
    _ side: CardDirection, moved: Int, isDraining: Bool
  ) throws(StreamFailure) -> Int {
    guard let memory, let local = self[side] else { throw .unplugged }
    if memory.pointee[side].phase == .running, isDraining {
      memory.pointee[side].phase = .draining
    }
    memory.pointee[side].moved = moved
    if side == .playback, memory.pointee.playback.ownsHead {
      memory.pointee.head = max(memory.pointee.tail, memory.pointee.playback.start + moved)
    }
    advance()
    let position =
      side == .playback
      ? played(memory)
      : min(physics?.captured ?? 0, moved + memory.pointee.capture.bufferFrames)
    if memory.pointee.isUnplugged { throw .unplugged }
    wakeReady()
    if memory.pointee[side].phase == .xrun { throw .broken }
    return memory.pointee[side].isMoving ? max(position, local.reported) : local.reported
  }

  /// A side's position as libasound can be told it.
  ///
  /// It takes a step of a whole buffer for none: the rest of such a one is reported by the next
  /// call.
  mutating func report(
    _ side: CardDirection, moved: Int, isDraining: Bool
  ) throws(StreamFailure) -> Int {
    let position = try position(side, moved: moved, isDraining: isDraining)
    guard let local = self[side], let memory else { throw .unplugged }
    let step = max(1, memory.pointee[side].bufferFrames - 1)
    let reported = min(position, local.reported + step)
    self[side]?.reported = reported
    return reported
  }

  mutating func store(
    moved: Int, count: Int,
    _ body: (_ offset: Int, _ room: UnsafeMutablePointer<Float>, _ count: Int) -> Void
  ) throws(StreamFailure) {
    guard let memory, let ring else { throw .unplugged }
    guard !memory.pointee.isUnplugged else { throw .unplugged }
    let capacity = memory.pointee.ringFrames
    guard capacity > 0, count <= capacity else { throw .broken }
    let first = memory.pointee.playback.start + moved
    // A program that rewound may come too late for the first ones.
    var done = min(count, max(0, memory.pointee.tail - first))
    while done < count {
      let slot = (first + done) & (capacity - 1)
      let part = min(count - done, capacity - slot)
      body(done, ring + slot * setup.driveChannels, part)
      done += part
    }
    memory.pointee.head = max(first + count, memory.pointee.tail)
    memory.pointee.playback.moved = moved + count
    // The card is late by more than its ring holds: the oldest frames pass unheard.
    let lost = memory.pointee.head - memory.pointee.tail - capacity
    if lost > 0 {
      memory.pointee.tail += lost
      memory.pointee.missing += lost
    }
  }
}

extension CardState {
  private mutating func startPlayback(_ memory: UnsafeMutablePointer<CardMemory>) {
    switch setup.clock {
    case .virtual:
      let before = memory.pointee.missing + memory.pointee.playback.start - memory.pointee.tail
      memory.pointee.playback.startFrame = memory.pointee.frame + before
    case .real:
      let now = max(realFrame(memory), memory.pointee.frame)
      memory.pointee.tail = memory.pointee.playback.start
      memory.pointee.missing = now - memory.pointee.frame
      memory.pointee.playback.startFrame = now
    }
  }

  private mutating func startCapture(
    _ memory: UnsafeMutablePointer<CardMemory>
  ) throws(StreamFailure) {
    if setup.clock == .virtual, physics?.isRunning != true { passMissing(memory) }
    let gap = setup.clock == .virtual ? memory.pointee.missing : 0
    memory.pointee.capture.startFrame = memory.pointee.frame + gap
    do {
      // In lock-step both sides lose the same frames, whatever their clocks: frame k stays frame k.
      try physics?.start(
        at: memory.pointee.frame + gap, ratio: setup.clock == .virtual ? 1 : setup.captureRatio)
    } catch {
      throw .refused
    }
  }

  private func passMissing(_ memory: UnsafeMutablePointer<CardMemory>) {
    memory.pointee.frame += memory.pointee.missing
    memory.pointee.missing = 0
  }
}

extension CardState {
  /// Frames between the card's time and the program's: those on their way, and in a capture that
  /// broke in lock-step those that were lost since the last one read.
  mutating func delay(
    _ side: CardDirection, moved: Int, isDraining: Bool
  ) throws(StreamFailure) -> Int {
    let position = try position(side, moved: moved, isDraining: isDraining)
    guard side == .capture else { return moved - position }
    guard let memory, setup.clock == .virtual, memory.pointee.capture.phase == .prepared,
      physics?.isRunning == true
    else { return position - moved }
    return memory.pointee.frame + memory.pointee.missing - memory.pointee.capture.startFrame
  }
}

extension SideState {
  var isMoving: Bool { phase == .running || phase == .draining }

  /// True while the program's position says where the drive ends.
  var ownsHead: Bool { isMoving || phase == .prepared }
}

/// One virtual card in one process: the state file it shares, and the physics where it captures
/// here.
///
/// All of it is under one lock of the process, and what other processes see under the lock of the
/// state file as well, always in this order. Nothing is called back under either.
final class Card: Sendable {
  let setup: CardSetup

  private let state: Guarded<CardState>

  init(name: String, setup: CardSetup) {
    self.setup = setup
    state = Guarded(CardState(name: name, setup: setup))
  }

  func with<Result, Failure: Error>(
    _ body: (inout CardState) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try state.withLock { (state) throws(Failure) in
      guard let memory = state.memory else { return try body(&state) }
      if pthread_mutex_lock(&memory.pointee.lock) == EOWNERDEAD {
        pthread_mutex_consistent(&memory.pointee.lock)
      }
      defer { pthread_mutex_unlock(&memory.pointee.lock) }
      return try body(&state)
    }
  }

  func open(_ side: CardDirection) throws(CardError) {
    try state.withLock { (state) throws(CardError) in try state.attach(side) }
    do throws(CardError) {
      try with { (state) throws(CardError) in try state.enter(side) }
    } catch {
      close(side)
      throw error
    }
  }

  func close(_ side: CardDirection) {
    with { $0.release(side) }
    state.withLock { $0.detachIfUnused() }
  }

  var isUnused: Bool { state.withLock { $0.memory == nil } }
}

/// The cards of this process by name.
///
/// libasound opens the two sides of a card by two calls that share nothing: this is where the
/// second one finds the first. A card stays when both are closed, so that its time, its script of
/// faults and its count of takes go on when a program opens it again.
enum CardRegistry {
  private static let cards = Guarded<[String: Card]>([:])

  static func card(_ configuration: CardConfiguration) throws(CardError) -> Card {
    let setup = try CardSetup(configuration)
    let name = try configuration.stateName()
    return try cards.withLock { (cards) throws(CardError) in
      if let card = cards[name] {
        if card.setup.fingerprint == setup.fingerprint { return card }
        guard card.isUnused else {
          throw CardError(
            EBUSY,
            "the card '\(name)' is open in this program with another rig file or clock: close it "
              + "first, or give this one its own 'state'")
        }
      }
      let card = Card(name: name, setup: setup)
      cards[name] = card
      return card
    }
  }
}
