import AHAP
import HapticRendering

/// A transient on its way to an emphasis.
struct ClipTap {
  var time: Double
  var amplitude: Double
  var frequency: Double

  /// The transients of patterns in the order of time; of several at one time the strongest.
  static func taps(of intents: [Intent], _ log: inout ClipLog) -> [ClipTap] {
    var taps: [ClipTap] = []
    for intent in intents {
      for event in intent.timeline.events where event.kind == .transient {
        let intensity = intent.intensity(of: event, at: event.start)
        taps.append(
          ClipTap(
            time: event.start, amplitude: intensity * intensity,
            frequency: intent.sharpness(of: event, at: event.start)))
      }
    }
    taps.sort { $0.time < $1.time }
    var kept: [ClipTap] = []
    for tap in taps {
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
