// SPDX-License-Identifier: Apache-2.0

public import AHAP
import HapticRendering

/// Patterns that hold nothing that a clip could.
public enum ClipConversionError: Error, Sendable, Hashable, CustomStringConvertible {
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

/// A transient on its way to an emphasis.
struct ClipTap {
  var time: Double
  var amplitude: Double
  var frequency: Double

  /// The transients of patterns in the order of time; of several at one time the strongest.
  static func taps(of intents: [Intent], _ log: inout ClipLog) -> [ClipTap] {
    let taps = intents.flatMap { intent in
      intent.timeline.events.filter { $0.kind == .transient }.map { event in
        let intensity = intent.intensity(of: event, at: event.start)
        return ClipTap(
          time: event.start, amplitude: intensity * intensity,
          frequency: intent.sharpness(of: event, at: event.start))
      }
    }
    var kept: [ClipTap] = []
    for tap in taps.sorted(by: { $0.time < $1.time }) {
      guard let last = kept.last, last.time == tap.time else {
        kept.append(tap)
        continue
      }
      log.hiddenTaps += 1
      if tap.amplitude > last.amplitude { kept[kept.count - 1] = tap }
    }
    return kept
  }

  /// Puts taps on the points of a line at their times; of two points at one time on the second.
  static func merged(
    _ taps: [ClipTap], into line: [LinePoint], _ log: inout ClipLog
  ) -> [HapticClip.AmplitudePoint] {
    var points = line.map { HapticClip.AmplitudePoint(time: $0.time, amplitude: $0.value) }
    var index = 0
    for tap in taps {
      while index + 1 < points.count, points[index + 1].time <= tap.time { index += 1 }
      let floor = points[index].amplitude
      if tap.amplitude < floor - 1e-6 { log.raisedTaps += 1 }
      points[index].emphasis = HapticClip.Emphasis(
        amplitude: max(tap.amplitude, floor), frequency: tap.frequency)
    }
    return points
  }
}

/// What a clip does not hold as its patterns do, counted while it is made.
struct ClipLog {
  var hiddenTaps = 0
  var raisedTaps = 0
  var undoesDucking = false
  private let sounds: Int
  private let unknownNotes: [String]
  private let hasTwoLayers: Bool

  init(_ patterns: [HapticPattern]) {
    let all = patterns.flatMap(\.events)
    sounds = all.count { $0.kind.domain == .audio }
    var unknown: [String] = []
    for key in patterns.flatMap({ HapticClip.Metadata.unknownKeys(in: $0.metadata) })
    where !unknown.contains(key) {
      unknown.append(key)
    }
    unknownNotes = unknown
    let events = all.filter { $0.kind == .hapticContinuous }.sorted { $0.time < $1.time }
    var end = -Double.infinity
    var overlaps = false
    for event in events {
      overlaps = overlaps || event.time < end - 1e-6
      end = max(end, event.end)
    }
    hasTwoLayers = overlaps
  }

  var sentences: [String] {
    let all = [
      (sounds > 0, "Audio events were left out, for a clip holds no sound: \(sounds)."),
      (hasTwoLayers, "Where continuous events play at once, the clip holds the strongest only."),
      (
        hiddenTaps > 0,
        "Transients at one time became one emphasis, the strongest: \(hiddenTaps) less."
      ),
      (
        raisedTaps > 0,
        "Emphases were raised to the amplitude beneath, below which a clip allows none: "
          + "\(raisedTaps)."
      ),
      (
        undoesDucking,
        "The continuous signal was taken to be lowered to 80 % under each transient, as conversion "
          + "from a clip does, and raised again."
      ),
      (
        !unknownNotes.isEmpty,
        "Notes that a clip has no place for were left out: "
          + "\(unknownNotes.joined(separator: ", "))."
      ),
    ]
    return all.filter(\.0).map(\.1)
  }
}

/// Tells whether patterns were made from a clip with its continuous signal lowered under emphases.
enum ClipDuck {
  /// How far a control point may stand from its transient, in seconds: exports keep points 1 ms apart.
  private static let slack = 1e-3

  /// Tells whether all continuous events have sharpness 0 and one intensity, and a point of an
  /// intensity curve stands at each transient that they play under.
  static func isMade(
    in patterns: [HapticPattern], taps: [ClipTap], defaults: EventDefaults
  ) -> Bool {
    var corners: [Double] = []
    var intensities: Set<Double> = []
    var span: ClosedRange<Double>?
    for pattern in patterns {
      let events = pattern.events.filter { $0.kind == .hapticContinuous }
      guard !events.isEmpty else { continue }
      guard !pattern.parameters.contains(where: { $0.id == .hapticIntensity }) else { return false }
      for event in events {
        guard event.value(of: .hapticSharpness, defaults: defaults) == 0 else { return false }
        intensities.insert(event.value(of: .hapticIntensity, defaults: defaults))
        let (low, high) = (span?.lowerBound ?? event.time, span?.upperBound ?? event.end)
        span = min(low, event.time)...max(high, event.end)
      }
      for curve in pattern.curves where curve.id == .hapticIntensity {
        corners += curve.points.map { curve.time + $0.time }
      }
    }
    guard let span, intensities.count == 1 else { return false }
    corners.sort()
    let under = taps.filter { span ~= $0.time }
    guard !under.isEmpty else { return false }
    var index = 0
    return under.allSatisfy { tap in
      while index < corners.count, corners[index] < tap.time - slack { index += 1 }
      return index < corners.count && corners[index] <= tap.time + slack
    }
  }
}
