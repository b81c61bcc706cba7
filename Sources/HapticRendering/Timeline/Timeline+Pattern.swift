public import AHAP

extension Timeline {
  /// Resolves a pattern: defaults by event type, envelope times in seconds, curves put together.
  ///
  /// The envelope controls (`HapticAttackTimeControl` and the like) are taken at an event's start.
  /// Cost: n log n in events and control points.
  ///
  /// - Parameters:
  ///   - pattern: What was read.
  ///   - configuration: The laws of time.
  ///   - defaults: The values of parameters that an event leaves out.
  ///   - soundDuration: The length in seconds of a sound file by its path as written; `nil` where
  ///     there is no such file, whose event then takes no time.
  public init(
    _ pattern: HapticPattern, configuration: RenderConfiguration,
    defaults: EventDefaults = .apple, soundDuration: (String) -> Double? = { _ in nil }
  ) {
    let resolver = EventResolver(
      pattern: pattern, configuration: configuration, defaults: defaults)
    let events = pattern.events.map { resolver.resolve($0, soundDuration: soundDuration) }
    let sounds = events.filter { $0.kind == .sound }
    // Apple counts a pattern to the end of its last event: a sound file's length counts as well.
    let duration = sounds.reduce(pattern.duration) {
      max($0, $1.start + $1.envelope.duration)
    }
    self.init(
      events: events,
      controls: Controls(
        intensity: resolver.track(.hapticIntensity), sharpness: resolver.track(.hapticSharpness),
        volume: resolver.track(.audioVolume), pan: resolver.track(.audioPan),
        pitch: resolver.track(.audioPitch), brightness: resolver.track(.audioBrightness)),
      duration: duration)
  }
}

/// Turns events of a file into events of a timeline.
private struct EventResolver {
  let pattern: HapticPattern
  let configuration: RenderConfiguration
  let defaults: EventDefaults
  let tracks: [DynamicParameterID: ControlTrack]

  init(pattern: HapticPattern, configuration: RenderConfiguration, defaults: EventDefaults) {
    self.pattern = pattern
    self.configuration = configuration
    self.defaults = defaults
    var sources: [DynamicParameterID: [ControlTrack.Source]] = [:]
    for step in pattern.parameters {
      sources[step.id, default: []].append(
        ControlTrack.Source(points: [(step.time, step.value)], order: step.order))
    }
    for curve in pattern.curves where !curve.points.isEmpty {
      sources[curve.id, default: []].append(
        ControlTrack.Source(
          points: curve.points.map { (curve.time + $0.time, $0.value) }, order: curve.order))
    }
    tracks = Dictionary(
      uniqueKeysWithValues: DynamicParameterID.allCases.map { id in
        (id, ControlTrack(neutral: id.neutral, range: id.range, sources: sources[id] ?? []))
      })
  }

  func track(_ id: DynamicParameterID) -> ControlTrack {
    tracks[id] ?? ControlTrack(neutral: id.neutral, range: id.range, sources: [])
  }

  func resolve(_ event: HapticEvent, soundDuration: (String) -> Double?) -> TimelineEvent {
    let values = event.resolved(defaults: defaults)
    switch event.kind {
    case .hapticTransient:
      let length = configuration.transientShape.length
      return TimelineEvent(
        index: 0, kind: .transient, start: event.time,
        envelope: Envelope(attack: 0, decay: 0, release: 0, isSustained: true, duration: length),
        intensity: values.intensity, sharpness: values.sharpness)
    case .hapticContinuous:
      return TimelineEvent(
        index: 0, kind: .continuous, start: event.time,
        envelope: envelope(event, values, duration: event.duration ?? 0, isHaptic: true),
        intensity: values.intensity, sharpness: values.sharpness)
    case .audioContinuous:
      return TimelineEvent(
        index: 0, kind: .tone, start: event.time,
        envelope: envelope(event, values, duration: event.duration ?? 0, isHaptic: false),
        sound: sound(event, values))
    case .audioCustom:
      return TimelineEvent(
        index: 0, kind: .sound, start: event.time,
        envelope: envelope(
          event, values, duration: length(of: event, values, soundDuration), isHaptic: false),
        sound: sound(event, values))
    }
  }

  private func sound(_ event: HapticEvent, _ values: ResolvedParameters) -> TimelineEvent.Sound {
    TimelineEvent.Sound(
      path: event.kind == .audioCustom ? event.waveformPath ?? "" : nil,
      volume: values.audioVolume, pitch: values.audioPitch, pan: values.audioPan,
      brightness: values.audioBrightness, usesEnvelope: event.useVolumeEnvelope,
      loops: event.loopEnabled)
  }

  /// A sound's own length, cut short by a duration, drawn out by one only where it loops; what is
  /// longer than the file and does not loop is silence.
  private func length(
    of event: HapticEvent, _ values: ResolvedParameters, _ soundDuration: (String) -> Double?
  ) -> Double {
    guard let own = event.waveformPath.flatMap(soundDuration) else { return event.duration ?? 0 }
    if let asked = event.duration, asked > 0 { return asked }
    // Pitch is speed: an octave up is over in half the time.
    let pitch = DynamicParameterID.audioPitch.apply(
      track(.audioPitch).value(at: event.time), to: values.audioPitch)
    return own / EnvelopeLaw.octaves(pitch)
  }

  private func envelope(
    _ event: HapticEvent, _ values: ResolvedParameters, duration: Double, isHaptic: Bool
  ) -> Envelope {
    func seconds(_ id: DynamicParameterID, _ value: Double) -> Double {
      configuration.envelopeLaw.seconds(id.apply(track(id).value(at: event.time), to: value))
    }
    return Envelope(
      attack: seconds(isHaptic ? .hapticAttackTime : .audioAttackTime, values.attackTime),
      decay: seconds(isHaptic ? .hapticDecayTime : .audioDecayTime, values.decayTime),
      release: seconds(isHaptic ? .hapticReleaseTime : .audioReleaseTime, values.releaseTime),
      isSustained: values.isSustained, duration: duration)
  }
}
