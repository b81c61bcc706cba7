import Profiles

extension PlayerStage {
  /// Renders the next frames, replacing what the outputs hold; all have one length.
  ///
  /// *Render thread*: no allocation, no lock. The cost grows with what is felt and heard.
  @_noAllocation @_noLocks
  public mutating func render(
    haptic output: inout MutableSpan<Float>, left: inout MutableSpan<Float>,
    right: inout MutableSpan<Float>
  ) {
    let count = output.count
    precondition(left.count == count && right.count == count)
    if let haptic = memory(of: &output), let left = memory(of: &left),
      let right = memory(of: &right)
    {
      render(haptic: haptic, left: left, right: right, count: count)
    }
  }

  /// Renders the next frames into memory of the caller's, `count` samples of each.
  @_noAllocation @_noLocks
  public mutating func render(
    haptic: UnsafeMutablePointer<Float>, left: UnsafeMutablePointer<Float>,
    right: UnsafeMutablePointer<Float>, count: Int
  ) {
    let start = frame
    let end = frame + count
    for index in 0..<count {
      haptic[index] = 0
      left[index] = 0
      right[index] = 0
    }
    // Where nothing is felt or heard, muting has nothing to fade: what begins now is muted from its onset.
    if vibrationCount == 0 { hapticGain = isHapticMuted ? 0 : 1 }
    if soundCount == 0 { audioGain = isAudioMuted ? 0 : 1 }
    while frame < end {
      settle()
      let due = firstFrame(notBefore: nextTime())
      let until = earlier(earlier(end, due), frame + StageScratch.capacity)
      let (place, length) = (frame - start, until - frame)
      addVibrations(to: haptic + place, count: length)
      addSounds(left: left + place, right: right + place, count: length)
      moveGains(by: length)
      frame = until
      dropEndedVoices()
    }
    settleGains(haptic, left, right, count: count)
    // What is due at the next frame is done when that is rendered.
    if laws.hasProfile {
      for index in 0..<count { haptic[index] = inverse.advance(haptic[index]) }
    }
    for index in 0..<count { haptic[index] = limiter.limit(haptic[index]) }
  }

  /// Does everything that is due by the stage's frame, in the order of time.
  @_noAllocation @_noLocks
  private mutating func settle() {
    while true {
      let release = nextRelease()
      let (slot, play) = nextPlay()
      let asked = queue.nextTime()
      let next = earliest(release, earliest(play, asked))
      guard firstFrame(notBefore: next) <= frame else { return }
      // What a change has put into the past happens with the change.
      if next > settledTime { settledTime = next }
      if release <= next {
        releaseVoices(dueAt: settledTime)
      } else if play <= next, slots[slot].transport.edge <= next {
        advance(slot, at: settledTime)
      } else if asked <= next {
        perform(queue.removeFirst(), at: settledTime)
      } else {
        advance(slot, at: settledTime)
      }
    }
  }

  /// When something is due next, in seconds of the clock.
  @_noAllocation @_noLocks
  private func nextTime() -> Double {
    earliest(nextRelease(), earliest(nextPlay().time, queue.nextTime()))
  }

  /// The play that does something first, and when; of one time one that ends or turns.
  @_noAllocation @_noLocks
  private func nextPlay() -> (slot: Int, time: Double) {
    var first = (slot: 0, time: Double.infinity)
    var isEdge = false
    for slot in 0..<usedSlots where isUsed[slot] {
      let time = nextTime(of: slot)
      guard time < first.time || (time == first.time && !isEdge && time < .infinity) else {
        continue
      }
      let edge = slots[slot].transport.edge <= time
      if time < first.time || edge { first = (slot, time) }
      isEdge = edge
    }
    return first
  }

  /// The first whole frame that is not before a time; as `frame(atOrAfter:)` has it.
  @_noAllocation @_noLocks
  private func firstFrame(notBefore time: Double) -> Int {
    let position = time * rate - 1e-6
    guard position < 0x1p52 else { return Int.max }
    guard position > 0 else { return 0 }
    let whole = Int(position)
    return Double(whole) < position ? whole + 1 : whole
  }

  @_noAllocation @_noLocks @inline(__always)
  private func earliest(_ a: Double, _ b: Double) -> Double { a < b ? a : b }

  @_noAllocation @_noLocks
  private mutating func addVibrations(to output: UnsafeMutablePointer<Float>, count: Int) {
    guard vibrationCount > 0, count > 0 else { return }
    for index in 0..<vibrationCount {
      let slot = vibrations[index].slot
      if vibrations[index].event.isTap {
        fillGains(slot, vibrations[index].gain, count: count)
        (vibrations + index).pointee.addTap(
          to: output, gains: scratch.gains, from: frame, count: count,
          halfTurnsPerFrame: 1 / laws.tapFrames, isTone: laws.isTone)
        continue
      }
      if vibrations[index].gain.needsDecay(before: frame + count) {
        let event = vibrations[index].event
        let begins = (vibrations[index].gain.start + vibrations[index].gain.attack) / rate
        vibrations[index].gain.setDecay(
          laws.frames(event.decay, control: control(slot, .hapticDecay).value(at: begins)))
      }
      fillGains(slot, vibrations[index].gain, count: count)
      fillLevels(vibrations[index].event, slot: slot, count: count)
      guard laws.isTone else {
        for place in 0..<count { output[place] += scratch.levels[place] }
        continue
      }
      (vibrations + index).pointee.addTone(
        to: output, amplitudes: scratch.levels, steps: scratch.steps, count: count)
    }
    guard !laws.hasProfile, vibrationCount > 1 else { return }
    _ = laws.limit.apply(to: output, count: count)
  }

  /// Fills amplitudes and steps of the phase of a vibration.
  @_noAllocation @_noLocks
  private func fillLevels(_ event: LiveEvent, slot: Int, count: Int) {
    let (levels, bends, steps) = (scratch.levels, scratch.bends, scratch.steps)
    let (intensity, sharpness) = (control(slot, .hapticIntensity), control(slot, .hapticSharpness))
    fill(levels, intensity, count: count)
    for index in 0..<count { levels[index] *= event.intensity * scratch.gains[index] }
    let isSteady = sharpness.isZero()
    if !isSteady { fill(bends, sharpness, count: count, advance: laws.hasProfile ? 0 : 0.5) }
    if laws.hasProfile {
      for index in 0..<count {
        let command = laws.vibrations.value(
          intensity: levels[index],
          sharpness: isSteady ? event.sharpness : event.sharpness + bends[index])
        levels[index] = command.amplitude
        steps[index] = phaseUnits(ofTurns: Double(command.turns))
      }
      return
    }
    laws.levelLaw.apply(to: levels, count: count)
    guard !isSteady else {
      let step = phaseUnits(ofTurns: Double(event.turns < 0.5 ? event.turns : 0.5))
      for index in 0..<count { steps[index] = step }
      return
    }
    laws.turnLaw.bend(bends, count: count)
    switch laws.turnLaw.joining {
    case .multiplies:
      for index in 0..<count { steps[index] = laws.turnLaw.step(event.turns * bends[index]) }
    case .adds:
      for index in 0..<count { steps[index] = laws.turnLaw.step(event.turns + bends[index]) }
    case .bends:
      for index in 0..<count {
        steps[index] = laws.turnLaw.step(laws.turnLaw.pinned(event.sharpness + bends[index]))
      }
    }
  }

  @_noAllocation @_noLocks
  private mutating func addSounds(
    left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>, count: Int
  ) {
    guard soundCount > 0, count > 0 else { return }
    let lines = SoundLine.Controls(scratch.sound, capacity: StageScratch.capacity)
    for index in 0..<soundCount {
      let slot = sounds[index].slot
      if sounds[index].gain.needsDecay(before: frame + count) {
        let event = sounds[index].event
        let begins = (sounds[index].gain.start + sounds[index].gain.attack) / rate
        sounds[index].gain.setDecay(
          laws.frames(event.decay, control: control(slot, .audioDecay).value(at: begins)))
      }
      fillGains(slot, sounds[index].gain, count: count)
      fill(lines.volume, control(slot, .audioVolume), count: count)
      fill(lines.pan, control(slot, .audioPan), count: count)
      fill(lines.pitch, control(slot, .audioPitch), count: count)
      fill(lines.brightness, control(slot, .audioBrightness), count: count)
      (sounds + index).pointee.add(
        left: left, right: right, gains: scratch.gains, count: count, controls: lines,
        filters: laws.filters)
    }
  }

  /// Fills the values of a dynamic parameter from the stage's frame on.
  @_noAllocation @_noLocks
  private func fill(
    _ values: UnsafeMutablePointer<Float>, _ control: LiveControl, count: Int,
    advance: Double = 0
  ) {
    for index in 0..<count {
      values[index] = Float(control.value(at: (Double(frame + index) + advance) / rate))
    }
  }

  /// Fills the gains of a voice: its envelope, and what muting leaves of its player.
  @_noAllocation @_noLocks
  private func fillGains(_ slot: Int, _ envelope: LiveEnvelope, count: Int) {
    let gains = scratch.gains
    if envelope.holds(frame, frame + count) {
      for index in 0..<count { gains[index] = 1 }
    } else {
      for index in 0..<count { gains[index] = envelope.gain(at: frame + index) }
    }
    let (gain, wanted) = (slots[slot].gain, slots[slot].wantedGain)
    guard gain != 1 || wanted != 1 else { return }
    for index in 0..<count { gains[index] *= moved(gain, to: wanted, frames: index) }
  }

  /// A gain on its way for some frames.
  @_noAllocation @_noLocks @inline(__always)
  private func moved(_ gain: Float, to wanted: Float, frames: Int) -> Float {
    let way = Float(frames) / Float(laws.cutFrames)
    if gain < wanted { return gain + way < wanted ? gain + way : wanted }
    return gain - way > wanted ? gain - way : wanted
  }

  @_noAllocation @_noLocks
  private mutating func moveGains(by count: Int) {
    for slot in 0..<usedSlots where isUsed[slot] {
      let wanted = slots[slot].wantedGain
      guard slots[slot].gain != wanted else { continue }
      slots[slot].gain = moved(slots[slot].gain, to: wanted, frames: count)
    }
  }

  /// Applies what muting leaves of all players together.
  @_noAllocation @_noLocks
  private mutating func settleGains(
    _ haptic: UnsafeMutablePointer<Float>, _ left: UnsafeMutablePointer<Float>,
    _ right: UnsafeMutablePointer<Float>, count: Int
  ) {
    let (felt, heard) = (isHapticMuted ? Float(0) : 1, isAudioMuted ? Float(0) : 1)
    if hapticGain != 1 || felt != 1 {
      for index in 0..<count { haptic[index] *= moved(hapticGain, to: felt, frames: index) }
      hapticGain = moved(hapticGain, to: felt, frames: count)
    }
    if audioGain != 1 || heard != 1 {
      for index in 0..<count {
        let gain = moved(audioGain, to: heard, frames: index)
        left[index] *= gain
        right[index] *= gain
      }
      audioGain = moved(audioGain, to: heard, frames: count)
    }
  }
}

/// Where a span's samples lie; used only while the caller holds the span exclusively.
@_noAllocation @_noLocks @inline(__always)
private func memory(of span: inout MutableSpan<Float>) -> UnsafeMutablePointer<Float>? {
  span.withUnsafeMutableBufferPointer { $0.baseAddress }
}
