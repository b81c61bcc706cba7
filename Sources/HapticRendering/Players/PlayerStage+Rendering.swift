// SPDX-License-Identifier: Apache-2.0

import AHAP
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
    if felt.count == 0 { hapticGain = isHapticMuted ? 0 : 1 }
    if heard.count == 0 { audioGain = isAudioMuted ? 0 : 1 }
    while frame < end {
      settle()
      let due = firstFrame(notBefore: nextTime())
      let until = earlier(earlier(end, due), frame + StretchMemory.capacity)
      let (place, length) = (frame - start, until - frame)
      addFelt(to: haptic + place, count: length)
      addHeard(left: left + place, right: right + place, count: length)
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

  private func nextTime() -> Double {
    earliest(nextRelease(), earliest(nextPlay().time, queue.nextTime()))
  }

  /// The play that does something first, and when; of one time one that ends or turns.
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
  private func firstFrame(notBefore time: Double) -> Int {
    let position = time * rate - 1e-6
    guard position < 0x1p52 else { return Int.max }
    guard position > 0 else { return 0 }
    let whole = Int(position)
    return Double(whole) < position ? whole + 1 : whole
  }

  @inline(__always)
  private func earliest(_ a: Double, _ b: Double) -> Double { a < b ? a : b }

  private mutating func addFelt(to output: UnsafeMutablePointer<Float>, count: Int) {
    guard felt.count > 0, count > 0 else { return }
    for index in 0..<felt.count {
      let voice = felt.first + index
      fillGains(voice, count: count, decay: .hapticDecayTime)
      guard !voice.pointee.event.isTap else {
        fillTap(voice, count: count)
        voice.pointee.vibration.addSteady(to: output, count: count, laws: laws, memory: stretch)
        continue
      }
      let (slot, intensity) = (voice.pointee.slot, voice.pointee.event.intensity)
      fill(stretch.levels, control(slot, .hapticIntensity), count: count)
      for place in 0..<count { stretch.levels[place] *= intensity * stretch.gains[place] }
      let ease = voice.pointee.ease
      if ease.isActive(at: frame) {
        for place in 0..<count {
          let level = stretch.levels[place] + ease.level(at: frame + place)
          stretch.levels[place] = level > 0 ? (level < 1 ? level : 1) : 0
        }
      }
      let sharpness = control(slot, .hapticSharpness)
      let movesSharpness = !sharpness.isZero() || ease.movesSharpness(at: frame)
      if movesSharpness {
        fill(
          stretch.sharpnessControl, sharpness, count: count, advance: laws.hasProfile ? 0 : 0.5)
        if ease.movesSharpness(at: frame) {
          for place in 0..<count {
            stretch.sharpnessControl[place] += ease.sharpness(at: frame + place)
          }
        }
        if !laws.hasProfile { laws.turnLaw.convert(stretch.sharpnessControl, count: count) }
      }
      voice.pointee.vibration.add(
        to: output, count: count, movesSharpness: movesSharpness, isDucked: false, laws: laws,
        memory: stretch)
    }
    guard !laws.hasProfile, felt.count > 1 else { return }
    _ = laws.limit.apply(to: output, count: count)
  }

  private func fillTap(_ voice: UnsafeMutablePointer<StageVoice>, count: Int) {
    let (levels, gains) = (stretch.levels, stretch.gains)
    let (start, amplitude) = (voice.pointee.start, voice.pointee.amplitude)
    let halfTurnsPerFrame = 1 / laws.tapFrames
    for index in 0..<count {
      let age = Double(frame + index) - start
      let turn = 0.5 * halfTurnsPerFrame * age
      // A quarter of a turn ahead the sine is the cosine; after half a turn the tap is over.
      let fall = turn < 0.5 ? 0.5 + 0.5 * sine(ofPhase: phaseUnits(ofTurns: 0.25 + turn)) : 0
      levels[index] = amplitude * gains[index] * fall
    }
  }

  private mutating func addHeard(
    left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>, count: Int
  ) {
    guard count > 0 else { return }
    for index in 0..<heard.count {
      let voice = heard.first + index
      let slot = voice.pointee.slot
      fillGains(voice, count: count, decay: .audioDecayTime)
      let ease = voice.pointee.ease
      if ease.isActive(at: frame) {
        for place in 0..<count { stretch.gains[place] *= 1 + ease.level(at: frame + place) }
      }
      fill(stretch.volume, control(slot, .audioVolume), count: count)
      fill(stretch.pan, control(slot, .audioPan), count: count)
      fill(stretch.pitch, control(slot, .audioPitch), count: count)
      fill(stretch.brightness, control(slot, .audioBrightness), count: count)
      voice.pointee.sound.add(
        voice.pointee.event.sound, left: left, right: right, count: count, laws: laws,
        memory: stretch)
    }
  }

  private func fill(
    _ values: UnsafeMutablePointer<Float>, _ control: LiveControl, count: Int,
    advance: Double = 0
  ) {
    for index in 0..<count {
      values[index] = Float(control.value(at: (Double(frame + index) + advance) / rate))
    }
  }

  /// Fills the gains of a voice: its envelope, and what muting leaves of its player.
  private func fillGains(
    _ voice: UnsafeMutablePointer<StageVoice>, count: Int, decay: DynamicParameterID
  ) {
    let slot = voice.pointee.slot
    settleDecay(voice, before: frame + count, decay)
    let (gains, envelope) = (stretch.gains, voice.pointee.gain)
    if envelope.holds(frame, frame + count) {
      for index in 0..<count { gains[index] = 1 }
    } else {
      for index in 0..<count { gains[index] = envelope.gain(at: frame + index) }
    }
    let (gain, wanted) = (slots[slot].gain, slots[slot].wantedGain)
    guard gain != 1 || wanted != 1 else { return }
    for index in 0..<count { gains[index] *= moved(gain, to: wanted, frames: index) }
  }

  /// Fixes the fall of a voice that is not sustained, once its attack is over.
  @_noAllocation @_noLocks
  func settleDecay(
    _ voice: UnsafeMutablePointer<StageVoice>, before end: Int, _ decay: DynamicParameterID
  ) {
    guard voice.pointee.gain.needsDecay(before: end) else { return }
    let begins = (voice.pointee.gain.start + voice.pointee.gain.attack) / rate
    let control = control(voice.pointee.slot, decay).value(at: begins)
    voice.pointee.gain.setDecay(times.frames(voice.pointee.event.decay, control: control))
  }

  /// A gain on its way for some frames.
  @inline(__always)
  private func moved(_ gain: Float, to wanted: Float, frames: Int) -> Float {
    let way = Float(frames) / Float(times.cutFrames)
    if gain < wanted { return gain + way < wanted ? gain + way : wanted }
    return gain - way > wanted ? gain - way : wanted
  }

  private mutating func moveGains(by count: Int) {
    for slot in 0..<usedSlots where isUsed[slot] {
      let wanted = slots[slot].wantedGain
      guard slots[slot].gain != wanted else { continue }
      slots[slot].gain = moved(slots[slot].gain, to: wanted, frames: count)
    }
  }

  /// Applies what muting leaves of all players together.
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
