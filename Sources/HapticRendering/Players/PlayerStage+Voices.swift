import Profiles

extension PlayerStage {
  /// Begins an event at a time, of which so many seconds have passed before.
  @_noAllocation @_noLocks
  mutating func begin(_ slot: Int, _ index: Int, at time: Double, age: Double) {
    let event = slots[slot].program.events[index]
    guard event.isFelt ? vibrationCount < voiceCapacity : soundCount < voiceCapacity else {
      tell(.dropped(event: index), of: slot, at: time)
      return
    }
    tell(.began(event: index, age: age), of: slot, at: time)
    slots[slot].voiceCount += 1
    let start = time * rate
    guard !event.isTap else {
      beginTap(slot, index, event, at: time)
      return
    }
    let gain = envelope(of: event, slot: slot, at: time, age: age)
    if event.isFelt {
      let offset = Float(control(slot, .hapticSharpness).value(at: time))
      let turns =
        laws.hasProfile
        ? laws.vibrations.value(intensity: event.intensity, sharpness: event.sharpness + offset)
          .turns : turns(of: event, offset: offset)
      (vibrations + vibrationCount).initialize(
        to: VibrationVoice(
          slot: slot, index: index, event: event, start: start, first: frame, turns: turns,
          envelope: gain))
      vibrationCount += 1
      return
    }
    let pitch = event.sound.pitch + Float(control(slot, .audioPitch).value(at: time))
    (sounds + soundCount).initialize(
      to: SoundLine(
        slot: slot, index: index, event: event, age: Double(frame) - start + age * rate,
        speed: Double(powerOfTwo(pitch < -1 ? -1 : pitch > 1 ? 1 : pitch)),
        toneTurns: laws.toneTurns,
        envelope: event.sound.usesEnvelope ? gain : LiveEnvelope(start: start)))
    soundCount += 1
  }

  @_noAllocation @_noLocks
  private mutating func beginTap(_ slot: Int, _ index: Int, _ event: LiveEvent, at time: Double) {
    let product = event.intensity * Float(control(slot, .hapticIntensity).value(at: time))
    let level = product > 0 ? (product < 1 ? product : 1) : 0
    let offset =
      laws.sharpnessControlMovesTaps ? Float(control(slot, .hapticSharpness).value(at: time)) : 0
    var (amplitude, turns) = (level, Float(0))
    if laws.hasProfile {
      (amplitude, turns) = laws.taps.value(intensity: level, sharpness: event.sharpness + offset)
    } else {
      scratch.levels[0] = level
      laws.levelLaw.apply(to: scratch.levels, count: 1)
      amplitude = scratch.levels[0]
      turns = self.turns(of: event, offset: offset)
    }
    (vibrations + vibrationCount).initialize(
      to: VibrationVoice(
        slot: slot, index: index, event: event, start: time * rate, first: frame,
        amplitude: amplitude, turns: turns < 0.45 ? turns : 0.45, phase: laws.tapPhase))
    vibrationCount += 1
  }

  /// Turns a frame of an event whose sharpness is moved; without a profile.
  @_noAllocation @_noLocks
  private func turns(of event: LiveEvent, offset: Float) -> Float {
    guard offset != 0 else { return event.turns }
    scratch.bends[0] = offset
    laws.turnLaw.bend(scratch.bends, count: 1)
    let step =
      switch laws.turnLaw.joining {
      case .multiplies: laws.turnLaw.step(event.turns * scratch.bends[0])
      case .adds: laws.turnLaw.step(event.turns + scratch.bends[0])
      case .bends: laws.turnLaw.step(laws.turnLaw.pinned(event.sharpness + scratch.bends[0]))
      }
    return Float(step) * 0x1p-32
  }

  @_noAllocation @_noLocks
  private func envelope(
    of event: LiveEvent, slot: Int, at time: Double, age: Double
  ) -> LiveEnvelope {
    LiveEnvelope(
      start: (time - age) * rate,
      attack: laws.frames(
        event.attack,
        control: control(slot, event.isFelt ? .hapticAttack : .audioAttack).value(at: time)),
      isSustained: event.isSustained)
  }

  @_noAllocation @_noLocks @inline(__always)
  func control(_ slot: Int, _ place: ControlPlace) -> LiveControl {
    controls[slot * Self.controlCount() + place.index]
  }

  /// When the first voice that is held comes to its release, and whose it is; infinite where none does.
  @_noAllocation @_noLocks
  func nextRelease() -> Double {
    var next = Double.infinity
    for index in 0..<vibrationCount {
      let time = releaseTime(
        of: vibrations[index].event, vibrations[index].gain, vibrations[index].slot)
      if time < next { next = time }
    }
    for index in 0..<soundCount {
      let time = soundReleaseTime(index)
      if time < next { next = time }
    }
    return next
  }

  @_noAllocation @_noLocks
  private func releaseTime(of event: LiveEvent, _ gain: LiveEnvelope, _ slot: Int) -> Double {
    guard !event.isTap, event.isSustained, gain.released == .infinity,
      gain.cut == .infinity
    else { return .infinity }
    return slots[slot].transport.time(of: event.holdEnd)
  }

  /// As `releaseTime`; a sound file that is ramped in and out is released before it is over.
  @_noAllocation @_noLocks
  private func soundReleaseTime(_ index: Int) -> Double {
    let sound = sounds[index]
    let held = releaseTime(of: sound.event, sound.gain, sound.slot)
    guard sound.event.sound.usesEnvelope, sound.gain.released == .infinity,
      sound.gain.cut == .infinity
    else { return held }
    let left = sound.framesLeft()
    guard left < .infinity else { return held }
    let half = Double(sound.event.sound.frameCount) / 2
    let wanted = soundRelease(sound.event, sound.slot, at: time)
    let ramped = (Double(frame) + left - (wanted < half ? wanted : half)) / rate
    return ramped < held ? ramped : held
  }

  /// The frames of a sound's release; a file without an envelope is cut at its duration, with no ramp.
  @_noAllocation @_noLocks
  private func soundRelease(_ event: LiveEvent, _ slot: Int, at time: Double) -> Double {
    guard event.sound.usesEnvelope else { return 0 }
    return laws.frames(event.release, control: control(slot, .audioRelease).value(at: time))
  }

  /// Releases the voices that have come to the end of their duration.
  @_noAllocation @_noLocks
  mutating func releaseVoices(dueAt time: Double) {
    for index in 0..<vibrationCount {
      let (event, slot) = (vibrations[index].event, vibrations[index].slot)
      guard releaseTime(of: event, vibrations[index].gain, slot) <= time else { continue }
      releaseVibration(index, at: time)
    }
    for index in 0..<soundCount {
      guard soundReleaseTime(index) <= time else { continue }
      releaseSound(index, at: time)
    }
  }

  /// Releases what a player holds, before its own end: the play turns, or has ended.
  ///
  /// At its end only what would never end by itself is released: a sound that is longer than the pattern
  /// counts it, because its pitch was lowered, is heard to its end.
  @_noAllocation @_noLocks
  mutating func releaseVoices(of slot: Int, at time: Double, onlyEndless: Bool = false) {
    for index in 0..<vibrationCount where vibrations[index].slot == slot {
      let voice = vibrations[index]
      guard !voice.event.isTap, voice.event.isSustained,
        voice.gain.released == .infinity, voice.gain.cut == .infinity
      else { continue }
      releaseVibration(index, at: time)
    }
    for index in 0..<soundCount where sounds[index].slot == slot {
      let voice = sounds[index]
      guard voice.event.isSustained, voice.gain.released == .infinity, voice.gain.cut == .infinity,
        !onlyEndless || voice.event.sound.loops
      else { continue }
      releaseSound(index, at: time)
    }
  }

  @_noAllocation @_noLocks
  private mutating func releaseVibration(_ index: Int, at time: Double) {
    let (event, slot) = (vibrations[index].event, vibrations[index].slot)
    tell(.left(event: vibrations[index].index), of: slot, at: time)
    vibrations[index].gain.release(
      at: time * rate,
      frames: laws.frames(event.release, control: control(slot, .hapticRelease).value(at: time)))
  }

  @_noAllocation @_noLocks
  private mutating func releaseSound(_ index: Int, at time: Double) {
    let (event, slot) = (sounds[index].event, sounds[index].slot)
    tell(.left(event: sounds[index].index), of: slot, at: time)
    sounds[index].gain.release(
      at: time * rate, frames: soundRelease(event, slot, at: time))
  }

  /// Cuts everything that is felt or heard of a player.
  @_noAllocation @_noLocks
  mutating func cutVoices(of slot: Int, at time: Double) {
    for index in 0..<vibrationCount where vibrations[index].slot == slot {
      if vibrations[index].gain.cut == .infinity, vibrations[index].gain.released == .infinity {
        tell(.left(event: vibrations[index].index), of: slot, at: time)
      }
      vibrations[index].gain.cut(at: time * rate, frames: laws.cutFrames)
    }
    for index in 0..<soundCount where sounds[index].slot == slot {
      if sounds[index].gain.cut == .infinity, sounds[index].gain.released == .infinity {
        tell(.left(event: sounds[index].index), of: slot, at: time)
      }
      sounds[index].gain.cut(at: time * rate, frames: laws.cutFrames)
    }
  }

  /// Takes away the voices of which nothing is left at the stage's frame.
  @_noAllocation @_noLocks
  mutating func dropEndedVoices() {
    var kept = 0
    for index in 0..<vibrationCount {
      let slot = vibrations[index].slot
      let isOver =
        vibrations[index].gain.isOver(at: frame)
        || (vibrations[index].event.isTap
          && Double(frame) >= vibrations[index].start + laws.tapFrames)
      guard isOver else {
        if kept != index { vibrations[kept] = vibrations[index] }
        kept += 1
        continue
      }
      slots[slot].voiceCount -= 1
      removeIfDone(slot, at: time)
    }
    vibrationCount = kept
    kept = 0
    for index in 0..<soundCount {
      let slot = sounds[index].slot
      guard sounds[index].isOver(at: frame) else {
        if kept != index { sounds[kept] = sounds[index] }
        kept += 1
        continue
      }
      slots[slot].voiceCount -= 1
      removeIfDone(slot, at: time)
    }
    soundCount = kept
  }
}
