import Acceptance
import SignalAnalysis

/// What was read of one event of a take.
struct MeasuredEvent {
  /// Its place in the timeline.
  let index: Int
  private var list: ReadingList
  /// Why nothing, or no time or level, was read of it; the first reason of several.
  private(set) var rejection: String?
  /// When its response begins, in seconds of the pattern as captured.
  var onset: Double?
  /// Its level against what was asked, in dB.
  var levelError: Estimate?
  /// Whether it asks for something and its response is not there.
  var isSilent = false
  /// Whether nothing came of it, though it was driven: its level is what it had at most.
  var isDropped = false
  /// Whether it has a time of its own, by its transport or its onset.
  var isTimed = false

  /// Begins with nothing read.
  init(_ index: Int, of take: CapturedTake) {
    self.index = index
    list = ReadingList(take, event: index)
  }

  /// Its readings, in the order they were taken.
  var readings: [Reading] { list.readings }

  mutating func add(
    _ kind: ReadingKind, _ value: Double, uncertainty: Double? = nil, count: Int? = nil,
    channel: String? = nil, note: String? = nil
  ) {
    list.add(
      kind, value, uncertainty: uncertainty, count: count, channel: channel, note: note)
  }

  mutating func addMissing(
    _ kind: ReadingKind, channel: String? = nil, because reason: String
  ) {
    list.addMissing(kind, channel: channel, because: reason)
  }

  /// Notes that it is not measured, and of which readings it is missed.
  mutating func reject(
    because reason: String, kinds: [ReadingKind], channel: String? = nil
  ) {
    rejection = rejection ?? reason
    for kind in kinds { addMissing(kind, channel: channel, because: reason) }
  }
}
