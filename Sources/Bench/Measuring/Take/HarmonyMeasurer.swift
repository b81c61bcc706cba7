import Acceptance
private import Glibc
import HapticRendering
import SignalAnalysis

/// The harmony of a take and its parts, from its other readings.
struct HarmonyMeasurer: TakeMeasurer {
  let source: CapturedTake
  private let measured: [Reading]

  /// Draws the readings of a take together.
  init(source: CapturedTake, of measured: [Reading]) {
    self.source = source
    self.measured = measured
  }

  func readings() -> [Reading] {
    var list = ReadingList(source)
    let events = take.intent.timeline.events
    guard events.contains(where: \.kind.isHaptic) else {
      list.addMissing(.harmony, because: "the pattern has no haptic event")
      return list.readings
    }
    var parts: [(part: HarmonyPart, points: Estimate)] = []
    var missing: [String] = []
    var open = 0.0
    for part in HarmonyPart.allCases {
      // A pattern without sound asks for no sync.
      if part == .sync, !events.contains(where: { !$0.kind.isHaptic }) { continue }
      let (values, reason) = values(of: part)
      if let points = part.points(values) {
        list.add(part.reading, points.value, uncertainty: points.uncertainty, count: values.count)
        parts.append((part, points))
      } else {
        list.addMissing(part.reading, because: reason)
        missing.append(part.source(isCalibrated: isCalibrated).rawValue)
        open += part.weight
      }
    }
    if let reason = alignment.deadReason {
      list.addMissing(.harmony, because: reason)
      return list.readings
    }
    guard !parts.isEmpty else {
      list.addMissing(
        .harmony, because: "nothing of it was measured: without \(missing.joined(separator: ", "))")
      return list.readings
    }
    let whole = parts.reduce(0) { $0 + $1.part.weight }
    let mean = parts.reduce(0) { $0 + $1.part.weight * log($1.points.value) } / whole
    // Parts share causes, so their uncertainties add as they are.
    let spread =
      parts.reduce(0) { $0 + $1.part.weight * $1.points.relativeUncertainty } / whole
    let half = HarmonyPart.allCases.reduce(0) { $0 + $1.weight } / 2
    guard parts.contains(where: { $0.part == .intensity }), whole >= half else {
      addRange(
        mean, spread, whole, open: open, without: missing, count: parts.count, to: &list)
      return list.readings
    }
    list.add(
      .harmony, exp(mean), uncertainty: exp(mean) * spread, count: parts.count,
      note: missing.isEmpty ? nil : "without \(missing.joined(separator: ", ")), not measured")
    return list.readings
  }

  /// The harmony where what is missing weighs too much: the missing parts have anything from 1 to 100 points.
  private func addRange(
    _ mean: Double, _ spread: Double, _ whole: Double, open: Double, without missing: [String],
    count: Int, to list: inout ReadingList
  ) {
    let share = whole / (whole + open)
    let low = exp(share * mean)
    let high = exp(share * mean + (1 - share) * log(100))
    // Anything between is as likely: the deviation of a rectangle.
    let width = (high - low) / 12.0.squareRoot()
    let middle = (low + high) / 2
    let own = middle * share * spread
    list.add(
      .harmony, middle, uncertainty: (width * width + own * own).squareRoot(), count: count,
      note: "between \(Int(low.rounded(.down))) and \(Int(high.rounded(.up))): "
        + "\(missing.joined(separator: ", ")) not measured")
  }

  /// The measured values that a part rests on, and why there are none.
  private func values(of part: HarmonyPart) -> (values: [Estimate], reason: String) {
    let source = part.source(isCalibrated: isCalibrated)
    let found = measured.filter { $0.name == ReadingName(source) }
    let values = found.compactMap { reading in
      reading.value.map { Estimate($0, uncertainty: reading.uncertainty ?? 0) }
    }
    let reason = found.compactMap(\.note).first
    return (values, reason ?? "there is no \(source.rawValue)")
  }
}
