public import AHAP
import HapticRendering

/// Patterns that hold nothing that a clip could.
public enum ClipConversionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no haptic event.
  case noHapticEvents

  /// The message.
  public var description: String {
    "there are no haptic events to make a clip of; a clip holds no sound"
  }
}

/// AHAP as a clip: one pattern, or several that are started together.
///
/// The strongest of the continuous events at each instant becomes the continuous signal: its amplitude
/// is the square of the intensity, its frequency the square of the sharpness, with curves, parameters
/// and envelopes worked in; the shortest attack and release count as none. Each transient becomes an
/// emphasis: its amplitude is the square of the intensity, its frequency the sharpness. Lines keep
/// within 0.01 of intensity and sharpness, and points are left out where that changes amplitude or
/// frequency by at most 0.001.
///
/// Patterns of ``PatternsFromClip``, and of tools that do as it does, give their clip back: the 80 %
/// under each emphasis is undone where the continuous events have sharpness 0 and one intensity and
/// a control point stands at each transient.
public struct ClipFromPatterns: Sendable, Hashable {
  /// The clip.
  public let clip: HapticClip
  /// What the clip does not hold as the patterns do, a sentence each.
  public let changes: [String]

  /// How far the clip's lines may pass by what was found, in amplitude and frequency.
  public static let tolerance = 1e-3

  /// Converts patterns that play together.
  ///
  /// Cost: n log n in entries and control points, times the events that play at once.
  ///
  /// - Parameters:
  ///   - patterns: The patterns; curves of one do not act on another.
  ///   - defaults: The values of parameters that an event leaves out.
  /// - Throws: ``ClipConversionError`` if there are no haptic events.
  public init(
    _ patterns: [HapticPattern], defaults: EventDefaults = .apple
  ) throws(ClipConversionError) {
    let configuration = RenderConfiguration()
    let intents = patterns.map { pattern in
      let timeline = Timeline(pattern, configuration: configuration, defaults: defaults)
      return Intent(
        timeline: timeline.withoutShortestRamps(of: configuration.envelopeLaw),
        configuration: configuration)
    }
    var log = ClipLog(patterns)
    let taps = ClipTap.taps(of: intents, &log)
    var layer = ContinuousLayer(intents)
    guard !layer.amplitude.isEmpty || !taps.isEmpty else { throw .noHapticEvents }

    layer.lengthen(by: taps, length: configuration.transientShape.length)
    let isDucked = ClipDuck.isMade(in: patterns, taps: taps, defaults: defaults)
    if isDucked { log.undoesDucking = true }
    let amplitude = LineReduction.reduced(
      layer.amplitudePoints(for: taps, undoesDucking: isDucked), tolerance: Self.tolerance)
    let frequency = LineReduction.reduced(layer.frequency, tolerance: Self.tolerance)
    let speaks = frequency.contains { $0.value > 0 }

    clip = HapticClip(
      metadata: HapticClip.Metadata(
        ahap: patterns.lazy.compactMap(\.metadata).first),
      amplitude: ClipTap.merged(taps, into: amplitude, &log),
      frequency: speaks
        ? frequency.map { HapticClip.FrequencyPoint(time: $0.time, frequency: $0.value) } : [])
    changes = log.sentences
  }
}

extension Timeline {
  /// The timeline with the shortest attack and release as none, for a clip has no envelopes of events.
  fileprivate func withoutShortestRamps(of law: EnvelopeLaw) -> Timeline {
    let shortest = law.seconds(0) * (1 + 1e-9)
    return Timeline(
      events: events.map { event in
        var event = event
        let old = event.envelope
        event.envelope = Envelope(
          attack: old.attack <= shortest ? 0 : old.attack, decay: old.decay,
          release: old.release <= shortest ? 0 : old.release, isSustained: old.isSustained,
          duration: old.duration)
        return event
      },
      controls: controls, duration: duration)
  }
}
