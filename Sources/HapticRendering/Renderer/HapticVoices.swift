import Perception
import Units

/// The haptic side of a renderer: taps and vibrations into one drive.
struct HapticVoices: ~Copyable {
  private let taps: UnsafeMutablePointer<TransientVoice>
  private var tapQueue: VoiceQueue
  private let vibrations: UnsafeMutablePointer<ContinuousVoice>
  private var vibrationQueue: VoiceQueue
  private var controls: VibrationControls

  init(
    events: [TimelineEvent], timeline: Timeline, configuration: RenderConfiguration,
    turnLaw: TurnLaw
  ) {
    let rate = configuration.rate.hertz
    let intent = Intent(timeline: timeline, configuration: configuration)
    var tapVoices: [TransientVoice] = []
    var vibrationVoices: [ContinuousVoice] = []
    for event in events {
      if event.kind == .transient {
        let level = intent.intensity(of: event, at: event.start)
        let frequency = intent.frequency(of: event, at: event.start)
        tapVoices.append(
          TransientVoice(
            start: event.start * rate, frames: configuration.transientShape.length * rate,
            amplitude: configuration.fullScale * configuration.intensityLaw.share(of: level),
            radiansPerFrame: 2 * .pi * min(0.45, frequency / rate),
            waveform: configuration.waveform))
      } else {
        vibrationVoices.append(
          ContinuousVoice(
            event: event, intent: intent, configuration: configuration, turnLaw: turnLaw))
      }
    }
    tapQueue = VoiceQueue(tapVoices.map { ($0.firstFrame, $0.endFrame) })
    vibrationQueue = VoiceQueue(vibrationVoices.map { ($0.firstFrame, $0.endFrame) })
    taps = .allocate(capacity: max(1, tapVoices.count))
    for (index, voice) in tapVoices.enumerated() { (taps + index).initialize(to: voice) }
    vibrations = .allocate(capacity: max(1, vibrationVoices.count))
    for (index, voice) in vibrationVoices.enumerated() {
      (vibrations + index).initialize(to: voice)
    }
    controls = VibrationControls(timeline.controls, rate: rate, turnLaw: turnLaw)
  }

  deinit {
    taps.deallocate()
    vibrations.deallocate()
  }

  var endFrame: Int { max(tapQueue.endFrame, vibrationQueue.endFrame) }

  @_noAllocation @_noLocks
  mutating func render(
    to output: UnsafeMutablePointer<Float>, from start: Int, count: Int
  ) {
    for index in 0..<count { output[index] = 0 }
    var frame = start
    let end = start + count
    while frame < end {
      tapQueue.update(at: frame)
      vibrationQueue.update(at: frame)
      let boundary = earlier(tapQueue.nextFirstFrame(), vibrationQueue.nextFirstFrame())
      if vibrationQueue.activeCount == 0 {
        // Taps need no controls: they run to where the next event begins.
        let until = earlier(end, boundary)
        addTaps(to: output + (frame - start), from: frame, to: until)
        frame = until
        continue
      }
      let until = earlier(end, earlier(boundary, frame + VibrationControls.capacity))
      addTaps(to: output + (frame - start), from: frame, to: until)
      addVibrations(to: output + (frame - start), from: frame, to: until)
      frame = until
    }
  }

  @_noAllocation @_noLocks
  private mutating func addTaps(to output: UnsafeMutablePointer<Float>, from: Int, to: Int) {
    for index in 0..<tapQueue.activeCount {
      taps[tapQueue.place(index)].add(to: output, from: from, to: to)
    }
  }

  @_noAllocation @_noLocks
  private mutating func addVibrations(
    to output: UnsafeMutablePointer<Float>, from: Int, to: Int
  ) {
    controls.fill(from: from, count: to - from)
    for index in 0..<vibrationQueue.activeCount {
      vibrations[vibrationQueue.place(index)].add(
        to: output, from: from, to: to, controls: controls)
    }
  }
}
