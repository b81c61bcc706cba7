import Acceptance
import SignalAnalysis
import Units

/// Events of which nothing came, that came late, and responses that no event asked for.
struct StrayMeasurer: TakeMeasurer {
  let source: CapturedTake

  /// An event is late where its response surely comes this much after the chain's delay, in seconds.
  private static let late = 1e-3

  func readings() -> [Reading] {
    var list = ReadingList(source)
    guard let separation, !separation.parts.isEmpty else { return [] }
    func names(_ events: [Int]) -> String? {
      guard !events.isEmpty else { return nil }
      let more = events.count > 12 ? ", ..." : ""
      return "event\(events.count == 1 ? "" : "s") "
        + events.prefix(12).map(String.init).joined(separator: ", ") + more
    }
    let parts = separation.parts.sorted { $0.key < $1.key }
    let dropped = parts.filter(\.value.isDropped).map(\.key)
    list.add(
      .eventsDropped, Double(dropped.count), count: parts.count, channel: sensor,
      note: names(dropped))
    let chain = alignment.chainDelay?.value
    let late = parts.filter { _, part in
      guard let delay = part.delay, let chain else { return false }
      return delay.value - chain > max(Self.late, 3 * delay.uncertainty)
    }.map(\.key)
    list.add(
      .eventsLate, Double(late.count), count: parts.count, channel: sensor, note: names(late))
    guard let strays = separation.strays() else {
      list.addMissing(
        .eventsExtra, channel: sensor,
        because: "a strength without a phase tells no response beside those that were asked for")
      return list.readings
    }
    let times = strays.prefix(12).map { EngineeringFormat.text($0, .second) }
    list.add(
      .eventsExtra, Double(strays.count), count: parts.count, channel: sensor,
      note: strays.isEmpty
        ? nil : "at " + times.joined(separator: ", ") + (strays.count > 12 ? ", ..." : ""))
    return list.readings
  }
}
