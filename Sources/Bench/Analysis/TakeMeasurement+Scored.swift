import Acceptance
import Devices
private import Glibc
import HapticRendering
import SignalAnalysis

extension TakeMeasurement {
  /// How many of the driven events have a time and a level, and how the levels differ among each other.
  mutating func addScored() {
    let driven = drivenEvents
    guard !driven.isEmpty else { return }
    let channel = response?.description.name
    let levels = values(of: .intensityError)
    let timed = values(of: .latencyEvent).merging(values(of: .latencyOnset)) { first, _ in first }
    let scored = driven.filter { event in
      levels[event] != nil && (timed[event] != nil || silent.contains(event))
    }
    add(
      .eventsScored, Double(scored.count) / Double(driven.count), count: driven.count,
      channel: channel)
    addContrast(levels)
  }

  /// The haptic events that ask for something and were given a voice.
  private var drivenEvents: [Int] {
    let dropped = Set(take.droppedEvents)
    return take.intent.timeline.events.filter { event in
      guard event.kind.isHaptic, !dropped.contains(event.index) else { return false }
      if let separation { return separation.isDriven(event.index) }
      return event.kind == .continuous
        || take.intent.intensity(of: event, at: event.start + 1e-9) > 0
    }.map(\.index)
  }

  /// The level errors' root mean square about their mean; the gain that all share is none of it.
  ///
  /// Events of which nothing came count with what they were at most: a difference at least as large as the true one is
  /// not claimed.
  private mutating func addContrast(_ levels: [Int: Estimate]) {
    let channel = response?.description.name
    guard levels.count > 1 else {
      addMissing(
        .intensityContrast, channel: channel,
        because: "fewer than two events have a level: there is no difference to keep")
      return
    }
    let count = Double(levels.count)
    // In the order of events, so that sums come out the same.
    let ordered = levels.sorted { $0.key < $1.key }.map(\.value)
    let mean = ordered.reduce(0) { $0 + $1.value } / count
    let square = ordered.reduce(0) { $0 + ($1.value - mean) * ($1.value - mean) } / count
    let contrast = square.squareRoot()
    // What all events share, the sensor's sensitivity, is the least of their uncertainties.
    let shared = ordered.reduce(Double.infinity) { min($0, $1.uncertainty) }
    let own = ordered.map { max(0, $0.uncertainty * $0.uncertainty - shared * shared) }
    var variance = 0.0
    for (level, own) in zip(ordered, own) {
      let slope = contrast > 0 ? (level.value - mean) / (count * contrast) : 0
      variance += slope * slope * own
    }
    // Near zero a length has no slope: there it is as unsure as what it is made of.
    let floor = own.reduce(0, +) / count / (2 * count).squareRoot()
    add(
      .intensityContrast, contrast, uncertainty: (variance + floor).squareRoot(),
      count: levels.count, channel: channel)
  }

  private func values(of kind: ReadingKind) -> [Int: Estimate] {
    var values: [Int: Estimate] = [:]
    for reading in readings where reading.name == ReadingName(kind) {
      guard let event = reading.event, let value = reading.value else { continue }
      values[event] = Estimate(value, uncertainty: reading.uncertainty ?? 0)
    }
    return values
  }
}
