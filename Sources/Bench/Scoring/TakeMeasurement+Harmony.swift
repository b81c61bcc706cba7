import Acceptance
private import Glibc
import HapticRendering
import SignalAnalysis

extension TakeMeasurement {
  /// The harmony of the take and its parts, from the readings taken so far.
  mutating func addHarmony() {
    let events = take.intent.timeline.events
    guard events.contains(where: \.kind.isHaptic) else {
      addMissing(.harmony, because: "the pattern has no haptic event")
      return
    }
    var parts: [(part: HarmonyPart, points: Estimate)] = []
    var missing: [String] = []
    for part in HarmonyPart.allCases {
      // A pattern without sound asks for no sync.
      if part == .sync, !events.contains(where: { !$0.kind.isHaptic }) { continue }
      let (values, reason) = values(of: part)
      if let points = part.points(values) {
        add(part.reading, points.value, uncertainty: points.uncertainty, count: values.count)
        parts.append((part, points))
      } else {
        addMissing(part.reading, because: reason)
        missing.append(part.source.rawValue)
      }
    }
    if !silent.isEmpty {
      let names = silent.prefix(12).map(String.init).joined(separator: ", ")
      addMissing(
        .harmony,
        because:
          "no response stands out of the noise at event\(silent.count == 1 ? "" : "s") \(names)")
      return
    }
    let whole = parts.reduce(0) { $0 + $1.part.weight }
    guard 2 * whole >= HarmonyPart.allCases.reduce(0, { $0 + $1.weight }) else {
      addMissing(
        .harmony,
        because: "too little of it was measured: without \(missing.joined(separator: ", "))")
      return
    }
    let mean = parts.reduce(0) { $0 + $1.part.weight * log($1.points.value) } / whole
    // Parts share causes, so their uncertainties add as they are.
    let spread =
      parts.reduce(0) { $0 + $1.part.weight * $1.points.relativeUncertainty } / whole
    add(
      .harmony, exp(mean), uncertainty: exp(mean) * spread, count: parts.count,
      note: missing.isEmpty ? nil : "without \(missing.joined(separator: ", ")), not measured")
  }

  /// The measured values that a part rests on, and why there are none.
  private func values(of part: HarmonyPart) -> (values: [Estimate], reason: String) {
    let found = readings.filter { $0.name == ReadingName(part.source) }
    let values = found.compactMap { reading in
      reading.value.map { Estimate($0, uncertainty: reading.uncertainty ?? 0) }
    }
    let reason = found.compactMap(\.note).first
    return (values, reason ?? "there is no \(part.source.rawValue)")
  }
}
