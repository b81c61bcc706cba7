import Perception
import Units

/// The haptic side of a renderer: taps and vibrations into one drive.
struct HapticVoices: ~Copyable {
  /// How many frames the soft limit has lowered so far.
  private(set) var limitedFrames = 0

  private var taps: TransientPool
  private let vibrations: UnsafeMutablePointer<ContinuousVoice>
  private var vibrationQueue: VoiceQueue
  private var controls: VibrationControls
  private let limit: SoftLimit

  init(
    events: [TimelineEvent], timeline: Timeline, configuration: RenderConfiguration,
    turnLaw: TurnLaw
  ) {
    let rate = configuration.rate.hertz
    let intent = Intent(timeline: timeline, configuration: configuration)
    var seeds: [TransientSeed] = []
    var voices: [ContinuousVoice] = []
    for event in events {
      switch event.kind {
      case .transient:
        let level = intent.intensity(of: event, at: event.start)
        let frequency = intent.frequency(of: event, at: event.start)
        seeds.append(
          TransientSeed(
            start: event.start * rate, frames: configuration.transientShape.length * rate,
            amplitude: configuration.fullScale * configuration.intensityLaw.share(of: level),
            radiansPerFrame: 2 * .pi * min(0.45, frequency / rate),
            waveform: configuration.waveform))
      case .continuous:
        voices.append(
          ContinuousVoice(
            event: event, intent: intent, configuration: configuration, turnLaw: turnLaw))
      case .tone, .sound: continue
      }
    }
    taps = TransientPool(seeds)
    vibrationQueue = VoiceQueue(voices.map { ($0.firstFrame, $0.endFrame) })
    vibrations = .allocate(capacity: max(1, voices.count))
    for (index, voice) in voices.enumerated() { (vibrations + index).initialize(to: voice) }
    controls = VibrationControls(
      timeline.controls, configuration: configuration, turnLaw: turnLaw)
    limit = SoftLimit(configuration.mixingLaw, fullScale: configuration.fullScale)
  }

  deinit { vibrations.deallocate() }

  var endFrame: Int { max(taps.endFrame, vibrationQueue.endFrame) }

  @_noAllocation @_noLocks
  mutating func render(
    to output: UnsafeMutablePointer<Float>, from start: Int, count: Int
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
        until = earlier(until, frame + VibrationControls.capacity)
        taps.add(to: part, from: frame, to: until)
        addVibrations(to: part, from: frame, to: until)
      }
      // One event alone is never above full scale.
      if taps.activeCount + vibrationQueue.activeCount > 1 {
        limitedFrames += limit.apply(to: part, count: until - frame)
      }
      frame = until
    }
  }

  @_noAllocation @_noLocks
  private mutating func addVibrations(
    to output: UnsafeMutablePointer<Float>, from: Int, to: Int
  ) {
    controls.fill(from: from, count: to - from, taps: taps)
    for index in 0..<vibrationQueue.activeCount {
      vibrations[vibrationQueue.place(index)].add(
        to: output, from: from, to: to, controls: controls)
    }
  }
}
