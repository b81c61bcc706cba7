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
  private let scratch: UnsafeMutablePointer<Float>
  private let memory: UnsafeMutablePointer<Float>

  init(
    events: [TimelineEvent], timeline: Timeline, configuration: RenderConfiguration,
    sounds: SoundBank
  ) {
    let rate = configuration.rate.hertz
    let paths = Set(events.compactMap { $0.sound?.path }).sorted()
    let used = paths.compactMap { path in sounds.sounds[path].map { (path, $0) } }
    // Two frames of silence around each channel keep the cubic inside the memory.
    let size = used.reduce(1) { $0 + $1.1.reduce(0) { $0 + $1.samples.count + 4 } }
    memory = .allocate(capacity: size)
    memory.initialize(repeating: 0, count: size)
    var sources: [String: SoundVoice.Source] = [:]
    var place = 0
    for (path, channels) in used {
      precondition(
        channels.allSatisfy { $0.rate == configuration.rate },
        "the sound '\(path)' must be at the rate of rendering, \(configuration.rate)")
      var pointers: [UnsafePointer<Float>] = []
      for channel in channels {
        let first = memory + place + 2
        for (index, sample) in channel.samples.enumerated() { first[index] = sample }
        pointers.append(UnsafePointer(first))
        place += channel.samples.count + 4
      }
      sources[path] = SoundVoice.Source(
        left: pointers[0], right: pointers[pointers.count - 1],
        frameCount: channels[0].samples.count)
    }
    let heard = events.compactMap { event -> SoundVoice? in
      let source = event.sound?.path.flatMap { sources[$0] }
      guard event.kind == .tone || source != nil else { return nil }
      return SoundVoice(event: event, source: source, configuration: configuration)
    }
    voiceCount = heard.count
    queue = VoiceQueue(heard.map { ($0.firstFrame, $0.endFrame) })
    voices = .allocate(capacity: max(1, voiceCount))
    for (index, voice) in heard.enumerated() { (voices + index).initialize(to: voice) }
    volume = ControlCursor(timeline.controls.volume, rate: rate)
    pan = ControlCursor(timeline.controls.pan, rate: rate)
    pitch = ControlCursor(timeline.controls.pitch, rate: rate)
    brightness = ControlCursor(timeline.controls.brightness, rate: rate)
    scratch = .allocate(capacity: HapticRenderer.stretch)
  }

  deinit {
    voices.deinitialize(count: voiceCount)
    voices.deallocate()
    scratch.deallocate()
    memory.deallocate()
  }

  var endFrame: Int { queue.endFrame }

  @_noAllocation @_noLocks
  mutating func render(
    left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>, from start: Int,
    count: Int, tables: borrowing RenderTables
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
      let stretch = frame / HapticRenderer.stretch
      let until = earlier(
        end, earlier(queue.nextFirstFrame(), (stretch + 1) * HapticRenderer.stretch))
      volume.fill(scratch, from: frame, count: until - frame)
      // Looked at where the stretch begins, wherever a caller's block cuts it.
      let look = stretch * HapticRenderer.stretch
      let controls = SoundVoice.Controls(
        volume: scratch, pan: pan.value(at: look), pitch: pitch.value(at: look),
        brightness: brightness.value(at: look))
      for index in 0..<queue.activeCount {
        voices[queue.place(index)].add(
          left: left + (frame - start), right: right + (frame - start), from: frame, to: until,
          controls: controls, tables: tables)
      }
      frame = until
    }
  }
}
