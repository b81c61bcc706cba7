// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc

/// What a process knows of a card, beside the memory that both sides share.
struct CardState: Sendable {
  struct LocalSide: Sendable {
    let timer: WakeTimer
    /// True while the timer waits for a moment, false while it is left readable.
    var isWaiting = false
    /// How long it waits when nothing is known of when to wake, in nanoseconds.
    var patience = shortest
    /// Where the stream was when `patience` was last set.
    var seen = -1
    var reported = 0

    /// Short beside the time that a period takes on a virtual clock.
    static let shortest: Int64 = 50_000
    static let longest: Int64 = 5_000_000
  }

  let name: String
  let setup: CardSetup
  var physics: CardPhysics?
  var playback: LocalSide?
  var capture: LocalSide?

  /// How often a side was looked at while virtual time stands at a break.
  var looksAtBreak = 0

  private var file: StateFile?
  /// The card's time when this process had it last.
  private var savedFrame = 0
  private var savedFaults = 0
  private var savedPlug: Int32 = 0

  init(name: String, setup: CardSetup) {
    self.name = name
    self.setup = setup
  }

  var memory: UnsafeMutablePointer<CardMemory>? { file?.memory }
  var ring: UnsafeMutablePointer<Float>? { file?.ring }

  subscript(side: CardDirection) -> LocalSide? {
    get { side == .playback ? playback : capture }
    set { if side == .playback { playback = newValue } else { capture = newValue } }
  }

  mutating func attach(_ side: CardDirection) throws(CardError) {
    guard self[side] == nil else {
      throw CardError(
        EBUSY,
        "the card's \(side) is open in this program already: close it first, or give this one its "
          + "own 'state'")
    }
    let timer = try WakeTimer()
    do throws(CardError) {
      if let file {
        try file.take(side)
      } else {
        let (file, isFresh) = try StateFile.attach(
          name: name, channels: setup.driveChannels, fingerprint: setup.fingerprint, taking: side)
        self.file = file
        if isFresh { resumeTime(file.memory) }
      }
    } catch {
      timer.remove()
      throw error
    }
    self[side] = LocalSide(timer: timer)
  }

  mutating func enter(_ side: CardDirection) throws(CardError) {
    guard let memory else { return }
    forgetTheDead(side.other)
    memory.pointee[side].phase = .opened
    memory.pointee[side].process = getpid()
    memory.pointee[side].seen = 1
    if memory.pointee.isUnplugged {
      throw CardError(
        ENODEV,
        "the virtual card was unplugged by its script of faults: take the fault out of the rig "
          + "file, or start the program anew")
    }
    if side == .capture, physics == nil {
      physics = try CardPhysics(setup, frame: memory.pointee.frame)
    }
  }

  private func resumeTime(_ memory: UnsafeMutablePointer<CardMemory>) {
    memory.pointee.frame = savedFrame
    memory.pointee.faultsPassed = savedFaults
    memory.pointee.unplugged = savedPlug
  }

  mutating func release(_ side: CardDirection) {
    guard let memory, let local = self[side] else { return }
    if side == .capture { physics?.end() }
    if side == .playback { memory.pointee.head = memory.pointee.keptHead }
    memory.pointee[side].phase = .closed
    savedFrame = memory.pointee.frame
    savedFaults = memory.pointee.faultsPassed
    savedPlug = memory.pointee.unplugged
    local.timer.remove()
    self[side] = nil
    file?.release(side)
    wakeReady()
  }

  mutating func detachIfUnused() {
    guard playback == nil, capture == nil else { return }
    file?.detach()
    file = nil
  }

  /// Closes a side whose process died: its lock is gone.
  func forgetTheDead(_ side: CardDirection) {
    guard let memory, let file, self[side] == nil, memory.pointee[side].phase != .closed,
      !file.isTakenElsewhere(side)
    else { return }
    if side == .playback { memory.pointee.head = memory.pointee.keptHead }
    memory.pointee[side].phase = .closed
  }

  /// Makes the ring as long as a playback buffer needs it; false where memory has run out.
  func makeRing(buffer: Int) -> Bool {
    guard let memory, let file else { return false }
    var frames = 4096
    while frames < 4 * buffer { frames *= 2 }
    frames = min(frames, StateFile.mostFrames(channels: setup.driveChannels))
    guard frames > memory.pointee.ringFrames else { return true }
    guard file.allocate(frames: frames) else { return false }
    // Positions mean other places now: what a stream before this one left is dropped.
    memory.pointee.tail = memory.pointee.head
    memory.pointee.ringFrames = frames
    return true
  }
}

extension CardMemory {
  /// Where the drive ends when the playback goes away: what was drained is still played.
  var keptHead: Int {
    switch playback.phase {
    case .idle, .closed: head
    case .prepared, .opened: max(tail, min(head, playback.start))
    case .draining, .running, .xrun: tail
    }
  }
}

extension CardState {
  func startClock(_ memory: UnsafeMutablePointer<CardMemory>) {
    guard setup.clock == .real, memory.pointee.origin == 0 else { return }
    let passed = Double(memory.pointee.frame) / setup.realRate
    memory.pointee.origin = WakeTimer.now - Int64(passed * 1e9)
  }

  func realFrame(_ memory: UnsafeMutablePointer<CardMemory>) -> Int {
    guard memory.pointee.origin != 0 else { return memory.pointee.frame }
    let elapsed = WakeTimer.now - memory.pointee.origin
    return Int(Double(max(0, elapsed)) * 1e-9 * setup.realRate)
  }

  func moment(of frame: Int, _ memory: UnsafeMutablePointer<CardMemory>) -> Int64 {
    memory.pointee.origin + Int64((Double(frame) / setup.realRate * 1e9).rounded(.up)) + 1
  }

  mutating func advanceReal(_ memory: UnsafeMutablePointer<CardMemory>) {
    guard memory.pointee.origin != 0 else { return }
    let now = realFrame(memory)
    while memory.pointee.frame < now, !memory.pointee.isUnplugged {
      let isCapturing = memory.pointee.capture.phase == .running
      // The process that captures is the one that lets time pass, since it has the physics.
      if isCapturing, capture == nil {
        if now - memory.pointee.frame >= framesToBreak(memory) { strike(memory) }
        return
      }
      let end =
        memory.pointee.playback.isAwaited ? memory.pointee.playback.start : memory.pointee.head
      let part = min(now - memory.pointee.frame, isCapturing ? 1024 : Int.max)
      pass(part, upTo: max(end, memory.pointee.tail), memory)
      if memory.pointee.capture.phase == .running { captureReal(memory) }
    }
    checkUnderrun(memory, now: now)
  }

  /// Captures up to the card's time; too late for frames that have no room.
  private mutating func captureReal(_ memory: UnsafeMutablePointer<CardMemory>) {
    let side = memory.pointee.capture
    let due = Int(Double(memory.pointee.frame - side.startFrame) * min(1, setup.captureRatio))
    let excess = due - side.moved - side.bufferFrames
    if excess >= 0, side.stops != 0 {
      memory.pointee.capture.phase = .xrun
      return
    }
    if excess > 0 {
      physics?.skip(excess)
      memory.pointee.capture.startFrame += excess
    }
    let captured = physics?.captured ?? 0
    _ = capturePhysics(atMost: max(0, due - max(0, excess) - captured))
  }

  /// Breaks the playback where its frames have run out, or lets its later frames be late.
  private func checkUnderrun(_ memory: UnsafeMutablePointer<CardMemory>, now: Int) {
    let side = memory.pointee.playback
    let late = now - side.startFrame - side.moved
    guard side.phase == .running, late >= 0 else { return }
    if side.stops != 0 {
      memory.pointee.playback.phase = .xrun
    } else {
      memory.pointee.playback.startFrame += late
    }
  }

  func playedByClock(_ memory: UnsafeMutablePointer<CardMemory>) -> Int {
    let side = memory.pointee.playback
    guard side.isMoving else { return 0 }
    return max(0, min(side.moved, realFrame(memory) - side.startFrame))
  }

  /// True where the program would be woken: as many frames as it asked for can be moved.
  func isReady(_ side: CardDirection, _ memory: UnsafeMutablePointer<CardMemory>) -> Bool {
    let stream = memory.pointee[side]
    switch stream.phase {
    case .xrun: return true
    // A drain looks at nothing but its end: waking it for room would only keep it busy.
    case .draining: return played(memory) >= stream.moved
    case .prepared, .running:
      let available =
        side == .capture
        ? (physics?.captured ?? 0) - stream.moved
        : stream.bufferFrames - stream.moved + played(memory)
      // Before a break there may be less than what was asked for, and no more to come.
      if side == .capture, looksAtBreak > 0, available > 0 { return true }
      return available >= min(max(1, stream.wakeFrames), max(1, stream.bufferFrames))
    case .closed, .opened, .idle: return false
    }
  }

  mutating func wake(_ side: CardDirection) {
    self[side]?.timer.set(to: 1)
    self[side]?.isWaiting = false
  }

  mutating func wakeReady() {
    guard let memory else { return }
    if playback?.isWaiting == true, memory.pointee.isUnplugged || isReady(.playback, memory) {
      wake(.playback)
    }
    if capture?.isWaiting == true, memory.pointee.isUnplugged || isReady(.capture, memory) {
      wake(.capture)
    }
  }

  /// Looks whether a side is ready, and sets its timer to when it may be where it is not.
  mutating func look(_ side: CardDirection) -> Bool {
    guard let memory, let local = self[side] else { return false }
    if isReady(side, memory) {
      wake(side)
      return true
    }
    let now = WakeTimer.now
    let stream = memory.pointee[side]
    self[side]?.isWaiting = true
    if setup.clock == .real, stream.isMoving {
      let due = moment(of: stream.startFrame + stream.framesToWake(side), memory)
      // The simulation may give a frame somewhat later than its own time.
      local.timer.set(to: max(due, now + CardState.LocalSide.shortest))
      return false
    }
    // The other side may be in another process, or dead: nothing tells but looking again, ever less
    // often.
    let place = memory.pointee.frame
    if place != local.seen {
      self[side]?.seen = place
      self[side]?.patience = LocalSide.shortest
    } else {
      self[side]?.patience = min(2 * local.patience, LocalSide.longest)
      if local.patience == LocalSide.longest { forgetTheDead(side.other) }
    }
    local.timer.set(to: now + (self[side]?.patience ?? LocalSide.longest))
    return false
  }
}

extension SideState {
  /// The stream frame at which the program is to be woken.
  fileprivate func framesToWake(_ side: CardDirection) -> Int {
    if side == .capture { return moved + wakeFrames }
    return phase == .draining ? moved : moved - bufferFrames + wakeFrames
  }
}
