private import Glibc
public import Perception

/// What a timeline asks for at each instant, exactly, apart from how it is drawn as a waveform.
public struct Intent: Sendable, Equatable {
  /// The pattern.
  public let timeline: Timeline
  /// Sharpness to frequency.
  public let sharpnessLaw: SharpnessLaw
  /// How a transient is drawn: decides how its intensity falls.
  public let transientShape: TransientShape
  /// Whether the sharpness control moves transients too.
  public let sharpnessControlMovesTransients: Bool

  /// Makes the intent of a timeline under a configuration's laws.
  public init(timeline: Timeline, configuration: RenderConfiguration) {
    self.timeline = timeline
    sharpnessLaw = configuration.sharpnessLaw
    transientShape = configuration.transientShape
    sharpnessControlMovesTransients = configuration.sharpnessControlMovesTransients
  }

  /// The intensity that one haptic event asks for at a time in seconds of the pattern, 0...1.
  ///
  /// A transient takes the intensity control at its start; its intensity here is that of its first
  /// moment, held for its length: how the burst falls is `weight(of:at:)`.
  public func intensity(of event: TimelineEvent, at time: Double) -> Double {
    guard event.kind.isHaptic, time >= event.start, time < event.end else { return 0 }
    let control = timeline.controls.intensity
    if event.kind == .transient {
      return min(1, max(0, event.intensity * control.value(at: event.start)))
    }
    let level = min(1, max(0, event.intensity * control.value(at: time)))
    return level * event.envelope.gain(at: time - event.start)
  }

  /// The sharpness that one haptic event asks for at a time in seconds of the pattern, 0...1.
  public func sharpness(of event: TimelineEvent, at time: Double) -> Double {
    let control = timeline.controls.sharpness
    let offset =
      switch event.kind {
      case .transient: sharpnessControlMovesTransients ? control.value(at: event.start) : 0
      default: control.value(at: time)
      }
    return min(1, max(0, event.sharpness + offset))
  }

  /// The share 0...1 of its amplitude that the shape leaves an event at a time in seconds.
  public func weight(of event: TimelineEvent, at time: Double) -> Double {
    guard event.kind == .transient else { return 1 }
    let age = time - event.start
    guard age >= 0, age < transientShape.length else { return 0 }
    return 0.5 * (1 + cos(.pi * age / transientShape.length))
  }

  /// The frequency in hertz that one haptic event asks for at a time.
  public func frequency(of event: TimelineEvent, at time: Double) -> Double {
    sharpnessLaw.frequency(of: sharpness(of: event, at: time))
  }
}
