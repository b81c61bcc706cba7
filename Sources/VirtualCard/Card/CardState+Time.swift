// SPDX-License-Identifier: Apache-2.0

import Devices

extension CardState {
  /// Lets card time go on as far as it may: by both sides on the virtual clock, by the host's on
  /// the real one.
  mutating func advance() {
    guard let memory, !memory.pointee.isUnplugged else { return }
    switch setup.clock {
    case .virtual: advanceVirtual(memory)
    case .real: advanceReal(memory)
    }
  }

  /// Lets so many frames of card time pass, at most up to the next break: what there is of the
  /// drive is played.
  ///
  /// `end` is the ring position at which the drive ends for now; beyond it there is silence.
  mutating func pass(
    _ count: Int, upTo end: Int, _ memory: UnsafeMutablePointer<CardMemory>
  ) {
    var left = min(count, framesToBreak(memory))
    // Through a break, too: the actuator goes on while nothing is captured.
    let isRecorded = capture != nil && physics?.isRunning == true
    while left > 0 {
      let missing = memory.pointee.missing
      let there = end - memory.pointee.tail
      let part: Int
      if missing > 0 {
        part = min(left, missing)
        if isRecorded { play(nil, part) }
        memory.pointee.missing -= part
      } else if there > 0, memory.pointee.ringFrames > 0, let ring {
        let slot = memory.pointee.tail & (memory.pointee.ringFrames - 1)
        part = min(left, there, memory.pointee.ringFrames - slot)
        if isRecorded { play(ring + slot * setup.driveChannels, part) }
        memory.pointee.tail += part
      } else {
        part = left
        if isRecorded { play(nil, part) }
      }
      memory.pointee.frame += part
      left -= part
    }
    if framesToBreak(memory) == 0, !waitsAtBreaks(memory) { strike(memory) }
  }

  /// True where virtual time stands at a break until the program has read what came before it.
  private func waitsAtBreaks(_ memory: UnsafeMutablePointer<CardMemory>) -> Bool {
    setup.clock == .virtual && memory.pointee.capture.phase == .running && capture != nil
      && !setup.breaks[memory.pointee.faultsPassed].isUnplug
  }

  func framesToBreak(_ memory: UnsafeMutablePointer<CardMemory>) -> Int {
    let next = memory.pointee.faultsPassed
    guard setup.breaks.indices.contains(next) else { return Int.max }
    return max(0, setup.breaks[next].frame - memory.pointee.frame)
  }

  func strike(_ memory: UnsafeMutablePointer<CardMemory>) {
    let fault = setup.breaks[memory.pointee.faultsPassed]
    guard !fault.isUnplug else {
      memory.pointee.unplugged = 1
      return
    }
    memory.pointee.faultsPassed += 1
    if memory.pointee.playback.isMoving {
      memory.pointee.playback.phase = .xrun
      memory.pointee.head = memory.pointee.tail
    }
    if memory.pointee.capture.isMoving { memory.pointee.capture.phase = .xrun }
    // On the real clock time passes by itself.
    if setup.clock == .virtual { memory.pointee.missing += fault.frames }
  }

  private mutating func play(_ frames: UnsafePointer<Float>?, _ count: Int) {
    // The simulation refuses frames only where its own script pulls the plug, which the card does.
    try? physics?.play(frames, count: count)
  }
}

extension CardState {
  private mutating func advanceVirtual(_ memory: UnsafeMutablePointer<CardMemory>) {
    guard !isHeld(memory) else { return }
    if memory.pointee.capture.phase == .running {
      if capture != nil { captureVirtual(memory) }
    } else if memory.pointee.playback.isMoving {
      // Nobody listens: the card takes whatever comes.
      pass(playable(memory), upTo: driveEnd(memory), memory)
    }
  }

  /// True while virtual time waits for a side to be started, or for one to be opened.
  private func isHeld(_ memory: UnsafeMutablePointer<CardMemory>) -> Bool {
    let (playback, capture) = (memory.pointee.playback, memory.pointee.capture)
    return playback.isAwaited || capture.isAwaited
      || (setup.isMeeting && (playback.seen == 0 || capture.seen == 0))
  }

  private mutating func captureVirtual(_ memory: UnsafeMutablePointer<CardMemory>) {
    while memory.pointee.capture.phase == .running, !memory.pointee.isUnplugged {
      let side = memory.pointee.capture
      let wanted = side.moved + side.bufferFrames - side.slack - (physics?.captured ?? 0)
      if framesToBreak(memory) == 0 { return standAtBreak(memory, wanted: wanted) }
      guard wanted > 0 else { return }
      // In parts, so that no more of the drive is taken than the capture needs.
      let count = min(wanted, playable(memory), 1024)
      if count > 0 { pass(count, upTo: driveEnd(memory), memory) }
      guard capturePhysics(atMost: min(wanted, captureToBreak(memory))) else { return }
      if count == 0 { return }
    }
  }

  /// Breaks the streams once the program has read every frame before the break.
  ///
  /// The frames that the break costs are silence, and known: they decide the last ones before it. A
  /// program that leaves some unread, as one that reads whole periods does, is not waited for.
  private mutating func standAtBreak(
    _ memory: UnsafeMutablePointer<CardMemory>, wanted: Int
  ) {
    if looksAtBreak == 0 {
      try? physics?.playAhead(setup.breaks[memory.pointee.faultsPassed].frames)
    }
    looksAtBreak += 1
    _ = capturePhysics(atMost: max(0, min(wanted, captureToBreak(memory))))
    let isRead = memory.pointee.capture.moved >= (physics?.captured ?? 0)
    guard isRead || looksAtBreak > Self.patienceAtBreak else { return }
    looksAtBreak = 0
    strike(memory)
  }

  /// How often a program may look without having read all that came before a break.
  private static var patienceAtBreak: Int { 256 }

  /// The stream frames that are still to be captured before the next break.
  private func captureToBreak(_ memory: UnsafeMutablePointer<CardMemory>) -> Int {
    let next = memory.pointee.faultsPassed
    guard setup.breaks.indices.contains(next) else { return Int.max }
    let end = setup.breaks[next].frame - memory.pointee.capture.startFrame
    return max(0, end - (physics?.captured ?? 0))
  }

  /// Drive frames that may pass now; any number where no playback sends them.
  private func playable(_ memory: UnsafeMutablePointer<CardMemory>) -> Int {
    guard memory.pointee.playback.isMoving else { return 1 << 40 }
    return max(0, memory.pointee.missing + driveEnd(memory) - memory.pointee.tail)
  }

  private func driveEnd(_ memory: UnsafeMutablePointer<CardMemory>) -> Int {
    memory.pointee.head
      - (memory.pointee.playback.phase == .running ? memory.pointee.playback.slack : 0)
  }

  mutating func capturePhysics(atMost count: Int) -> Bool {
    do {
      try physics?.capture(atMost: count)
      return true
    } catch {
      return false
    }
  }

  func played(_ memory: UnsafeMutablePointer<CardMemory>) -> Int {
    let side = memory.pointee.playback
    guard setup.clock == .virtual else { return playedByClock(memory) }
    let played = max(0, memory.pointee.tail - side.start)
    guard side.phase == .draining else { return min(played, side.moved) }
    // The last frames go into the card's own memory, so that a capture which nobody reads meanwhile
    // does not keep a program in its drain for ever.
    let queued = memory.pointee.head - memory.pointee.tail
    return queued + side.bufferFrames <= memory.pointee.ringFrames ? side.moved : played
  }
}
