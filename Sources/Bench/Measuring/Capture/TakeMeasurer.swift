import Acceptance
import Devices
import HapticRendering
import Perception
import SignalAnalysis
import Units

/// Reads one kind of thing of a take: from what was captured to readings, and nothing else.
protocol TakeMeasurer: TakeReader {
  /// What it read, in an order that does not change.
  func readings() -> [Reading]
}

/// Whoever looks at a captured take; what is seen of it stands at hand by name.
protocol TakeReader {
  var source: CapturedTake { get }
}

extension TakeReader {
  var rig: RigDescription { source.rig }
  var target: IntensityTarget { source.target }
  var take: TakeDrive { source.drive }
  var recording: Recording { source.recording }
  var response: Recording.Channel? { source.response }
  var noise: NoiseFloor? { source.noise }
  var feltNoise: Double { source.feltNoise }
  var alignment: TakeAlignment { source.alignment }
  var isolation: EventIsolation { source.isolation }
  var separation: (any SeparatedEvents)? { source.separation }
  var expressed: ExpressedIntent? { source.expressed }

  var sensor: String? { response?.description.name }

  /// Whether levels mean what the pattern asks for: the drive was rendered by the actuator's profile.
  var isCalibrated: Bool { take.configuration.profile != nil }

  /// Whether the pattern asks for anything to be felt.
  var hasHaptics: Bool { take.intent.timeline.events.contains(where: \.kind.isHaptic) }

  /// The drive frame, with its fraction, of a time of the pattern.
  func frame(_ time: Double) -> Double { Double(take.layout.pattern) + time * take.rate.hertz }
}

/// Readings of one take, or of one event of it, in the order they were added.
struct ReadingList {
  private let pattern: String
  private let number: Int
  private let event: Int?
  private(set) var readings: [Reading] = []

  /// Begins an empty list; `event` is what its readings belong to where they name no other.
  init(_ take: CapturedTake, event: Int? = nil) {
    pattern = take.pattern
    number = take.number
    self.event = event
  }

  mutating func add(
    _ kind: ReadingKind, _ value: Double, uncertainty: Double? = nil, count: Int? = nil,
    event: Int? = nil, channel: String? = nil, note: String? = nil
  ) {
    readings.append(
      Reading(
        kind, pattern: pattern, take: number, event: event ?? self.event, channel: channel,
        value: value, uncertainty: uncertainty, count: count, note: note))
  }

  mutating func addMissing(
    _ kind: ReadingKind, event: Int? = nil, channel: String? = nil, because reason: String
  ) {
    readings.append(
      Reading(
        notMeasured: kind, pattern: pattern, take: number, event: event ?? self.event,
        channel: channel, because: reason))
  }
}
