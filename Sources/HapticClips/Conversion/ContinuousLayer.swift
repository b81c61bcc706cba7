import AHAP
import HapticRendering

/// The continuous haptic events of patterns that play together, as an amplitude and a frequency over
/// time.
///
/// At each instant the strongest event speaks: the amplitude is the square of its intensity, the
/// frequency that of its sharpness. Lines join as few instants as keep both roots within
/// ``tolerance``.
struct ContinuousLayer {
  /// How far an intensity or a sharpness may lie from the root of its line.
  static let tolerance = 1e-2
  /// The shortest line that is looked into, in seconds.
  static let shortest = 2e-3

  /// The amplitude from the first event's start to the last one's end, 0 in between where none plays.
  var amplitude: [LinePoint] = []
  /// The frequency where an event plays.
  private(set) var frequency: [LinePoint] = []

  init(_ intents: [Intent]) {
    var voices: [ContinuousVoice] = []
    var corners: Set<Double> = []
    for intent in intents {
      for event in Self.joined(intent.timeline.events) {
        voices.append(ContinuousVoice(event: event, intent: intent))
        let shape = event.envelope
        for corner in [0, shape.attack, shape.isSustained ? shape.duration : 0, shape.end] {
          corners.insert(event.start + min(corner, shape.end))
        }
      }
    }
    voices.sort { $0.event.start < $1.event.start }
    guard let start = voices.first?.event.start, let end = voices.map(\.event.end).max() else {
      return
    }
    // Each line bends where its own controls do; the other's corners would draw it off its root.
    func times(_ track: KeyPath<Controls, ControlTrack>) -> [Double] {
      let bends = intents.flatMap { $0.timeline.controls[keyPath: track].pieces.map(\.start) }
      return corners.union(bends).filter { start <= $0 && $0 <= end }.sorted()
    }
    amplitude = LayerTracing(voices, .amplitude).line(over: times(\.intensity), silence: 0)
    frequency = LayerTracing(voices, .frequency).line(over: times(\.sharpness), silence: nil)
  }

  /// The continuous events with those that follow each other without a gap, and are alike, as one.
  private static func joined(_ events: [TimelineEvent]) -> [TimelineEvent] {
    var joined: [TimelineEvent] = []
    for event in events where event.kind == .continuous && event.end > event.start {
      guard let last = joined.last, last.envelope.isSustained, event.envelope.isSustained,
        last.envelope.release == 0, event.envelope.attack == 0,
        abs(last.end - event.start) <= 1e-6, last.intensity == event.intensity,
        last.sharpness == event.sharpness
      else {
        joined.append(event)
        continue
      }
      joined[joined.count - 1].envelope = Envelope(
        attack: last.envelope.attack, decay: 0, release: event.envelope.release, isSustained: true,
        duration: event.start + event.envelope.duration - last.start)
    }
    return joined
  }
}
