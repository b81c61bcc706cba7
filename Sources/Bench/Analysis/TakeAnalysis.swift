public import Acceptance
public import Devices
import HapticRendering
public import Perception
import SignalAnalysis
import Units

/// Measures one take: alignment, events, pattern, sound.
///
/// Pure: recording and drive in, readings and pictures out; the same inputs give the same bytes.
public struct TakeAnalysis: Sendable {
  /// What a take told.
  public struct Result: Sendable {
    /// The readings, not yet judged.
    public var readings: [Reading]
    /// What a report draws.
    public var figure: TakeFigure
    /// Events that were not measured, each with the reason.
    public var rejected: [(event: Int, reason: String)]
    /// Whether the take's probe found the actuator of the profile; `nil` without a profile, or without a fit.
    public var actuator: SetupFinding?
  }

  let rig: RigDescription
  let target: IntensityTarget

  /// Makes an analysis for a rig, judging levels by a law.
  public init(rig: RigDescription, target: IntensityTarget) {
    self.rig = rig
    self.target = target
  }

  /// Measures a take of a pattern.
  public func measure(
    _ take: TakeDrive, _ recording: Recording, pattern: String, number: Int
  ) -> Result {
    var measurement = TakeMeasurement(
      rig: rig, target: target, take: take, recording: recording, pattern: pattern,
      number: number)
    measurement.addStream()
    measurement.addAlignment()
    measurement.addEvents()
    measurement.addScored()
    measurement.addStrays()
    measurement.addPattern()
    measurement.addQuantisation()
    measurement.addSound()
    measurement.addHarmony()
    return Result(
      readings: measurement.readings, figure: measurement.figure(),
      rejected: measurement.rejected, actuator: measurement.mountedActuator)
  }
}

/// A take while it is measured: what every estimator needs, and what has come out so far.
struct TakeMeasurement {
  let rig: RigDescription
  let target: IntensityTarget
  let take: TakeDrive
  let recording: Recording
  let pattern: String
  let number: Int
  let response: Recording.Channel?
  let noise: NoiseFloor?
  /// The noise in the felt band, RMS.
  let feltNoise: Double
  let alignment: TakeAlignment
  let isolation: EventIsolation
  let separation: (any SeparatedEvents)?
  /// What the drive makes of the pattern, where it makes tones of its own; `nil` for a waveform.
  let expressed: ExpressedIntent?
  var readings: [Reading] = []
  var rejected: [(event: Int, reason: String)] = []
  var onsets: [Int: Double] = [:]
  /// Events that ask for something and whose response is not there.
  var silent: [Int] = []

  init(
    rig: RigDescription, target: IntensityTarget, take: TakeDrive, recording: Recording,
    pattern: String, number: Int
  ) {
    self.rig = rig
    self.target = target
    self.take = take
    let recording = recording.markingClipping()
    self.recording = recording
    self.pattern = pattern
    self.number = number
    // A channel that never moves is not one that is quiet: nothing is plugged in.
    response = recording.channel(.acceleration).flatMap { $0.isConstant ? nil : $0 }
    // Before the probe nothing but the reference is driven: what the sensor shows is noise.
    let quiet = take.quietFrames
    noise = response.flatMap { NoiseFloor.estimate(Array($0.samples.prefix(quiet))) }?
      .noLess(than: response?.resolution ?? 0)
    feltNoise = Self.feltNoise(response, noise, quiet: quiet, rate: take.rate)
    expressed = recording.expressible.map { ExpressedIntent(take, rig: rig, by: $0) }
    var alignment = TakeAlignment(rig: rig, take: take, recording: recording, noise: noise)
    if let expressed, alignment.electrical == nil, let response, let noise {
      alignment.envelopeFrames = expressed.delay(
        of: response.samples, offset: noise.offset.value, take, target)
    }
    self.alignment = alignment
    isolation = EventIsolation(take.intent.timeline, decayTime: alignment.decayTime)
    separation = response.flatMap { [alignment, noise] response in
      noise.flatMap { noise -> (any SeparatedEvents)? in
        guard alignment.motor == nil else {
          return MotorSeparation(
            take, rig: rig, recording: recording, alignment: alignment, samples: response.samples,
            noise: noise)
        }
        return EventSeparation(
          take, rig: rig, recording: recording, alignment: alignment, samples: response.samples,
          noise: noise)
      }
    }
  }

  /// What a channel shows in the felt band while nothing is driven, RMS.
  static func feltNoise(
    _ response: Recording.Channel?, _ noise: NoiseFloor?, quiet: Int, rate: SampleRate
  ) -> Double {
    guard let response, let noise else { return 0 }
    let inside = quiet / 8..<max(quiet / 8 + 1, min(quiet, response.samples.count) * 7 / 8)
    let felt = FeltBand.filter.apply(
      to: response.samples.prefix(quiet).map { $0 - Float(noise.offset.value) },
      rate: rate)
    return felt.isEmpty ? 0 : Amplitude.rms(felt[inside].map(Float.init))
  }

  /// The drive frame, with its fraction, of a time of the pattern.
  func frame(_ time: Double) -> Double { Double(take.layout.pattern) + time * take.rate.hertz }

  mutating func add(
    _ kind: ReadingKind, _ value: Double, uncertainty: Double? = nil, count: Int? = nil,
    event: Int? = nil, channel: String? = nil, note: String? = nil
  ) {
    readings.append(
      Reading(
        kind, pattern: pattern, take: number, event: event, channel: channel, value: value,
        uncertainty: uncertainty, count: count, note: note))
  }

  mutating func addMissing(
    _ kind: ReadingKind, event: Int? = nil, channel: String? = nil, because reason: String
  ) {
    readings.append(
      Reading(
        notMeasured: kind, pattern: pattern, take: number, event: event, channel: channel,
        because: reason))
  }
}

extension NoiseFloor {
  /// The same floor with at least a standard deviation.
  func noLess(than sigma: Double) -> NoiseFloor {
    guard self.sigma.value < sigma else { return self }
    return NoiseFloor(
      offset: offset, sigma: Estimate(sigma, uncertainty: self.sigma.uncertainty), count: count,
      outlierCount: outlierCount)
  }
}

extension Recording.Channel {
  /// Whether all samples are one value.
  var isConstant: Bool { samples.allSatisfy { $0 == samples[0] } }

  /// What float32 samples of this size round by: no noise below it can be told.
  var resolution: Double {
    Double(samples.reduce(0) { max($0, abs($1)) }) / 16_777_216
  }
}
