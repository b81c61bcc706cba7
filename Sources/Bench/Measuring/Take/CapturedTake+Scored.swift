import Acceptance
import Devices
private import Glibc
import HapticRendering
import SignalAnalysis
import Units

/// How many of the driven events have a time and a level, and how the levels differ among each other.
extension CapturedTake {
  func addScored(to list: inout ReadingList, events: [MeasuredEvent]) {
    let driven = drivenEvents
    guard !driven.isEmpty else { return }
    let scored = events.filter { event in
      event.levelError != nil && (event.isTimed || event.isSilent) && driven.contains(event.index)
    }
    list.add(
      .eventsScored, Double(scored.count) / Double(driven.count), count: driven.count,
      channel: sensor)
    addContrast(events.compactMap(\.levelError), to: &list)
  }

  /// The haptic events that ask for something and were given a voice.
  private var drivenEvents: Set<Int> {
    let dropped = Set(take.droppedEvents)
    let driven = take.intent.timeline.events.filter { event in
      guard event.kind.isHaptic, !dropped.contains(event.index) else { return false }
      if let separation { return separation.isDriven(event.index) }
      return event.kind == .continuous
        || take.intent.intensity(of: event, at: event.start + 1e-9) > 0
    }
    return Set(driven.map(\.index))
  }

  /// The level errors' root mean square about their mean; the gain that all share is none of it.
  ///
  /// Events of which nothing came count with what they were at most: a difference at least as large as the true one is
  /// not claimed.
  private func addContrast(_ levels: [Estimate], to list: inout ReadingList) {
    guard levels.count > 1 else {
      list.addMissing(
        .intensityContrast, channel: sensor,
        because: "fewer than two events have a level: there is no difference to keep")
      return
    }
    let count = Double(levels.count)
    let mean = levels.reduce(0) { $0 + $1.value } / count
    let square = levels.reduce(0) { $0 + ($1.value - mean) * ($1.value - mean) } / count
    let contrast = square.squareRoot()
    // What all events share, the sensor's sensitivity, is the least of their uncertainties.
    let shared = levels.reduce(Double.infinity) { min($0, $1.uncertainty) }
    let own = levels.map { max(0, $0.uncertainty * $0.uncertainty - shared * shared) }
    var variance = 0.0
    for (level, own) in zip(levels, own) {
      let slope = contrast > 0 ? (level.value - mean) / (count * contrast) : 0
      variance += slope * slope * own
    }
    // Near zero a length has no slope: there it is as unsure as what it is made of.
    let floor = own.reduce(0, +) / count / (2 * count).squareRoot()
    list.add(
      .intensityContrast, contrast, uncertainty: (variance + floor).squareRoot(),
      count: levels.count, channel: sensor)
  }
}

/// Events of which nothing came, that came late, and responses that no event asked for.
extension CapturedTake {
  /// An event is late where its response surely comes this much after the chain's delay, in seconds.
  private static let late = 1e-3

  func addStrays(to list: inout ReadingList) {
    guard let separation, !separation.parts.isEmpty else { return }
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
      return
    }
    let times = strays.prefix(12).map { EngineeringFormat.text($0, .second) }
    list.add(
      .eventsExtra, Double(strays.count), count: parts.count, channel: sensor,
      note: strays.isEmpty
        ? nil : "at " + times.joined(separator: ", ") + (strays.count > 12 ? ", ..." : ""))
  }
}
