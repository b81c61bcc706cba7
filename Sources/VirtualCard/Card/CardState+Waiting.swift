import Devices

extension CardState {
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

  /// Leaves a side's descriptor readable.
  mutating func wake(_ side: CardDirection) {
    self[side]?.timer.set(to: 1)
    self[side]?.isWaiting = false
  }

  /// Wakes the sides of this process that wait and are ready by now.
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
