// SPDX-License-Identifier: Apache-2.0

public import AHAP

extension Timeline {
  /// Resolves a pattern: defaults by event type, envelope times in seconds, curves put together.
  ///
  /// A continuous event lasts 30 s at most, whatever a pattern that was not read from a file says.
  /// A sound file lasts until its pitch, moved by its control, has played it to its end; with a volume
  /// envelope its release ends there too. Its `Sustained` and `DecayTime` have no meaning.
  /// The envelope controls (`HapticAttackTimeControl` and the like) are taken at an event's start.
  /// `soundDuration` is the length in seconds of a sound file by its path as written; `nil` where there is
  /// no such file, whose event then takes no time. Cost: n log n in events and control points.
  public init(
    _ pattern: HapticPattern, configuration: RenderConfiguration,
    defaults: EventDefaults = .apple, soundDuration: (String) -> Double? = { _ in nil }
  ) {
    let sources = pattern.controlSources
    let resolver = EventResolver(
      configuration: configuration, defaults: defaults,
      tracks: Dictionary(
        uniqueKeysWithValues: DynamicParameterID.allCases.map { id in
          (id, ControlTrack(neutral: id.neutral, range: id.range, sources: sources[id] ?? []))
        }))
    var events: [TimelineEvent] = []
    events.reserveCapacity(pattern.events.count)
    var duration = pattern.parameters.reduce(0) { max($0, $1.time) }
    for event in pattern.events {
      let resolved = resolver.resolve(event, soundDuration: soundDuration)
      events.append(resolved.event)
      duration = max(duration, event.time + resolved.duration)
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

extension HapticPattern {
  /// The steps and curves of each dynamic parameter, in seconds of the pattern.
  var controlSources: [DynamicParameterID: [ControlTrack.Source]] {
    var sources: [DynamicParameterID: [ControlTrack.Source]] = [:]
    for step in parameters {
      sources[step.id, default: []].append(
        ControlTrack.Source(points: [(step.time, step.value)], order: step.order))
    }
    for curve in curves where !curve.points.isEmpty {
      sources[curve.id, default: []].append(
        ControlTrack.Source(
          points: curve.points.map { (curve.time + $0.time, $0.value) }, order: curve.order))
    }
    return sources
  }
}

/// Turns events of a file into events of a timeline.
private struct EventResolver {
  let configuration: RenderConfiguration
  let defaults: EventDefaults
  let tracks: [DynamicParameterID: ControlTrack]

  func track(_ id: DynamicParameterID) -> ControlTrack {
    tracks[id] ?? ControlTrack(neutral: id.neutral, range: id.range, sources: [])
  }

  /// An event and the seconds that it counts for the pattern's duration.
  func resolve(
    _ event: HapticEvent, soundDuration: (String) -> Double?
  ) -> (event: TimelineEvent, duration: Double) {
    let values = event.resolved(defaults: defaults)
    let asked = max(0, event.duration ?? 0)
    let limited = min(asked, HapticEvent.longestDuration)
    let (kind, gain, duration): (TimelineEvent.Kind, Envelope, Double)
    switch event.kind {
    case .hapticTransient:
      (kind, duration) = (.transient, asked)
      gain = steady(configuration.transientShape.length)
    case .hapticContinuous:
      (kind, duration) = (.continuous, limited)
      gain = envelope(event, values, duration: limited, isHaptic: true)
    case .audioContinuous:
      (kind, duration) = (.tone, limited)
      gain = envelope(event, values, duration: limited, isHaptic: false)
    case .audioCustom:
      let own = event.waveformPath.flatMap(soundDuration).map { length in
        track(.audioPitch).time(toPlay: length, from: event.time, pitch: values.audioPitch)
      }
      (kind, duration) = (.sound, asked > 0 ? asked : own ?? 0)
      gain = soundEnvelope(event, values, own: own, duration: duration)
    }
    var resolved = TimelineEvent(index: 0, kind: kind, start: event.time, envelope: gain)
    if kind.isHaptic {
      resolved.intensity = values.intensity
      resolved.sharpness = values.sharpness
    } else {
      resolved.sound = TimelineEvent.Sound(
        path: kind == .sound ? event.waveformPath ?? "" : nil,
        volume: values.audioVolume, pitch: values.audioPitch, pan: values.audioPan,
        brightness: values.audioBrightness, usesEnvelope: event.useVolumeEnvelope,
        loops: event.loopEnabled)
    }
    return (resolved, duration)
  }

  private func steady(_ duration: Double) -> Envelope {
    Envelope(attack: 0, decay: 0, release: 0, isSustained: true, duration: duration)
  }

  /// A sound file's gain: none of its own, or the ramps that keep it from clicking, which end with the
  /// file where there is no more of it; it lasts `own` seconds once.
  private func soundEnvelope(
    _ event: HapticEvent, _ values: ResolvedParameters, own: Double?, duration: Double
  ) -> Envelope {
    guard event.useVolumeEnvelope else { return steady(duration) }
    let ramps = envelope(event, values, duration: duration, isHaptic: false)
    var (release, held) = (ramps.release, duration)
    // A release past the end of the file would ramp nothing: the file would stop with a click.
    if let own, !event.loopEnabled, duration + release > own {
      release = min(release, own / 2)
      held = min(duration, own - release)
    }
    return Envelope(
      attack: ramps.attack, decay: 0, release: release, isSustained: true, duration: held)
  }

  private func envelope(
    _ event: HapticEvent, _ values: ResolvedParameters, duration: Double, isHaptic: Bool
  ) -> Envelope {
    // Each stage takes its control where it begins: a step acts on what is playing and still to come.
    func seconds(_ id: DynamicParameterID, _ value: Double, after age: Double) -> Double {
      configuration.envelopeLaw.seconds(id.apply(track(id).value(at: event.time + age), to: value))
    }
    let attack = seconds(
      isHaptic ? .hapticAttackTime : .audioAttackTime, values.attackTime, after: 0)
    return Envelope(
      attack: attack,
      decay: seconds(
        isHaptic ? .hapticDecayTime : .audioDecayTime, values.decayTime, after: attack),
      release: seconds(
        isHaptic ? .hapticReleaseTime : .audioReleaseTime, values.releaseTime, after: duration),
      isSustained: values.isSustained, duration: duration)
  }
}
