private import AHAP

extension PlayerStage {
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

  /// Turns back to the beginning: what is held is released, what has been released rings out.
  @_noAllocation @_noLocks
  mutating func turn(_ slot: Int, at time: Double) {
    releaseVoices(of: slot, at: time)
    tell(.turned, of: slot, at: time)
    slots[slot].enteredTime = time
    placeCursors(slot, at: 0, time: time)
    slots[slot].nextEvent = 0
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
