// SPDX-License-Identifier: Apache-2.0

public import AHAP
import HapticRendering

/// A clip as AHAP: one pattern, or two that are to be started together.
///
/// The continuous signal becomes one `HapticContinuous` event, split every 30 s, under an intensity
/// curve of the root of the amplitude and a sharpness curve of the root of the frequency; each emphasis
/// becomes a transient. Lines are drawn so that the intensity and the sharpness are within 0.01 of the
/// roots, but on ramps from silence of a few milliseconds and where points of the clip lie less than 1 ms
/// apart, of which not all can stay: ``changes`` says how many, and how far the intensity is off there.
/// A continuous signal of more than `AppleExport.longestSplit` is limited to 30 s. Under an emphasis the continuous
/// signal is lowered to 80 % of its intensity, as Meta's tools do.
///
/// A curve acts on the whole pattern, transients too. In one pattern the transients' own intensities
/// make up for it where they can; where they cannot, the transient comes out weaker, and ``changes``
/// says so. In two patterns all of them are exact.
public struct PatternsFromClip: Sendable, Hashable {
  /// What of a clip a pattern holds; the raw value is the file name's extension.
  public enum Part: String, Sendable, CaseIterable {
    case whole = "ahap"
    case continuous = "continuous.ahap"
    case transients = "transients.ahap"
  }

  /// A pattern to write.
  public struct File: Sendable, Hashable {
    /// What it holds.
    public var part: Part
    /// The pattern, within the limits of `AppleExport`.
    public var pattern: HapticPattern
  }

  /// The share of its intensity that an emphasis leaves the continuous signal.
  public static let ducking = 0.8

  /// The patterns: one, or the continuous one and, if there are any, that of the transients.
  public let files: [File]
  /// What the patterns do not hold as the clip does, a sentence each.
  public let changes: [String]

  /// Converts a clip that is as ``HapticClipReader`` asks for.
  ///
  /// Cost: n log n in points.
  public init(_ clip: HapticClip, split: Bool = false) {
    let taps = clip.amplitude.filter { $0.emphasis != nil }
    let layer = Self.continuousLayer(of: clip, sharesTaps: !split && !taps.isEmpty)
    let start = clip.amplitude.first?.time ?? 0
    var changes: [String] = []
    let jumps = zip(clip.amplitude, clip.amplitude.dropFirst()).count { $0.time == $1.time }
    if jumps > 0 { changes.append("Jumps of the amplitude became ramps of 1 ms: \(jumps).") }
    let length = (clip.amplitude.last?.time ?? 0) - start
    let longest = AppleExport.longestSplit
    if length > longest {
      changes.append(
        "The clip lasts more than \(Int(longest)) s; its continuous signal is limited to 30 s.")
    }
    let ducked = taps.count { $0.amplitude > 0 }
    if ducked > 0 {
      changes.append(
        "The continuous signal is lowered to 80 % of its intensity under an emphasis: \(ducked).")
    }
    let metadata = clip.metadata.ahap
    let exported: HapticPattern
    if split {
      exported = AppleExport(layer).pattern
      var files = [File(part: .continuous, pattern: exported)]
      if !taps.isEmpty {
        let (transients, _) = Self.transients(of: taps, under: nil)
        files.append(
          File(
            part: .transients,
            pattern: AppleExport(HapticPattern(metadata: metadata, events: transients)).pattern))
      }
      self.files = files
    } else {
      // Curves keep their value where transients begin, so these must be there before theirs is known.
      var whole = layer
      whole.events += Self.transients(of: taps, under: nil).events
      let controls = Self.timeline(AppleExport(whole).pattern).controls
      let (transients, weak) = Self.transients(of: taps, under: controls.intensity)
      if !weak.isEmpty { changes.append(Self.sentence(weak, of: taps.count)) }
      whole.events = layer.events + transients
      exported = AppleExport(whole).pattern
      files = [File(part: .whole, pattern: exported)]
    }
    let losses = PointLosses(of: clip, in: Self.timeline(exported))
    if let sentence = losses.sentence { changes.append(sentence) }
    self.changes = changes
  }

  private static func timeline(_ pattern: HapticPattern) -> Timeline {
    Timeline(pattern, configuration: RenderConfiguration())
  }

  /// The continuous signal as one event of its whole length and its curves.
  ///
  /// Where transients share the curves, the event's intensity is the signal's peak and the curve that
  /// much higher, which leaves the transients as much of theirs as can be.
  private static func continuousLayer(of clip: HapticClip, sharesTaps: Bool) -> HapticPattern {
    var pattern = HapticPattern(metadata: clip.metadata.ahap)
    guard let start = clip.amplitude.first?.time, let end = clip.amplitude.last?.time else {
      return pattern
    }
    let roots = RootLines.points(
      of: clip.amplitude.map { point in
        let share = point.emphasis == nil ? 1 : ducking * ducking
        return (point.time, point.amplitude * share)
      })
    let peak = roots.reduce(0) { max($0, $1.level) }
    let intensity = peak == 0 ? 0 : sharesTaps ? peak : 1
    if peak > 0 {
      pattern.curves.append(
        curve(.hapticIntensity, roots.map { ($0.time, $0.level / intensity) }, order: 0))
    }
    if let first = clip.frequency.first {
      let held = first.time > start ? [(start, first.frequency)] : []
      let line = held + clip.frequency.map { ($0.time, $0.frequency) }
      pattern.curves.append(curve(.hapticSharpness, RootLines.points(of: line), order: 1))
    }
    pattern.events.append(
      HapticEvent(
        kind: .hapticContinuous, time: start, duration: end - start,
        parameters: EventParameters(intensity: intensity, sharpness: 0), order: 2))
    return pattern
  }

  private static func curve(
    _ id: DynamicParameterID, _ points: [RootLines.Point], order: Int
  ) -> ParameterCurve {
    let start = points.first?.time ?? 0
    return ParameterCurve(
      id: id, time: start,
      points: points.map { ParameterCurve.Point(time: $0.time - start, value: $0.level) },
      order: order)
  }

  /// An emphasis that one pattern cannot play as strongly as it should.
  private struct WeakTap {
    var time: Double
    var wanted: Double
    var reached: Double
  }

  private static func transients(
    of taps: [HapticClip.AmplitudePoint], under control: ControlTrack?
  ) -> (events: [HapticEvent], weak: [WeakTap]) {
    var events: [HapticEvent] = []
    var weak: [WeakTap] = []
    for (index, tap) in taps.enumerated() {
      guard let emphasis = tap.emphasis else { continue }
      let wanted = emphasis.amplitude.squareRoot()
      let factor = control?.value(at: tap.time) ?? 1
      let own = wanted <= factor ? (factor > 0 ? wanted / factor : 0) : 1
      if own * factor < wanted - 1e-6 {
        weak.append(WeakTap(time: tap.time, wanted: wanted, reached: own * factor))
      }
      events.append(
        HapticEvent(
          kind: .hapticTransient, time: tap.time,
          parameters: EventParameters(intensity: own, sharpness: emphasis.frequency),
          order: 3 + index))
    }
    return (events, weak)
  }

  private static func sentence(_ weak: [WeakTap], of count: Int) -> String {
    let shown = weak.prefix(5).map {
      "at \($0.time) s \($0.reached.twoDigits), not \($0.wanted.twoDigits)"
    }
    let rest = weak.count > shown.count ? ", and \(weak.count - shown.count) more" : ""
    return
      "\(weak.count) of \(count) emphases come out weaker, because the intensity curve acts on "
      + "transients too: \(shown.joined(separator: ", "))\(rest); two files keep them as they are."
  }
}

extension Double {
  var twoDigits: String { ((self * 100).rounded() / 100).description }
}

/// The points of a clip whose intensity a pattern made of it does not reach, for curves keep their
/// points 1 ms apart.
struct PointLosses {
  /// How far an intensity may be off.
  static let tolerance = 1e-2

  private(set) var count = 0
  /// How far the intensity is off at the worst of them.
  private(set) var largest = 0.0

  /// Looks for the points of a clip in the timeline of its pattern; of two at one time, which are a
  /// jump, only the second can be there.
  init(of clip: HapticClip, in timeline: Timeline) {
    let events = timeline.events.filter { $0.kind == .continuous }
    guard let intensity = events.first?.intensity, let last = events.last else { return }
    let end = last.start + last.envelope.duration
    for (index, point) in clip.amplitude.enumerated() where point.time <= end {
      let next = index + 1 < clip.amplitude.count ? clip.amplitude[index + 1].time : .infinity
      guard next > point.time else { continue }
      let share = point.emphasis == nil ? 1 : PatternsFromClip.ducking
      let wanted = point.amplitude.squareRoot() * share
      let found = intensity * timeline.controls.intensity.value(at: point.time)
      guard abs(found - wanted) > Self.tolerance else { continue }
      count += 1
      largest = max(largest, abs(found - wanted))
    }
  }

  var sentence: String? {
    guard count > 0 else { return nil }
    let points = count == 1 ? "1 point of the amplitude is" : "\(count) points of the amplitude are"
    return
      "\(points) missed, for curves need 1 ms between their points: there the intensity is off by up "
      + "to \(largest.twoDigits)."
  }
}
