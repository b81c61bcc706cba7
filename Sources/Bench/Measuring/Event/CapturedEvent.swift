// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
private import Glibc
import HapticRendering
import Perception
import SignalAnalysis
import Units

/// Reads every haptic event of a take: when it came, how strong, how sharp, how it ended.
///
/// An event that the recording does not hold whole, or that drives nothing, is rejected with the reason.
extension CapturedTake {
  func measuredEvents() -> [MeasuredEvent] {
    let haptic = take.intent.timeline.events.filter(\.kind.isHaptic)
    guard let response, let noise else {
      guard let reason = alignment.deadReason else { return [] }
      return haptic.map { dead($0, because: reason) }
    }
    // A gap's zeros are far from rest where gravity is in the samples: what looks for a peak, or filters,
    // reaches into one that is near an event.
    let resting = response.samples.holding(Float(noise.offset.value), in: recording.gaps)
    let dropped = Set(take.droppedEvents)
    return haptic.concurrentMap { event in
      guard dropped.contains(event.index) else { return measured(event, samples: resting, noise) }
      var left = MeasuredEvent(event.index, of: self)
      left.reject(
        because: "it was left out: more events were in force than there are voices",
        kinds: [.latencyOnset, .responsePeak])
      return left
    }
  }

  private func measured(
    _ event: TimelineEvent, samples: Samples, _ noise: NoiseFloor
  ) -> MeasuredEvent {
    var measured = MeasuredEvent(event.index, of: self)
    if let reason = alignment.deadReason { return dead(event, because: reason) }
    guard let delay = alignment.responseFrames(at: frame(event.start)) else {
      measured.reject(
        because: "the delay from command to response is not known", kinds: [.latencyOnset])
      return measured
    }
    if let (reason, kinds) = gap(event, delay: delay, frameCount: samples.count) {
      measured.reject(because: reason, kinds: kinds)
      return measured
    }
    let captured = CapturedEvent(
      source: self, event: event, samples: samples, floor: noise, delay: delay,
      own: separation?.response(of: event.index))
    captured.addTransport(to: &measured)
    captured.addOnset(to: &measured)
    captured.addLevel(to: &measured)
    captured.addEnd(to: &measured)
    captured.addShape(to: &measured)
    return measured
  }

  private func dead(_ event: TimelineEvent, because reason: String) -> MeasuredEvent {
    var measured = MeasuredEvent(event.index, of: self)
    measured.isSilent = true
    measured.reject(because: reason, kinds: [.latencyOnset, .responsePeak, .intensityError])
    return measured
  }

  /// Why nothing is read of an event, and which readings are missed; `nil` of one that is read.
  private func gap(
    _ event: TimelineEvent, delay: Double, frameCount: Int
  ) -> (reason: String, kinds: [ReadingKind])? {
    let span = span(of: event, delay: delay)
    if span.upperBound > frameCount {
      return ("the recording ends before it", [.latencyOnset, .responsePeak])
    }
    if recording.touches(span, delay: delay) {
      return ("a gap, an xrun or an overload touches it", [.latencyOnset, .responsePeak])
    }
    guard
      take.intent.intensity(of: event, at: event.start + 1e-9) > 0 || event.kind == .continuous
    else { return ("it asks for no intensity", [.latencyOnset]) }
    if let held = expressed?.held(event, target), held.isSilent {
      // What the drive leaves out is its loss, and no fault of the actuator's.
      return (
        "the drive cannot express it and stays silent",
        [.latencyOnset, .responsePeak, .intensityError]
      )
    }
    return nil
  }

  /// The capture frames that an event needs to be whole: from a little before its response to the end of its
  /// intended length.
  private func span(of event: TimelineEvent, delay: Double) -> Range<Int> {
    let rate = take.rate.hertz
    let first = frame(event.start) + delay - 0.012 * rate
    let last = frame(event.start + EventIsolation.intendedLength(event)) + delay + 0.01 * rate
    return max(0, Int(first))..<max(1, Int(last))
  }
}

struct CapturedEvent {
  let source: CapturedTake
  let event: TimelineEvent
  /// The sensor's samples, at rest where there was a gap.
  let samples: Samples
  let floor: NoiseFloor
  /// From the drive's frames to the response's, at the event's start.
  let delay: Double
  /// Its own part of the response; `nil` where it could not be told apart.
  let own: SeparatedResponse?

  var rig: RigDescription { source.rig }
  var isMotor: Bool { source.isMotor }
  var target: IntensityTarget { source.target }
  var take: TakeDrive { source.take }
  var recording: Recording { source.recording }
  var response: Recording.Channel? { source.response }
  var feltNoise: Double { source.feltNoise }
  var alignment: TakeAlignment { source.alignment }
  var isolation: EventIsolation { source.isolation }
  var separation: (any SeparatedEvents)? { source.separation }
  var expressed: ExpressedIntent? { source.expressed }
  func frame(_ time: Double) -> Double { source.frame(time) }
  var part: SeparatedPart? { separation?.parts[event.index] }

  /// Why the event is not told from those beside it: what the joint fit says, or that there was none.
  func unresolved(_ reason: String) -> String {
    if let told = separation?.reasons[event.index] { return told }
    guard !alignment.hasProbe, separation == nil else { return reason }
    return reason + ", and nothing tells events apart in a take without its probe"
  }

  /// Its own transport, from the fit that tells it from those beside it.
  func addTransport(to measured: inout MeasuredEvent) {
    guard let separation else { return }
    guard let part, let delay = part.delay else {
      measured.addMissing(
        .latencyEvent,
        because: part?.delayReason ?? separation.reasons[event.index] ?? "it was not fitted")
      return
    }
    let lost =
      alignment.hasReference && alignment.electrical == nil ? alignment.electricalReason : nil
    if let reason = alignment.untimedReason ?? lost {
      measured.addMissing(.latencyEvent, because: reason)
      return
    }
    let coil = alignment.coil
    let spread = delay.uncertainty * delay.uncertainty + coil.uncertainty * coil.uncertainty
    measured.isTimed = true
    measured.add(
      .latencyEvent, delay.value - alignment.sensorDelay - coil.value,
      uncertainty: spread.squareRoot(), count: part.frameCount,
      note: alignment.noteOfTime(part.groupNote))
  }
}

struct MeasuredEvent {
  let index: Int
  private var list: ReadingList
  private let sensor: String?
  /// Why nothing, or no time or level, was read of it; the first reason of several.
  private(set) var rejection: String?
  /// When its response begins, in seconds of the pattern as captured.
  var onset: Double?
  var levelError: Estimate?
  /// Whether it asks for something and its response is not there.
  var isSilent = false
  /// Whether nothing came of it, though it was driven: its level is what it had at most.
  var isDropped = false
  /// Whether it has a time of its own, by its transport or its onset.
  var isTimed = false

  init(_ index: Int, of take: CapturedTake) {
    self.index = index
    list = ReadingList(take, event: index)
    sensor = take.response?.description.name
  }

  var readings: [Reading] { list.readings }

  mutating func add(
    _ kind: ReadingKind, _ value: Double, uncertainty: Double? = nil,
    differencesUncertainty: Double? = nil, count: Int? = nil, note: String? = nil
  ) {
    list.add(
      kind, value, uncertainty: uncertainty, differencesUncertainty: differencesUncertainty,
      count: count, channel: sensor, note: note)
  }

  mutating func addMissing(_ kind: ReadingKind, because reason: String) {
    list.addMissing(kind, channel: sensor, because: reason)
  }

  mutating func reject(
    because reason: String, kinds: [ReadingKind], channel: String? = nil
  ) {
    rejection = rejection ?? reason
    for kind in kinds { list.addMissing(kind, channel: channel, because: reason) }
  }
}

extension CapturedEvent {
  /// A vibration shorter than this shows no harmonics, in seconds.
  private static let shortestTone = 0.1

  func addShape(to measured: inout MeasuredEvent) {
    guard let own, let part, part.members.count == 1, !part.isDropped else { return }
    addRise(own, part, to: &measured)
    let rate = take.rate
    let begin = Int(frame(event.start) + delay) - own.first
    let length = rate.wholeFrames(EventIsolation.intendedLength(event))
    let window = (begin..<(begin + max(16, length))).clamped(to: own.fitted.indices)
    guard window.count >= 16, feltNoise > 0 else { return }
    let level = Amplitude.rms(own.fitted[window].map(Float.init))
    guard level > 0 else { return }
    let gain = part.gain.relativeUncertainty
    measured.add(
      .responseSNR, Decibels.of(amplitude: level / feltNoise),
      uncertainty: Decibels.of(amplitude: 1 + gain), count: window.count)
    guard isolation.reason(event) == nil, !isolation.isOverlapped(event) else { return }
    let frames = (begin + own.first)..<(begin + own.first + window.count)
    addDistortion(frames, to: &measured)
    addCrossAxes(frames, to: &measured)
  }

  /// From a tenth to nine tenths of the highest swing, along the heights of the swings.
  private func addRise(
    _ own: SeparatedResponse, _ part: SeparatedPart, to measured: inout MeasuredEvent
  ) {
    let sizes = own.fitted.map(abs)
    let peak = sizes.reduce(0, max)
    guard peak > 0 else { return }
    let swings = sizes.indices.dropFirst().dropLast().filter {
      sizes[$0] > sizes[$0 - 1] && sizes[$0] >= sizes[$0 + 1] && sizes[$0] > 0.02 * peak
    }
    func passage(_ share: Double) -> Double? {
      let level = share * peak
      guard let passing = swings.firstIndex(where: { sizes[$0] >= level }) else { return nil }
      let high = swings[passing]
      // Before the first swing the response is at rest: that begins a quarter of a period before its top.
      let (low, height) =
        passing > 0
        ? (Double(swings[passing - 1]), sizes[swings[passing - 1]])
        : (Double(own.fitted[..<high].lastIndex { $0 * own.fitted[high] <= 0 } ?? 0), 0)
      return low + (Double(high) - low) * (level - height) / max(sizes[high] - height, 1e-30)
    }
    // What the model leaves over moves both passages.
    let doubt = min(0.08, part.misfit / 2)
    guard let low = passage(0.1), let high = passage(0.9), high > low,
      let early = passage(0.1 - doubt), let late = passage(0.1 + doubt),
      let soon = passage(0.9 - doubt), let last = passage(min(1, 0.9 + doubt))
    else { return }
    let (foot, head) = ((late - early) / 2, (last - soon) / 2)
    // Between two swings the height is known as well as a straight line goes.
    let swing = swings.count > 1 ? Double(swings[1] - swings[0]) / 8 : 0
    let spread = (foot * foot + head * head + swing * swing).squareRoot()
    measured.add(
      .responseRise, (high - low) / take.rate.hertz, uncertainty: spread / take.rate.hertz,
      count: 1)
  }

  private func addDistortion(_ frames: Range<Int>, to measured: inout MeasuredEvent) {
    let rate = take.rate
    // The rise is no steady vibration.
    let rise = rate.wholeFrames(5 * (alignment.decayTime ?? 0))
    let steady = (frames.lowerBound + rise)..<max(frames.lowerBound + rise, frames.upperBound)
    guard event.kind == .continuous, take.intent.timeline.controls.sharpness.isNeutral,
      steady.count >= rate.wholeFrames(Self.shortestTone), steady.upperBound <= samples.count,
      let found = DominantFrequency.estimate(samples[steady], rate: rate),
      let tone = ToneFit.refining(samples[steady], rate: rate, frequency: found.frequency.value)
    else { return }
    let distortion = tone.distortion
    guard distortion.value.isFinite, distortion.uncertainty.isFinite else { return }
    measured.add(
      .responseDistortion, distortion.value, uncertainty: distortion.uncertainty,
      count: steady.count)
  }

  private func addCrossAxes(_ frames: Range<Int>, to measured: inout MeasuredEvent) {
    guard !source.crossAxes.isEmpty,
      source.crossAxes.allSatisfy({ frames.upperBound <= $0.samples.count }),
      frames.upperBound <= samples.count
    else { return }
    let main = CapturedTake.Axis(samples: samples, noise: floor, feltNoise: feltNoise)
    let along = power(frames, of: main).power
    let others = source.crossAxes.map { power(frames, of: $0) }
    let across = others.reduce(0) { $0 + $1.power }
    let doubt = others.reduce(0) { $0 + $1.uncertainty * $1.uncertainty }
    guard along > 0 else { return }
    let share = (across / along).squareRoot()
    let most = ((across + doubt.squareRoot()) / along).squareRoot()
    measured.add(.responseCrossAxis, share, uncertainty: most - share, count: frames.count)
  }

  /// The power of an axis in the felt band, noise taken off, and how unsure the noise makes it.
  private func power(
    _ frames: Range<Int>, of axis: CapturedTake.Axis
  ) -> (power: Double, uncertainty: Double) {
    let felt = FeltBand.stretch(
      frames, of: axis.samples, offset: Float(axis.noise.offset.value), rate: take.rate)
    let scale = LevelUncertainty(
      rig: rig, sigma: axis.feltNoise, seconds: Double(felt.count) / take.rate.hertz)
    let whole = Amplitude.rms(felt)
    let own = max(0, whole * whole - axis.feltNoise * axis.feltNoise)
    return (own, scale.power(own))
  }
}
