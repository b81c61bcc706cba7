// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Units

/// The audible side of a renderer: files and tones into left and right.
struct SoundVoices: ~Copyable {
  private let sounds: UnsafeMutablePointer<PlacedSound>
  private let samples: UnsafeMutablePointer<Float>
  private var queue: VoiceQueue
  private var volume: ControlCursor
  private var pan: ControlCursor
  private var pitch: ControlCursor
  private var brightness: ControlCursor

  init(
    events: [TimelineEvent], timeline: Timeline, configuration: RenderConfiguration,
    bank: SoundBank, laws: borrowing RenderLaws
  ) {
    let rate = configuration.rate.hertz
    let placed = SoundMemory.place(
      events.compactMap { $0.sound?.path }, of: bank, rate: configuration.rate)
    samples = placed.memory
    var audible: [PlacedSound] = []
    for event in events where !event.kind.isHaptic {
      let file = event.sound?.path.flatMap { placed.files[$0] }
      guard event.kind == .tone || file != nil else { continue }
      audible.append(
        PlacedSound(
          event, file: file, rate: rate, toneTurns: laws.toneTurns,
          pitchControl: timeline.controls.pitch.value(at: event.start)))
    }
    queue = VoiceQueue(audible.map { ($0.firstFrame, $0.endFrame) })
    sounds = .allocate(capacity: max(1, audible.count))
    for (index, sound) in audible.enumerated() { (sounds + index).initialize(to: sound) }
    volume = ControlCursor(timeline.controls.volume, rate: rate)
    pan = ControlCursor(timeline.controls.pan, rate: rate)
    pitch = ControlCursor(timeline.controls.pitch, rate: rate)
    brightness = ControlCursor(timeline.controls.brightness, rate: rate)
  }

  deinit {
    sounds.deallocate()
    samples.deallocate()
  }

  var endFrame: Int { queue.endFrame }

  @_noAllocation @_noLocks
  mutating func render(
    left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>, from start: Int,
    count: Int, laws: borrowing RenderLaws, memory: borrowing StretchMemory
  ) {
    for index in 0..<count {
      left[index] = 0
      right[index] = 0
    }
    var frame = start
    let end = start + count
    while frame < end {
      queue.update(at: frame)
      guard queue.activeCount > 0 else {
        frame = earlier(end, queue.nextFirstFrame())
        continue
      }
      let until = earlier(end, earlier(queue.nextFirstFrame(), frame + StretchMemory.capacity))
      volume.fill(memory.volume, from: frame, count: until - frame)
      pan.fill(memory.pan, from: frame, count: until - frame)
      pitch.fill(memory.pitch, from: frame, count: until - frame)
      brightness.fill(memory.brightness, from: frame, count: until - frame)
      for index in 0..<queue.activeCount {
        let sound = sounds + queue.place(index)
        let length = earlier(until, sound.pointee.endFrame) - frame
        guard length > 0 else { continue }
        sound.pointee.fillGains(memory.gains, from: frame, count: length)
        sound.pointee.voice.add(
          sound.pointee.source, left: left + (frame - start), right: right + (frame - start),
          count: length, steadySpeed: pitch.isNeutral ? sound.pointee.steadySpeed : nil,
          laws: laws, memory: memory)
      }
      frame = until
    }
  }
}

private struct PlacedSound {
  let firstFrame: Int
  let endFrame: Int
  let source: SoundSource
  /// The speed at the event's own pitch, where no control moves it.
  let steadySpeed: Double
  private let envelope: EnvelopeFrames
  var voice: SoundVoice

  /// Takes the pitch control's value at the event's start.
  init(
    _ event: TimelineEvent, file: SoundMemory?, rate: Double, toneTurns: Double,
    pitchControl: Double
  ) {
    let start = event.start * rate
    let sound = event.sound ?? TimelineEvent.Sound()
    // Without an envelope a file is cut at its duration, with no ramp.
    source = SoundSource(
      volume: Float(sound.volume), pan: Float(sound.pan), pitch: Float(sound.pitch),
      brightness: Float(sound.brightness), usesEnvelope: sound.path == nil || sound.usesEnvelope,
      loops: sound.loops, file: file)
    firstFrame = frame(atOrAfter: start)
    endFrame = frame(
      atOrAfter: start
        + (source.usesEnvelope ? event.envelope.end : event.envelope.duration) * rate)
    envelope = EnvelopeFrames(event.envelope, start: start, rate: rate)
    steadySpeed = exp2(min(1, max(-1, sound.pitch)))
    // What is heard at the first frame has begun a part of a frame before.
    voice = SoundVoice(
      age: Double(firstFrame) - start,
      speed: exp2(min(1, max(-1, sound.pitch + pitchControl))), toneTurns: toneTurns)
  }

  @_noAllocation @_noLocks
  func fillGains(_ gains: UnsafeMutablePointer<Float>, from: Int, count: Int) {
    guard source.usesEnvelope, !envelope.holds(from, from + count) else {
      for index in 0..<count { gains[index] = 1 }
      return
    }
    for index in 0..<count {
      let frame = from + index
      gains[index] = envelope.holds(frame, frame + 1) ? 1 : envelope.gain(at: frame)
    }
  }
}
