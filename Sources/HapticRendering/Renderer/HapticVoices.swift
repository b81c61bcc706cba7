// SPDX-License-Identifier: Apache-2.0

import Profiles
import Units

/// The haptic side of a renderer: taps and vibrations into one drive.
struct HapticVoices: ~Copyable {
  private let vibrations: UnsafeMutablePointer<PlacedVibration>
  private var vibrationQueue: VoiceQueue
  private var taps: TransientPool
  private var intensity: ControlCursor
  private var sharpness: ControlCursor
  private let duckingDepth: Float
  private var inverse: FeedForwardFilter
  /// The first frame after which nothing is left, the inverse's settling included.
  let endFrame: Int
  /// How many frames the soft limit has lowered so far.
  private(set) var limitedFrames = 0
  /// How many frames the inverse has held at the profile's peak so far.
  private(set) var heldFrames = 0

  init(
    events: [TimelineEvent], timeline: Timeline, configuration: RenderConfiguration,
    laws: borrowing RenderLaws
  ) {
    let rate = configuration.rate.hertz
    let intent = Intent(timeline: timeline, configuration: configuration)
    var seeds: [TransientSeed] = []
    var voices: [PlacedVibration] = []
    for event in events where event.kind == .transient {
      seeds.append(
        TransientSeed(event, intent: intent, configuration: configuration, laws: laws))
    }
    for event in events where event.kind == .continuous {
      voices.append(PlacedVibration(event, intent: intent, rate: rate, laws: laws))
    }
    taps = TransientPool(seeds)
    vibrationQueue = VoiceQueue(voices.map { ($0.firstFrame, $0.endFrame) })
    vibrations = .allocate(capacity: max(1, voices.count))
    for (index, voice) in voices.enumerated() { (vibrations + index).initialize(to: voice) }
    intensity = ControlCursor(timeline.controls.intensity, rate: rate)
    // A phase grows from one frame to the next by the frequency half way between them.
    sharpness = ControlCursor(timeline.controls.sharpness, rate: rate, advance: 0.5)
    duckingDepth = Float(1 - configuration.mixingLaw.ducking)
    inverse = configuration.inverse
    let last = max(taps.endFrame, vibrationQueue.endFrame)
    endFrame =
      laws.hasProfile && last > 0
      ? last + configuration.rate.wholeFrames(ProfileRendering.settling) : last
  }

  deinit { vibrations.deallocate() }

  /// The first frame of the next tap or vibration to begin, never below zero.
  var firstFrame: Int { max(0, min(taps.nextFirstFrame(), vibrationQueue.nextFirstFrame())) }

  @_noAllocation @_noLocks
  mutating func render(
    to output: UnsafeMutablePointer<Float>, from start: Int, count: Int,
    laws: borrowing RenderLaws, memory: borrowing StretchMemory
  ) {
    for index in 0..<count { output[index] = 0 }
    var frame = start
    let end = start + count
    while frame < end {
      taps.update(at: frame)
      vibrationQueue.update(at: frame)
      var until = earlier(end, earlier(taps.nextFirstFrame(), vibrationQueue.nextFirstFrame()))
      let part = output + (frame - start)
      if vibrationQueue.activeCount == 0 {
        // Taps need no controls: they run to where the next event begins.
        taps.add(to: part, from: frame, to: until)
      } else {
        until = earlier(until, frame + StretchMemory.capacity)
        taps.add(to: part, from: frame, to: until)
        addVibrations(to: part, from: frame, to: until, laws: laws, memory: memory)
      }
      // One event alone is never above full scale; the inverse keeps the peak by itself.
      if !laws.hasProfile, taps.activeCount + vibrationQueue.activeCount > 1 {
        limitedFrames += laws.limit.apply(to: part, count: until - frame)
      }
      frame = until
    }
    guard laws.hasProfile else { return }
    for index in 0..<count { output[index] = inverse.advance(output[index]) }
    heldFrames = inverse.limitedCount
  }

  private mutating func addVibrations(
    to output: UnsafeMutablePointer<Float>, from: Int, to: Int, laws: borrowing RenderLaws,
    memory: borrowing StretchMemory
  ) {
    let isDucked =
      duckingDepth > 0
      && taps.fillDucking(
        memory.ducking, from: from, to: to, depth: duckingDepth,
        halfTurnsPerFrame: 1 / laws.tapFrames)
    intensity.fill(memory.intensity, from: from, count: to - from)
    if !sharpness.isNeutral {
      sharpness.fill(memory.sharpnessControl, from: from, count: to - from)
      if !laws.hasProfile { laws.turnLaw.convert(memory.sharpnessControl, count: to - from) }
    }
    for index in 0..<vibrationQueue.activeCount {
      // As in `TransientPool.add`, for the thread sanitizer.
      let vibration = vibrations + vibrationQueue.place(index)
      let count = earlier(to, vibration.pointee.endFrame) - from
      guard count > 0 else { continue }
      vibration.pointee.fillLevels(memory, from: from, count: count)
      vibration.pointee.voice.add(
        to: output, count: count, movesSharpness: !sharpness.isNeutral, isDucked: isDucked,
        laws: laws, memory: memory)
    }
  }
}

private struct PlacedVibration {
  let firstFrame: Int
  let endFrame: Int
  private let envelope: EnvelopeFrames
  private let intensity: Float
  var voice: VibrationVoice

  init(
    _ event: TimelineEvent, intent: Intent, rate: Double, laws: borrowing RenderLaws
  ) {
    let start = event.start * rate
    firstFrame = frame(atOrAfter: start)
    endFrame = frame(atOrAfter: event.end * rate)
    envelope = EnvelopeFrames(event.envelope, start: start, rate: rate)
    intensity = Float(min(1, max(0, event.intensity)))
    let steady = laws.turnLaw.turns(of: event.sharpness)
    // The phase is zero where the event starts, between two frames.
    let begins = intent.sharpness(of: event, at: event.start)
    let first =
      laws.hasProfile
      ? Double(laws.vibrations.value(intensity: intensity, sharpness: Float(begins)).turns)
      : laws.turnLaw.turns(of: begins)
    voice = VibrationVoice(
      sharpness: Float(event.sharpness), turns: Float(steady),
      steadyStep: phaseUnits(ofTurns: min(0.5, steady)),
      phase: phaseUnits(ofTurns: (Double(firstFrame) - start) * min(0.5, first)))
  }

  @_noAllocation @_noLocks
  func fillLevels(_ memory: borrowing StretchMemory, from: Int, count: Int) {
    let (levels, control) = (memory.levels, memory.intensity)
    for index in 0..<count { levels[index] = intensity * control[index] }
    guard !envelope.holds(from, from + count) else { return }
    for index in 0..<count { levels[index] *= envelope.gain(at: from + index) }
  }
}
