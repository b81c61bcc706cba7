import Devices

extension CardState {
  /// Begins the real clock with the first start.
  func startClock(_ memory: UnsafeMutablePointer<CardMemory>) {
    guard setup.clock == .real, memory.pointee.origin == 0 else { return }
    let passed = Double(memory.pointee.frame) / setup.realRate
    memory.pointee.origin = WakeTimer.now - Int64(passed * 1e9)
  }

  /// The card frame that begins now.
  func realFrame(_ memory: UnsafeMutablePointer<CardMemory>) -> Int {
    guard memory.pointee.origin != 0 else { return memory.pointee.frame }
    let elapsed = WakeTimer.now - memory.pointee.origin
    return Int(Double(max(0, elapsed)) * 1e-9 * setup.realRate)
  }

  /// The moment at which a card frame begins.
  func moment(of frame: Int, _ memory: UnsafeMutablePointer<CardMemory>) -> Int64 {
    memory.pointee.origin + Int64((Double(frame) / setup.realRate * 1e9).rounded(.up)) + 1
  }

  /// Lets the card catch up with the host's clock.
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

  /// How many frames of its stream the playback has let go, by the clock.
  func playedByClock(_ memory: UnsafeMutablePointer<CardMemory>) -> Int {
    let side = memory.pointee.playback
    guard side.isMoving else { return 0 }
    return max(0, min(side.moved, realFrame(memory) - side.startFrame))
  }
}
