// SPDX-License-Identifier: Apache-2.0

private import AHAP

extension PlayerStage {
  /// Puts a player of a program into a slot, stopped; false where the slot is taken or there is none.
  ///
  /// The caller keeps the program until the notice `removed` of this slot.
  @_noAllocation @_noLocks
  public mutating func add(_ program: borrowing ProgramLoan, slot: Int) -> Bool {
    guard slot >= 0, slot < slotCount, !isUsed[slot] else { return false }
    (slots + slot).initialize(to: StageSlot(program: program.view))
    isUsed[slot] = true
    if slot >= usedSlots { usedSlots = slot + 1 }
    for place in 0..<DynamicParameterID.count {
      controls[slot * DynamicParameterID.count + place].forget()
    }
    return true
  }

  /// Asks something of a player: some seconds after a time of the clock, or after now where that has passed.
  ///
  /// The order is a rank that rises from call to call.
  @_noAllocation @_noLocks
  public mutating func ask(
    _ action: PlayerAction, of slot: Int, at time: Double, delay: Double = 0, order: Int
  ) {
    guard slot >= 0, slot < slotCount, isUsed[slot] else { return }
    let now = self.time
    let due = (time > now ? time : now) + (delay > 0 ? delay : 0)
    guard queue.insert(action, of: slot, at: due, order: order) else {
      tell(.refused(order: order), of: slot, at: now)
      return
    }
    slots[slot].pendingCount += 1
  }

  /// Lets a player go: it plays on to its end, a loop to its turn, and is then removed.
  @_noAllocation @_noLocks
  public mutating func release(slot: Int) {
    guard slot >= 0, slot < slotCount, isUsed[slot] else { return }
    slots[slot].isReleased = true
    removeIfDone(slot, at: time)
  }

  /// Ends every play at once and forgets everything that waits.
  @_noAllocation @_noLocks
  public mutating func cancelAll(order: Int) {
    for slot in 0..<usedSlots where isUsed[slot] { cancel(slot, at: time, order: order) }
  }

  /// Does what is due of the queue: its first entry.
  @_noAllocation @_noLocks
  mutating func perform(_ entry: ActionQueue.Entry, at time: Double) {
    let slot = entry.slot
    guard isUsed[slot] else { return }
    slots[slot].pendingCount -= 1
    if entry.order >= 0 { tell(.took(order: entry.order), of: slot, at: time) }
    switch entry.action {
    case .control(let step):
      let control = controls + slot * DynamicParameterID.count + step.place
      if control.pointee.take(
        value: step.value, slope: step.slope, at: time, sourceTime: time - step.age,
        order: entry.order, isOwn: false)
      {
        tell(
          .control(place: step.place, value: step.value, slope: step.slope), of: slot, at: time)
      }
    case .glide(let glide): self.glide(slot, glide, at: time, order: entry.order)
    case .tap(let intensity, let sharpness):
      beginTap(slot, intensity: intensity, sharpness: sharpness, at: time)
    case .takeOver(let other): takeOver(slot, from: other, at: time, order: entry.order)
    case .cancel: cancel(slot, at: time, order: entry.order)
    case .rate:
      change(slot, by: entry.action, at: time, order: entry.order)
      refreshOwnControls(slot, at: time)
    case .mute:
      change(slot, by: entry.action, at: time, order: entry.order)
      // Where nothing of it is felt or heard, nothing has to fade.
      if slots[slot].voiceCount == 0 { slots[slot].gain = slots[slot].wantedGain }
    default: change(slot, by: entry.action, at: time, order: entry.order)
    }
    removeIfDone(slot, at: time)
  }

  private mutating func cancel(_ slot: Int, at time: Double, order: Int) {
    slots[slot].pendingCount -= queue.removeAll(of: slot, before: order)
    change(slot, by: .cancel, at: time, order: order)
  }

  @_noAllocation @_noLocks
  mutating func change(_ slot: Int, by action: PlayerAction, at time: Double, order: Int) {
    switch slots[slot].transport.apply(action, at: time) {
    case .none, .turned: return
    case .entered: enter(slot, at: time, order: order)
    case .held:
      cutVoices(of: slot, at: time)
      tell(.held, of: slot, at: time)
    case .stopped, .finished:
      cutVoices(of: slot, at: time)
      tell(.stopped, of: slot, at: time)
    }
  }

  /// Removes a player that was let go, once nothing of it is left.
  @_noAllocation @_noLocks
  mutating func removeIfDone(_ slot: Int, at time: Double) {
    guard isUsed[slot], slots[slot].isReleased, slots[slot].isIdle else { return }
    isUsed[slot] = false
    while usedSlots > 0, !isUsed[usedSlots - 1] { usedSlots -= 1 }
    tell(.removed, of: slot, at: time)
  }

  /// Plays from where the transport has gone: what was felt is cut, what is in force there is taken up.
  @_noAllocation @_noLocks
  mutating func enter(_ slot: Int, at time: Double, order: Int) {
    cutVoices(of: slot, at: time)
    let position = slots[slot].transport.position(at: time)
    tell(.entered(position), of: slot, at: time)
    slots[slot].enteredTime = time
    slots[slot].enteredOrder = order
    slots[slot].ended = PlayerTransport(length: 0)
    placeCursors(slot, at: position, time: time)
    takeUp(slot, at: position, time: time)
  }

  /// Takes up the events that are held at a place, and goes on with the first that begins there or later.
  private mutating func takeUp(_ slot: Int, at position: Double, time: Double) {
    let program = slots[slot].program
    // Positions are sums of times: an event at the very place is not one that has begun before.
    var index = 0
    while index < program.eventCount, program.events[index].start < position - 1e-9 {
      if program.events[index].isHeld(at: position) {
        begin(
          slot, index, at: time,
          age: (position - program.events[index].start) / slots[slot].transport.rate)
      }
      index += 1
    }
    slots[slot].nextEvent = index
  }

  /// Turns back to where the loop begins: what is held is released, what has been released rings out.
  @_noAllocation @_noLocks
  mutating func turn(_ slot: Int, at time: Double) {
    releaseVoices(of: slot, at: time)
    tell(.turned, of: slot, at: time)
    slots[slot].enteredTime = time
    let position = slots[slot].transport.position(at: time)
    placeCursors(slot, at: position, time: time)
    takeUp(slot, at: position, time: time)
  }

  /// Puts the cursors of the pattern's own parameters to a place, with what is in force there.
  private mutating func placeCursors(_ slot: Int, at position: Double, time: Double) {
    let program = slots[slot].program
    for place in 0..<DynamicParameterID.count {
      let cursor = slot * DynamicParameterID.count + place
      let end = program.firstPiece[place + 1]
      var next = program.firstPiece[place]
      while next < end, program.pieces[next].start <= position { next += 1 }
      nextPieces[cursor] = next
      if next > program.firstPiece[place] {
        takePiece(slot, place, next - 1, at: time)
      } else if controls[cursor].isOwn {
        controls[cursor].forget()
      }
    }
  }

  /// Puts what the pattern's own parameters have in force anew: the rate has changed.
  @_noAllocation @_noLocks
  mutating func refreshOwnControls(_ slot: Int, at time: Double) {
    guard slots[slot].transport.isPlaying else { return }
    for place in 0..<DynamicParameterID.count {
      let cursor = slot * DynamicParameterID.count + place
      let next = nextPieces[cursor]
      guard next > slots[slot].program.firstPiece[place], controls[cursor].isOwn else { continue }
      takePiece(slot, place, next - 1, at: time)
    }
  }

  /// Puts a piece of the pattern's own in force, from a time on that may lie inside it.
  private mutating func takePiece(_ slot: Int, _ place: Int, _ index: Int, at time: Double) {
    let (piece, transport) = (slots[slot].program.pieces[index], slots[slot].course)
    let entered = slots[slot].enteredTime
    let began = transport.time(of: piece.sourceStart)
    let (value, slope) = (
      piece.value + piece.slope * (transport.position(at: time) - piece.start),
      piece.slope * transport.rate
    )
    if controls[slot * DynamicParameterID.count + place].take(
      value: value, slope: slope, at: time, sourceTime: began > entered ? began : entered,
      order: slots[slot].enteredOrder, isOwn: true)
    {
      tell(.control(place: place, value: value, slope: slope), of: slot, at: time)
    }
  }

  /// When a player's play does something by itself, in seconds of the clock; infinite unless it plays.
  @_noAllocation @_noLocks
  func nextTime(of slot: Int) -> Double {
    let transport = slots[slot].course
    guard transport.isPlaying else { return .infinity }
    let program = slots[slot].program
    var next = transport.edge
    if slots[slot].nextEvent < program.eventCount {
      let time = transport.time(of: program.events[slots[slot].nextEvent].start)
      if time < next { next = time }
    }
    for place in 0..<DynamicParameterID.count {
      let index = nextPieces[slot * DynamicParameterID.count + place]
      guard index < program.firstPiece[place + 1] else { continue }
      let time = transport.time(of: program.pieces[index].start)
      if time < next { next = time }
    }
    return next
  }

  /// Does what a player's play does by itself at a time: its end or turn, else a piece, else an event.
  @_noAllocation @_noLocks
  mutating func advance(_ slot: Int, at time: Double) {
    if slots[slot].transport.edge <= time {
      if slots[slot].isReleased, slots[slot].transport.isLooping {
        _ = slots[slot].transport.apply(.loop(false), at: time)
        _ = slots[slot].transport.apply(.stop, at: time)
        releaseVoices(of: slot, at: time)
        tell(.finished, of: slot, at: time)
      } else if slots[slot].transport.isLooping {
        _ = slots[slot].transport.passEdge()
        turn(slot, at: time)
      } else {
        slots[slot].ended = slots[slot].transport.withoutEnd()
        _ = slots[slot].transport.passEdge()
        releaseVoices(of: slot, at: time, onlyEndless: true)
        tell(.finished, of: slot, at: time)
      }
      removeIfDone(slot, at: time)
      return
    }
    let (program, transport) = (slots[slot].program, slots[slot].course)
    for place in 0..<DynamicParameterID.count {
      let cursor = slot * DynamicParameterID.count + place
      let index = nextPieces[cursor]
      guard index < program.firstPiece[place + 1],
        transport.time(of: program.pieces[index].start) <= time
      else { continue }
      nextPieces[cursor] = index + 1
      takePiece(slot, place, index, at: time)
      return
    }
    let index = slots[slot].nextEvent
    guard index < program.eventCount else { return }
    slots[slot].nextEvent = index + 1
    begin(slot, index, at: time, age: 0)
  }
}
