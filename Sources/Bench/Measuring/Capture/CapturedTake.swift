// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import HapticRendering
import Perception
import SignalAnalysis
import Units

/// A take as captured, with what every reading needs of it: lined up, its noise known, its events told apart.
///
/// Nothing of it changes once it is made, and making it is most of the work of an analysis.
struct CapturedTake: Sendable {
  let rig: RigDescription
  let target: IntensityTarget
  let take: TakeDrive
  let recording: Recording
  let pattern: String
  let number: Int
  let response: Recording.Channel?
  let noise: NoiseFloor?
  let feltNoise: Double
  /// The hum of the mains that the response was recorded with; `nil` where none stands out.
  let hum: MainsHum?
  let crossAxes: [Axis]
  let alignment: TakeAlignment
  let isolation: EventIsolation
  let separation: (any SeparatedEvents)?
  /// What the drive makes of the pattern, where it makes tones of its own; `nil` for a waveform.
  let expressed: ExpressedIntent?

  struct Axis: Sendable {
    let samples: Samples
    let noise: NoiseFloor
    let feltNoise: Double
  }

  init(
    rig: RigDescription, target: IntensityTarget, take: TakeDrive, recording: Recording,
    pattern: String, number: Int
  ) {
    self.rig = rig
    self.target = target
    self.take = take
    let marked = recording.markingClipping()
    let (recording, hums) = marked.withoutHum(take.quietEnds(of: marked))
    self.recording = recording
    self.pattern = pattern
    self.number = number
    // A channel that never moves is not one that is quiet: nothing is plugged in.
    response = recording.channel(.acceleration).flatMap { $0.isConstant ? nil : $0 }
    let hum = response.flatMap { hums[$0.description.name] }
    self.hum = hum
    noise = response.flatMap { NoiseFloor.estimate($0.samples.prefix(take.quietFrames)) }?
      .noLess(than: response?.resolution ?? 0).with(leftOf: hum)
    feltNoise = Self.feltNoise(response?.samples, noise, hum, take)
    let main = response?.description.name
    crossAxes = recording.channels.compactMap { channel in
      guard channel.description.role == .acceleration, channel.description.name != main,
        let floor = NoiseFloor.estimate(channel.samples.prefix(take.quietFrames))
      else { return nil }
      let hum = hums[channel.description.name]
      return Axis(
        samples: channel.samples, noise: floor.with(leftOf: hum),
        feltNoise: Self.feltNoise(channel.samples, floor, hum, take))
    }
    expressed = recording.expressible.map { ExpressedIntent(take, rig: rig, by: $0) }
    var alignment = TakeAlignment(rig: rig, take: take, recording: recording, noise: noise)
    if let expressed, alignment.electrical == nil, let response, let noise {
      alignment.envelopeFrames = expressed.delay(
        of: response.samples, offset: noise.offset.value, take, target)
    }
    var tones: ToneSeparation?
    if let expressible = recording.expressible, take.configuration.waveform == .tone,
      alignment.deadReason == nil, let response, let noise
    {
      tones = ToneSeparation(alignment, by: expressible, samples: response.samples, noise: noise)
    }
    alignment.tones = tones?.response
    alignment.modelReason = tones?.refusal ?? alignment.modelReason
    if let hum, !hum.isSteady, let response {
      alignment.modelReason = alignment.modelReason.map { "\($0); \(hum.sentence(of: response))" }
    }
    self.alignment = alignment
    isolation = EventIsolation(take.intent.timeline, decayTime: alignment.decayTime)
    if tones != nil {
      separation = tones
    } else if let response, let noise {
      separation =
        alignment.motor == nil
        ? EventSeparation(alignment, samples: response.samples, noise: noise)
        : MotorSeparation(alignment, samples: response.samples, noise: noise)
    } else {
      separation = nil
    }
  }

  /// What samples show in the felt band while nothing is driven, RMS, with what may be left of a hum: all of its lines
  /// lie in the band.
  private static func feltNoise(
    _ samples: Samples?, _ noise: NoiseFloor?, _ hum: MainsHum?, _ drive: TakeDrive
  ) -> Double {
    guard let samples, let noise else { return 0 }
    let quiet = drive.quietFrames
    let inside = quiet / 8..<max(quiet / 8 + 1, min(quiet, samples.count) * 7 / 8)
    let felt = FeltBand.filter.apply(
      to: samples.prefix(quiet).map { $0 - Float(noise.offset.value) }, rate: drive.rate)
    let seen = felt.isEmpty ? 0 : Amplitude.rms(felt[inside].map(Float.init))
    guard let hum, hum.isTakenOff else { return seen }
    return (seen * seen + hum.left * hum.left).squareRoot()
  }

  var sensor: String? { response?.description.name }

  /// Whether levels mean what the pattern asks for: the drive was rendered by the actuator's profile.
  var isCalibrated: Bool { take.configuration.profile != nil }

  var hasHaptics: Bool { take.intent.timeline.events.contains(where: \.kind.isHaptic) }

  /// The drive frame, with its fraction, of a time of the pattern.
  func frame(_ time: Double) -> Double { Double(take.layout.pattern) + time * take.rate.hertz }
}

extension MainsHum {
  /// Says what hums in the quiet of a take.
  func sentence(of response: Recording.Channel) -> String {
    sentence(about: "the quiet of the take", unit: response.description.unit)
  }
}

extension NoiseFloor {
  func noLess(than sigma: Double) -> NoiseFloor {
    guard self.sigma.value < sigma else { return self }
    return NoiseFloor(
      offset: offset, sigma: Estimate(sigma, uncertainty: self.sigma.uncertainty), count: count)
  }
}

extension Recording.Channel {
  var isConstant: Bool {
    let first = samples.isEmpty ? 0 : samples[0]
    return samples.allSatisfy { $0 == first }
  }

  /// What float32 samples of this size round by: no noise below it can be told.
  var resolution: Double {
    Double(samples.reduce(0) { max($0, abs($1)) }) / 16_777_216
  }
}

/// Which haptic events stand alone, and why the others do not.
///
/// An event is isolated when its start lies at least 60 ms, or three decay times of the actuator,
/// whichever is more, after the intended end of every event before it and before the start of every
/// event after it.
struct EventIsolation {
  let margin: Double
  private var neighbours: [Int: Int] = [:]
  private var overlapped: Set<Int> = []

  init(_ timeline: Timeline, decayTime: Double?) {
    margin = max(0.060, 3 * (decayTime ?? 0))
    let events = timeline.events.filter(\.kind.isHaptic)
    var latestEnd = -Double.infinity
    var latestIndex = 0
    for (place, event) in events.enumerated() {
      if event.start - latestEnd < margin { neighbours[event.index] = latestIndex }
      if event.start < latestEnd {
        overlapped.insert(event.index)
        overlapped.insert(latestIndex)
      }
      if place + 1 < events.count, events[place + 1].start - event.start < margin {
        neighbours[event.index] = neighbours[event.index] ?? events[place + 1].index
      }
      let end = event.start + Self.intendedLength(event)
      if end > latestEnd { (latestEnd, latestIndex) = (end, event.index) }
    }
  }

  /// Why an event's onset cannot be told from its neighbours'; `nil` where it stands alone.
  func reason(_ event: TimelineEvent) -> String? {
    neighbours[event.index].map {
      "unresolved: event \($0) is less than \(Int((margin * 1000).rounded())) ms away"
    }
  }

  func isOverlapped(_ event: TimelineEvent) -> Bool { overlapped.contains(event.index) }

  /// The length up to the start of the release, or of the decay's end, in seconds.
  static func intendedLength(_ event: TimelineEvent) -> Double {
    event.envelope.isSustained ? event.envelope.duration : event.envelope.end
  }
}

/// The band in which accelerations are felt and levels are taken: 20 to 1000 Hz.
enum FeltBand {
  static let filter = BandPass(20...1000)
  /// Frames beyond a stretch that the filter needs to be itself, in seconds.
  static let margin = 0.05

  /// A stretch of samples in the band, an offset taken off; of the stretch's length.
  static func stretch(
    _ frames: Range<Int>, of samples: Samples, offset: Float, rate: SampleRate
  ) -> [Float] {
    let room = rate.wholeFrames(margin)
    let wide = ((frames.lowerBound - room)..<(frames.upperBound + room))
      .clamped(to: samples.indices)
    let filtered = filter.apply(to: samples[wide].map { $0 - offset }, rate: rate)
    let first = frames.lowerBound - wide.lowerBound
    return filtered[first..<(first + frames.count)].map(Float.init)
  }
}

struct ReadingList {
  private let pattern: String
  private let number: Int
  private let event: Int?
  var readings: [Reading] = []

  /// Begins an empty list; `event` is what its readings belong to where they name no other.
  init(_ take: CapturedTake, event: Int? = nil) {
    pattern = take.pattern
    number = take.number
    self.event = event
  }

  mutating func add(
    _ kind: ReadingKind, _ value: Double, uncertainty: Double? = nil,
    differencesUncertainty: Double? = nil, count: Int? = nil, event: Int? = nil,
    channel: String? = nil, note: String? = nil
  ) {
    readings.append(
      Reading(
        kind, pattern: pattern, take: number, event: event ?? self.event, channel: channel,
        value: value, uncertainty: uncertainty, differencesUncertainty: differencesUncertainty,
        count: count, note: note))
  }

  mutating func add(
    _ kind: ReadingKind, _ value: Estimate, count: Int? = nil, event: Int? = nil,
    channel: String? = nil, note: String? = nil
  ) {
    add(
      kind, value.value, uncertainty: value.uncertainty, count: count, event: event,
      channel: channel, note: note)
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
