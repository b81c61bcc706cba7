public import Perception

/// What a timeline asks for at each instant, exactly, apart from how it is drawn as a waveform.
///
/// Intensity and sharpness are 0...1 before any law; times are seconds of the pattern. At single
/// instants: the functions here, logarithmic in the pattern's control points. As formulas over
/// stretches of time: `segments(of:)`. What a renderer leaves out for want of voices is in the intent
/// all the same.
public struct Intent: Sendable, Equatable {
  /// The pattern.
  public let timeline: Timeline
  /// Sharpness to frequency.
  public let sharpnessLaw: SharpnessLaw
  /// How a transient is drawn: decides how its intensity falls.
  public let transientShape: TransientShape
  /// Where a tap's carrier starts, in turns: 0, or with a profile where its shape says.
  public let tapPhase: Double
  /// How events that sound together mix: decides what taps leave of vibrations.
  public let mixingLaw: MixingLaw
  /// Whether the sharpness control moves transients too.
  public let sharpnessControlMovesTransients: Bool
  /// The starts of the taps that duck, rising; empty where the law ducks nothing.
  let duckingStarts: [Double]

  /// Makes the intent of a timeline under a configuration's laws.
  ///
  /// Cost: where the mixing law ducks, linear in the events; else none.
  public init(timeline: Timeline, configuration: RenderConfiguration) {
    self.timeline = timeline
    sharpnessLaw = configuration.sharpnessLaw
    transientShape = configuration.transientShape
    tapPhase = configuration.tapPhase
    mixingLaw = configuration.mixingLaw
    sharpnessControlMovesTransients = configuration.sharpnessControlMovesTransients
    duckingStarts =
      configuration.mixingLaw.ducking < 1
      ? timeline.events.filter { $0.kind == .transient && Self.level(of: $0, in: timeline) > 0 }
        .map(\.start)
      : []
  }

  /// The intensity that one haptic event asks for at a time in seconds of the pattern, 0...1.
  ///
  /// A transient takes the intensity control at its start; its intensity here is that of its first
  /// moment, held for its length: how the burst falls is `weight(of:at:)`.
  public func intensity(of event: TimelineEvent, at time: Double) -> Double {
    guard event.kind.isHaptic, time >= event.start, time < event.end else { return 0 }
    if event.kind == .transient { return Self.level(of: event, in: timeline) }
    let level = min(1, max(0, event.intensity * timeline.controls.intensity.value(at: time)))
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

  /// The share 0...1 of its amplitude that an event has at a time in seconds of the pattern.
  ///
  /// That of the shape for a transient; for a vibration 1, or what a ducking tap leaves.
  public func weight(of event: TimelineEvent, at time: Double) -> Double {
    switch event.kind {
    case .transient: return transientShape.weight(at: time - event.start)
    case .continuous:
      let begun = duckingTaps(begunAt: time)
      guard begun > 0 else { return 1 }
      let weight = transientShape.weight(at: time - duckingStarts[begun - 1])
      return 1 - (1 - mixingLaw.ducking) * weight
    case .tone, .sound: return 1
    }
  }

  /// The frequency in hertz that one haptic event asks for at a time.
  public func frequency(of event: TimelineEvent, at time: Double) -> Double {
    sharpnessLaw.frequency(of: sharpness(of: event, at: time))
  }

  private static func level(of tap: TimelineEvent, in timeline: Timeline) -> Double {
    min(1, max(0, tap.intensity * timeline.controls.intensity.value(at: tap.start)))
  }

  /// How many of the taps that duck have begun at a time.
  func duckingTaps(begunAt time: Double) -> Int { duckingStarts.leadingCount { $0 <= time } }
}

extension Intent {
  /// One instant of the intent over all events.
  public struct Moment: Sendable, Equatable {
    /// The strongest intensity of any event in force, transients' fall included, 0...1.
    public var intensity: Double
    /// The sharpness of that event, 0...1.
    public var sharpness: Double
  }

  /// The intent at evenly spaced times, for pictures and correlation.
  ///
  /// Times are seconds of the pattern. One moment a column, zero where no event is in force; cost: linear
  /// in columns plus the columns that each event touches.
  public func moments(from start: Double, step: Double, count: Int) -> [Moment] {
    var moments = [Moment](repeating: Moment(intensity: 0, sharpness: 0), count: count)
    for event in timeline.events where event.kind.isHaptic {
      for column in columns(of: event, from: start, step: step, count: count) {
        let time = start + Double(column) * step
        // A short tap that falls between two columns still shows, at its first moment.
        let sampled = max(time, event.start)
        let level = intensity(of: event, at: sampled) * weight(of: event, at: sampled).squareRoot()
        guard level > moments[column].intensity else { continue }
        moments[column] = Moment(
          intensity: level, sharpness: sharpness(of: event, at: sampled))
      }
    }
    return moments
  }

  /// The peak acceleration in m/s2 that the intent asks for at evenly spaced times.
  ///
  /// Times are seconds of the pattern. Events in force together add as the energies of unlike tones do.
  public func acceleration(
    _ target: IntensityTarget, from start: Double, step: Double, count: Int
  ) -> [Double] {
    var squares = [Double](repeating: 0, count: count)
    for event in timeline.events where event.kind.isHaptic {
      for column in columns(of: event, from: start, step: step, count: count) {
        let time = start + Double(column) * step
        guard time >= event.start else { continue }
        let level = target.acceleration(
          intensity: intensity(of: event, at: time), frequency: frequency(of: event, at: time))
        let value = level * weight(of: event, at: time)
        squares[column] += value * value
      }
    }
    return squares.map { $0.squareRoot() }
  }

  private func columns(
    of event: TimelineEvent, from start: Double, step: Double, count: Int
  ) -> Range<Int> {
    // Limited before they become whole: a time in a file may be beyond what an integer holds.
    let columns = Double(count)
    let first = Int(min(columns, max(0, ((event.start - start) / step).rounded(.down))))
    let last = Int(min(columns, max(0, ((event.end - start) / step).rounded(.up))))
    return first..<max(first, last)
  }
}
