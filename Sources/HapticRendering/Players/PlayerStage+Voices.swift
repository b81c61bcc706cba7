// SPDX-License-Identifier: Apache-2.0

private import AHAP
import Profiles

/// An event of a player while it is felt or heard.
struct StageVoice {
  var slot: Int
  let index: Int
  let event: LiveEvent
  /// When it begins, in frames of the clock, with the fraction.
  let start: Double
  /// The gain over its life; for a tap only what cuts it.
  var gain: LiveEnvelope
  var amplitude: Float = 0
  /// What is left of the level and sharpness of another voice, whose place this one took.
  var ease = VoiceEase()
  /// Whether it went on with the vibration of another.
  var isAdopted = false
  /// The course of what is felt; a tap's is steady.
  var vibration = VibrationVoice(sharpness: 0, turns: 0, steadyStep: 0, phase: 0)
  var sound = SoundVoice(age: 0, speed: 1, toneTurns: 0)
}

/// The differences between the level and sharpness that were and those that are to be, on their way to nothing.
struct VoiceEase {
  private var start = 0
  private var frames = 0.0
  private var level: Float = 0
  private var sharpness: Float = 0

  @_noAllocation @_noLocks
  init() {}

  @_noAllocation @_noLocks
  init(level: Float, sharpness: Float = 0, from start: Int, frames: Double) {
    self.level = level
    self.sharpness = sharpness
    self.start = start
    self.frames = frames
  }

  /// Whether anything is left at a frame.
  @_noAllocation @_noLocks
  func isActive(at frame: Int) -> Bool {
    (level != 0 || sharpness != 0) && Double(frame - start) < frames
  }

  /// Whether the sharpness has still to move at a frame.
  @_noAllocation @_noLocks
  func movesSharpness(at frame: Int) -> Bool { sharpness != 0 && Double(frame - start) < frames }

  @_noAllocation @_noLocks @inline(__always)
  func level(at frame: Int) -> Float {
    level * rest(at: frame)
  }

  @_noAllocation @_noLocks @inline(__always)
  func sharpness(at frame: Int) -> Float { sharpness * rest(at: frame) }

  @inline(__always)
  private func rest(at frame: Int) -> Float {
    let left = 1 - Double(frame - start) / frames
    return left > 0 ? Float(left) : 0
  }
}

/// Voices in the order of their beginnings; the stage owns the memory.
struct VoiceList {
  let first: UnsafeMutablePointer<StageVoice>
  var count = 0
}

extension PlayerStage {
  /// Begins an event at a time, of which so many seconds have passed before.
  @_noAllocation @_noLocks
  mutating func begin(_ slot: Int, _ index: Int, at time: Double, age: Double) {
    begin(slots[slot].program.events[index], slot, index, at: time, age: age)
  }

  /// Begins an event, which has the number -1 where it is none of the slot's program: that is told to nobody.
  @_noAllocation @_noLocks
  mutating func begin(
    _ event: LiveEvent, _ slot: Int, _ index: Int, at time: Double, age: Double
  ) {
    guard (event.isFelt ? felt.count : heard.count) < voiceCapacity else {
      tell(.dropped(event: index), of: slot, at: time)
      return
    }
    if index >= 0 { tell(.began(event: index, age: age), of: slot, at: time) }
    slots[slot].voiceCount += 1
    let start = time * rate
    var voice = StageVoice(
      slot: slot, index: index, event: event, start: start, gain: LiveEnvelope(start: start))
    if !event.isTap, event.sound.usesEnvelope {
      let id: DynamicParameterID = event.isFelt ? .hapticAttackTime : .audioAttackTime
      voice.gain = LiveEnvelope(
        start: (time - age) * rate,
        attack: times.frames(event.attack, control: control(slot, id).value(at: time)),
        isSustained: event.isSustained)
    }
    if event.isTap {
      shapeTap(&voice, at: time)
    } else if event.isFelt {
      let offset = Float(control(slot, .hapticSharpness).value(at: time))
      let turns =
        laws.hasProfile
        ? laws.vibrations.value(intensity: event.intensity, sharpness: event.sharpness + offset)
          .turns : turns(of: event, offset: offset)
      voice.vibration = VibrationVoice(
        sharpness: event.sharpness, turns: event.turns,
        steadyStep: phaseUnits(ofTurns: Double(event.turns < 0.5 ? event.turns : 0.5)),
        phase: phaseUnits(ofTurns: (Double(frame) - start) * Double(turns)))
    } else {
      let pitch = event.sound.pitch + Float(control(slot, .audioPitch).value(at: time))
      voice.sound = SoundVoice(
        age: Double(frame) - start + age * rate,
        speed: Double(powerOfTwo(pitch < -1 ? -1 : pitch > 1 ? 1 : pitch)),
        toneTurns: laws.toneTurns)
      voice.sound.wrap(event.sound)
    }
    if event.isFelt {
      (felt.first + felt.count).initialize(to: voice)
      felt.count += 1
    } else {
      (heard.first + heard.count).initialize(to: voice)
      heard.count += 1
    }
  }

  private func shapeTap(_ voice: inout StageVoice, at time: Double) {
    let (slot, event) = (voice.slot, voice.event)
    let led = voice.index < 0 ? 1 : Float(control(slot, .hapticIntensity).value(at: time))
    let product = event.intensity * led
    let level = product > 0 ? (product < 1 ? product : 1) : 0
    let offset =
      sharpnessControlMovesTaps && voice.index >= 0
      ? Float(control(slot, .hapticSharpness).value(at: time)) : 0
    var turns: Float
    if laws.hasProfile {
      (voice.amplitude, turns) = laws.taps.value(
        intensity: level, sharpness: event.sharpness + offset)
    } else {
      stretch.levels[0] = level
      laws.levelLaw.apply(to: stretch.levels, count: 1)
      voice.amplitude = stretch.levels[0]
      turns = self.turns(of: event, offset: offset)
    }
    if turns > Float(highestTurns) { turns = Float(highestTurns) }
    voice.vibration = VibrationVoice(
      sharpness: event.sharpness, turns: turns, steadyStep: phaseUnits(ofTurns: Double(turns)),
      phase: phaseUnits(ofTurns: laws.tapPhase + (Double(frame) - voice.start) * Double(turns)))
  }

  /// Turns a frame of an event whose sharpness is moved; without a profile.
  private func turns(of event: LiveEvent, offset: Float) -> Float {
    guard offset != 0 else { return event.turns }
    stretch.sharpnessControl[0] = offset
    laws.turnLaw.convert(stretch.sharpnessControl, count: 1)
    laws.turnLaw.fillSteps(
      stretch.phases, turns: event.turns, sharpness: event.sharpness,
      control: stretch.sharpnessControl, count: 1)
    return Float(stretch.phases[0]) * 0x1p-32
  }

  /// Turns a frame of a sharpness; with a profile nobody asks for them.
  @_noAllocation @_noLocks
  func turns(ofSharpness sharpness: Float) -> Float {
    guard !laws.hasProfile else { return 0 }
    return laws.turnLaw.turns(ofSharpness: sharpness)
  }

  /// A voice of all, those that are felt first.
  private func voice(_ index: Int) -> UnsafeMutablePointer<StageVoice> {
    index < felt.count ? felt.first + index : heard.first + (index - felt.count)
  }

  /// When the first voice that is held comes to its release; infinite where none does.
  @_noAllocation @_noLocks
  func nextRelease() -> Double {
    var next = Double.infinity
    for index in 0..<(felt.count + heard.count) {
      let time = releaseTime(of: voice(index))
      if time < next { next = time }
    }
    return next
  }

  private func releaseTime(of voice: UnsafeMutablePointer<StageVoice>) -> Double {
    guard !voice.pointee.event.isTap, voice.pointee.gain.isHeld else { return .infinity }
    let transport = slots[voice.pointee.slot].transport
    let held =
      voice.pointee.event.isSustained
      ? transport.time(of: voice.pointee.event.holdEnd) : .infinity
    // A sound file that is ramped in and out is released before it is over.
    let source = voice.pointee.event.sound
    guard source.usesEnvelope, let fileFrames = source.fileFrames else { return held }
    let half = Double(fileFrames) / 2
    let wanted = releaseFrames(voice, at: time)
    let left = voice.pointee.sound.framesLeft(of: source)
    let ramped = (Double(frame) + left - (wanted < half ? wanted : half)) / rate
    return ramped < held ? ramped : held
  }

  /// The frames of a release; a file without an envelope is cut at its duration, with no ramp.
  private func releaseFrames(_ voice: UnsafeMutablePointer<StageVoice>, at time: Double) -> Double {
    guard voice.pointee.event.sound.usesEnvelope else { return 0 }
    let id: DynamicParameterID =
      voice.pointee.event.isFelt ? .hapticReleaseTime : .audioReleaseTime
    return times.frames(
      voice.pointee.event.release, control: control(voice.pointee.slot, id).value(at: time))
  }

  /// Releases the voices that have come to the end of their duration.
  @_noAllocation @_noLocks
  mutating func releaseVoices(dueAt time: Double) {
    for index in 0..<(felt.count + heard.count) where releaseTime(of: voice(index)) <= time {
      release(voice(index), at: time)
    }
  }

  /// Releases what a player holds, before its own end: the play turns, or has ended.
  ///
  /// At its end only what would never end by itself is released: a sound that is longer than the pattern
  /// counts it, because its pitch was lowered, is heard to its end.
  @_noAllocation @_noLocks
  mutating func releaseVoices(of slot: Int, at time: Double, onlyEndless: Bool = false) {
    for index in 0..<(felt.count + heard.count) {
      let voice = self.voice(index)
      let event = voice.pointee.event
      guard voice.pointee.slot == slot, !event.isTap, event.isSustained, voice.pointee.gain.isHeld,
        !onlyEndless || event.isFelt || event.sound.loops
      else { continue }
      release(voice, at: time)
    }
  }

  private mutating func release(_ voice: UnsafeMutablePointer<StageVoice>, at time: Double) {
    tell(.left(event: voice.pointee.index), of: voice.pointee.slot, at: time)
    voice.pointee.gain.release(at: time * rate, frames: releaseFrames(voice, at: time))
  }

  @_noAllocation @_noLocks
  mutating func cutVoices(of slot: Int, at time: Double) {
    for index in 0..<(felt.count + heard.count) where voice(index).pointee.slot == slot {
      let voice = self.voice(index)
      if voice.pointee.gain.isHeld, voice.pointee.index >= 0 {
        tell(.left(event: voice.pointee.index), of: slot, at: time)
      }
      voice.pointee.gain.cut(at: time * rate, frames: times.cutFrames)
    }
  }

  /// Takes away the voices of which nothing is left at the stage's frame.
  @_noAllocation @_noLocks
  mutating func dropEndedVoices() {
    felt.count = dropEnded(felt)
    heard.count = dropEnded(heard)
  }

  private mutating func dropEnded(_ voices: VoiceList) -> Int {
    var kept = 0
    for index in 0..<voices.count {
      let voice = voices.first + index
      guard
        voice.pointee.gain.isOver(at: frame)
          || voice.pointee.sound.isOver(voice.pointee.event.sound)
          || (voice.pointee.event.isTap && Double(frame) >= voice.pointee.start + laws.tapFrames)
      else {
        if kept != index { voices.first[kept] = voice.pointee }
        kept += 1
        continue
      }
      let slot = voice.pointee.slot
      slots[slot].voiceCount -= 1
      removeIfDone(slot, at: time)
    }
    return kept
  }
}
