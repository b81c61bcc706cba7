// SPDX-License-Identifier: Apache-2.0

private import AHAP

extension PlayerStage {
  /// Brings a parameter from where it is to another value.
  @_noAllocation @_noLocks
  mutating func glide(_ slot: Int, _ glide: ControlGlide, at time: Double, order: Int) {
    let control = controls + slot * DynamicParameterID.count + glide.place
    let value = control.pointee.value(at: time)
    let slope = (glide.value - value) / glide.seconds
    if control.pointee.take(
      value: value, slope: slope, at: time, until: time + glide.seconds, sourceTime: time,
      order: order, isOwn: false), order >= 0
    {
      tell(.control(place: glide.place, value: value, slope: slope), of: slot, at: time)
    }
  }

  /// Goes on with a player where another one is.
  @_noAllocation @_noLocks
  mutating func takeOver(_ slot: Int, from other: Int, at time: Double, order: Int) {
    guard other != slot, other >= 0, other < slotCount, isUsed[other],
      slots[other].transport.isPlaying
    else {
      change(slot, by: .start, at: time, order: order)
      return
    }
    let transport = slots[slot].transport
    var place = slots[other].transport.position(at: time)
    if transport.isLooping, place < transport.loopStart || place >= transport.turn {
      place = transport.loopStart
    }
    let (feltBefore, heardBefore) = (felt.count, heard.count)
    if transport.isLooping || place < transport.length {
      _ = slots[slot].transport.apply(.seek(place), at: time)
      _ = slots[slot].transport.apply(.start, at: time)
      enter(slot, at: time, order: order)
      // An event that begins where it began before goes on with its own vibration; what is left is paired by nearness.
      adoptVoices(feltBefore, from: other, within: Self.sameTime, at: time)
      adoptVoices(feltBefore, from: other, within: .infinity, at: time)
      for index in feltBefore..<felt.count { fadeIn(felt.first + index) }
      moveVoices(feltBefore, from: other, to: slot, at: place)
      for index in heardBefore..<heard.count {
        (heard.first + index).pointee.ease = VoiceEase(
          level: -1, from: frame, frames: times.exchangeFrames)
      }
    } else {
      tell(.finished, of: slot, at: time)
    }
    leave(other, at: time)
  }

  /// Two events that begin in so short a time, in seconds, are one: sums of times are rounded.
  private static var sameTime: Double { 1e-6 }

  /// Lets voices that have just begun go on with those of another player, each with the nearest that is free.
  private mutating func adoptVoices(
    _ first: Int, from other: Int, within distance: Double, at time: Double
  ) {
    for index in first..<felt.count {
      let voice = felt.first + index
      guard !voice.pointee.isAdopted, !voice.pointee.event.isTap else { continue }
      var nearest: UnsafeMutablePointer<StageVoice>?
      var least = distance
      for place in 0..<first {
        let old = felt.first + place
        guard old.pointee.slot == other, !old.pointee.event.isTap, old.pointee.gain.isHeld else {
          continue
        }
        let apart = (old.pointee.gain.start - voice.pointee.gain.start) / rate
        guard (apart < 0 ? -apart : apart) < least else { continue }
        (nearest, least) = (old, apart < 0 ? -apart : apart)
      }
      guard let nearest else { continue }
      let (old, new) = (nearest.pointee.event, voice.pointee.event)
      // Where only the level or the frequency was changed, its rise and fall go on, whatever has moved them.
      if least < Self.sameTime, old.isSustained == new.isSustained, old.attack == new.attack,
        old.decay == new.decay
      {
        voice.pointee.gain = nearest.pointee.gain
      }
      voice.pointee.isAdopted = true
      voice.pointee.vibration.takePhase(of: nearest.pointee.vibration)
      voice.pointee.ease = VoiceEase(
        level: level(of: nearest) - ownLevel(of: voice),
        sharpness: sharpness(of: nearest) - ownSharpness(of: voice), from: frame,
        frames: times.exchangeFrames)
      tell(.left(event: nearest.pointee.index), of: other, at: time)
      // Over before its next frame.
      nearest.pointee.gain.cut(at: Double(frame) - 1, frames: 0.5)
    }
  }

  /// Lets a voice that goes on with none rise from nothing.
  private mutating func fadeIn(_ voice: UnsafeMutablePointer<StageVoice>) {
    guard !voice.pointee.isAdopted, !voice.pointee.event.isTap else { return }
    voice.pointee.ease = VoiceEase(
      level: -ownLevel(of: voice), from: frame, frames: times.exchangeFrames)
  }

  /// Hands on what rings out, which no event of the new pattern is: it goes by that one's parameters from now on.
  private mutating func moveVoices(_ count: Int, from other: Int, to slot: Int, at place: Double) {
    // What began in a turn before is no event of this one.
    let entered = (slots[other].enteredTime - Self.sameTime) * rate
    for index in 0..<count where felt.first[index].slot == other {
      let voice = felt.first + index
      let event = voice.pointee.event
      guard
        event.isTap || !voice.pointee.gain.isHeld
          || (!event.isSustained && (event.holdEnd <= place || voice.pointee.start < entered))
      else { continue }
      let before = (level(of: voice), sharpness(of: voice))
      voice.pointee.slot = slot
      slots[other].voiceCount -= 1
      slots[slot].voiceCount += 1
      guard !event.isTap else { continue }
      voice.pointee.ease = VoiceEase(
        level: before.0 - ownLevel(of: voice), sharpness: before.1 - ownSharpness(of: voice),
        from: frame, frames: times.exchangeFrames)
    }
  }

  /// The level of a vibration at the stage's frame, before the law of intensity.
  private func level(of voice: UnsafeMutablePointer<StageVoice>) -> Float {
    let ease = voice.pointee.ease
    let level = ownLevel(of: voice) + (ease.isActive(at: frame) ? ease.level(at: frame) : 0)
    return level > 0 ? (level < 1 ? level : 1) : 0
  }

  /// The same without what is left of another.
  private func ownLevel(of voice: UnsafeMutablePointer<StageVoice>) -> Float {
    settleDecay(voice, before: frame + 1, .hapticDecayTime)
    let slot = voice.pointee.slot
    let control = Float(control(slot, .hapticIntensity).value(at: Double(frame) / rate))
    return control * voice.pointee.event.intensity * voice.pointee.gain.gain(at: frame)
      * slots[slot].gain
  }

  /// The sharpness of a vibration at the stage's frame.
  private func sharpness(of voice: UnsafeMutablePointer<StageVoice>) -> Float {
    let ease = voice.pointee.ease
    return ownSharpness(of: voice) + (ease.isActive(at: frame) ? ease.sharpness(at: frame) : 0)
  }

  private func ownSharpness(of voice: UnsafeMutablePointer<StageVoice>) -> Float {
    let control = control(voice.pointee.slot, .hapticSharpness).value(at: Double(frame) / rate)
    let sum = voice.pointee.event.sharpness + Float(control)
    return sum > 0 ? (sum < 1 ? sum : 1) : 0
  }

  private mutating func fade(_ voice: UnsafeMutablePointer<StageVoice>, at time: Double) {
    guard voice.pointee.gain.isHeld else { return }
    tell(.left(event: voice.pointee.index), of: voice.pointee.slot, at: time)
    voice.pointee.gain.cut(at: time * rate, frames: times.exchangeFrames)
  }

  /// Stops and lets go a player whose place was taken: what it holds fades, its taps ring out.
  private mutating func leave(_ slot: Int, at time: Double) {
    slots[slot].ended = slots[slot].transport.withoutEnd()
    _ = slots[slot].transport.apply(.stop, at: time)
    for index in 0..<felt.count where felt.first[index].slot == slot {
      if !felt.first[index].event.isTap { fade(felt.first + index, at: time) }
    }
    for index in 0..<heard.count where heard.first[index].slot == slot {
      fade(heard.first + index, at: time)
    }
    slots[slot].isReleased = true
    tell(.stopped, of: slot, at: time)
    removeIfDone(slot, at: time)
  }
}
