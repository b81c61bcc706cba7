import Perception
import Profiles
import Units

/// The haptic side of a renderer: taps and vibrations into one drive.
struct HapticVoices: ~Copyable {
  /// How many frames the soft limit has lowered so far.
  private(set) var limitedFrames = 0
  /// How many frames the inverse has held at the profile's peak so far.
  private(set) var heldFrames = 0

  private var taps: TransientPool
  private let vibrations: UnsafeMutablePointer<ContinuousVoice>
  private var vibrationQueue: VoiceQueue
  private var controls: VibrationControls
  private let limit: SoftLimit
  /// Whether events are accelerations that the inverse turns into drive.
  private let hasProfile: Bool
  private var inverse: FeedForwardFilter

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
        let tap = TapStrength(of: event, intent: intent, configuration: configuration)
        seeds.append(
          TransientSeed(
            start: event.start * rate, frames: configuration.transientShape.length * rate,
            amplitude: tap.amplitude, radiansPerFrame: 2 * .pi * min(0.45, tap.turns),
            radians: 2 * .pi * configuration.tapPhase, waveform: configuration.waveform))
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
    hasProfile = configuration.profile != nil
    inverse =
      configuration.profile?.filter(rate: configuration.rate)
      ?? FeedForwardFilter(FeedForward(sections: [], gain: 1, leak: 0), rate: rate, peakVolts: 1)
    let last = max(taps.endFrame, vibrationQueue.endFrame)
    endFrame =
      hasProfile && last > 0
      ? last + configuration.rate.wholeFrames(ProfileRendering.settling) : last
  }

  deinit { vibrations.deallocate() }

  /// The first frame of the next tap or vibration to begin, never below zero.
  var firstFrame: Int {
    max(0, min(taps.nextFirstFrame(), vibrationQueue.nextFirstFrame()))
  }

  /// The first frame after which nothing is left, the inverse's settling included.
  let endFrame: Int

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
      // One event alone is never above full scale; the inverse keeps the peak by itself.
      if !hasProfile, taps.activeCount + vibrationQueue.activeCount > 1 {
        limitedFrames += limit.apply(to: part, count: until - frame)
      }
      frame = until
    }
    guard hasProfile else { return }
    for index in 0..<count { output[index] = inverse.advance(output[index]) }
    heldFrames = inverse.limitedCount
  }

  @_noAllocation @_noLocks
  private mutating func addVibrations(
    to output: UnsafeMutablePointer<Float>, from: Int, to: Int
  ) {
    controls.fill(from: from, count: to - from, taps: taps)
    for index in 0..<vibrationQueue.activeCount {
      // As in `TransientPool.add`, for the thread sanitizer.
      (vibrations + vibrationQueue.place(index)).pointee.add(
        to: output, from: from, to: to, controls: controls)
    }
  }
}

/// How strong a tap is and how fast it turns.
private struct TapStrength {
  /// The amplitude at its start: a drive, or with a profile what the inverse is fed with.
  let amplitude: Double
  /// Turns a frame.
  let turns: Double

  init(of event: TimelineEvent, intent: Intent, configuration: RenderConfiguration) {
    let level = intent.intensity(of: event, at: event.start)
    if let profile = configuration.profile {
      let command = profile.taps.value(
        intensity: Float(level), sharpness: Float(intent.sharpness(of: event, at: event.start)))
      amplitude = Double(command.amplitude)
      turns = Double(command.turns)
    } else {
      amplitude = configuration.fullScale * configuration.intensityLaw.share(of: level)
      turns = intent.frequency(of: event, at: event.start) / configuration.rate.hertz
    }
  }
}
