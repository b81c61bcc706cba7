private import Glibc
import Units

/// The audible side of a renderer: files and tones into left and right.
struct SoundVoices: ~Copyable {
  private let voices: UnsafeMutablePointer<SoundVoice>
  private let voiceCount: Int
  private var queue: VoiceQueue
  private var volume: ControlCursor
  private var pan: ControlCursor
  private var pitch: ControlCursor
  private var brightness: ControlCursor
  /// The coefficient of a one-pole low-pass over brightness 0...1; 1 lets everything through.
  private let filters: LookupCurve
  private let scratch: UnsafeMutablePointer<Float>
  private let memory: UnsafeMutablePointer<Float>

  /// The most frames of a stretch.
  private static var capacity: Int {
    @_noAllocation @_noLocks get { 256 }
  }

  init(
    events: [TimelineEvent], timeline: Timeline, configuration: RenderConfiguration,
    sounds: SoundBank
  ) {
    let rate = configuration.rate.hertz
    let placed = SoundMemory.place(
      Set(events.compactMap { $0.sound?.path }), of: sounds, rate: configuration.rate)
    memory = placed.memory
    let audible = events.compactMap { event -> SoundVoice? in
      guard !event.kind.isHaptic else { return nil }
      let source = event.sound?.path.flatMap { placed.files[$0] }
      guard event.kind == .tone || source != nil else { return nil }
      return SoundVoice(
        event: event, source: source, configuration: configuration,
        pitchControl: timeline.controls.pitch.value(at: event.start))
    }
    voiceCount = audible.count
    queue = VoiceQueue(audible.map { ($0.firstFrame, $0.endFrame) })
    voices = .allocate(capacity: max(1, voiceCount))
    for (index, voice) in audible.enumerated() { (voices + index).initialize(to: voice) }
    volume = ControlCursor(timeline.controls.volume, rate: rate)
    pan = ControlCursor(timeline.controls.pan, rate: rate)
    pitch = ControlCursor(timeline.controls.pitch, rate: rate)
    brightness = ControlCursor(timeline.controls.brightness, rate: rate)
    filters = Self.brightnessFilters(rate: rate)
    scratch = .allocate(capacity: 4 * Self.capacity)
  }

  deinit {
    voices.deinitialize(count: voiceCount)
    voices.deallocate()
    scratch.deallocate()
    memory.deallocate()
  }

  var endFrame: Int { queue.endFrame }

  /// The coefficients of brightness: 200 Hz at 0, rising a hundredfold; at 1 the filter is open.
  static func brightnessFilters(rate: Double) -> LookupCurve {
    LookupCurve(steps: 512) { b in
      b >= 1 ? 1 : 1 - exp(-2 * .pi * min(0.45, 200 * pow(100, b) / rate))
    }
  }

  @_noAllocation @_noLocks
  mutating func render(
    left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>, from start: Int,
    count: Int
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
      let until = earlier(end, earlier(queue.nextFirstFrame(), frame + Self.capacity))
      let controls = SoundVoice.Controls(
        volume: scratch, pan: scratch + Self.capacity, pitch: scratch + 2 * Self.capacity,
        brightness: scratch + 3 * Self.capacity, pitchIsNeutral: pitch.isNeutral)
      volume.fill(controls.volume, from: frame, count: until - frame)
      pan.fill(controls.pan, from: frame, count: until - frame)
      pitch.fill(controls.pitch, from: frame, count: until - frame)
      brightness.fill(controls.brightness, from: frame, count: until - frame)
      for index in 0..<queue.activeCount {
        voices[queue.place(index)].add(
          left: left + (frame - start), right: right + (frame - start), from: frame, to: until,
          controls: controls, filters: filters)
      }
      frame = until
    }
  }
}
