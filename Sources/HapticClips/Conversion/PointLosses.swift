import AHAP
import HapticRendering

/// The points of a clip whose intensity a pattern made of it does not reach, for curves keep their
/// points 1 ms apart.
struct PointLosses {
  /// How far an intensity may be off.
  static let tolerance = 1e-2

  /// How many points are missed.
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

  /// What is missed, for the user; nil if nothing is.
  var sentence: String? {
    guard count > 0 else { return nil }
    let points = count == 1 ? "1 point of the amplitude is" : "\(count) points of the amplitude are"
    return
      "\(points) missed, for curves need 1 ms between their points: there the intensity is off by up "
      + "to \(largest.twoDigits)."
  }
}
