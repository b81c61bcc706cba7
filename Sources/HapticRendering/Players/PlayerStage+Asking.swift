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
    tell(.took(order: entry.order), of: slot, at: time)
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

  private mutating func change(_ slot: Int, by action: PlayerAction, at time: Double, order: Int) {
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
}
