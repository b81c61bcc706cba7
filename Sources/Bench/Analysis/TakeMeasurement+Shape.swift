import Acceptance
import Devices
private import Glibc
import HapticRendering
import SignalAnalysis
import Units

/// What an event's own part of the response looks like, beyond its time, its level and its end. Where a part
/// does not allow a reading, there is none.
extension TakeMeasurement {
  /// A vibration shorter than this shows no harmonics, in seconds.
  private static var shortestTone: Double { 0.1 }
  /// An event is late where its response surely comes this much after the chain's delay, in seconds.
  private static var late: Double { 1e-3 }

  /// Rise, distance from the noise, harmonics and motion across the axis.
  mutating func addShape(
    _ event: TimelineEvent, _ samples: [Float], delay: Double, own: SeparatedResponse?
  ) {
    guard let own, let part = separation?.parts[event.index], part.members.count == 1,
      !part.isDropped
    else { return }
    addRise(event, own, part)
    let rate = take.rate
    let begin = Int(frame(event.start) + delay) - own.first
    let length = rate.wholeFrames(EventIsolation.intendedLength(event))
    let window = (begin..<(begin + max(16, length))).clamped(to: own.fitted.indices)
    guard window.count >= 16, feltNoise > 0 else { return }
    let level = Amplitude.rms(own.fitted[window].map(Float.init))
    guard level > 0 else { return }
    let gain = part.gain.relativeUncertainty
    add(
      .responseSNR, Decibels.of(amplitude: level / feltNoise),
      uncertainty: Decibels.of(amplitude: 1 + gain), count: window.count, event: event.index,
      channel: response?.description.name)
    guard isolation.reason(event) == nil, !isolation.isOverlapped(event) else { return }
    let frames = (begin + own.first)..<(begin + own.first + window.count)
    addDistortion(event, samples, frames)
    addCrossAxis(event, frames)
  }

  /// From a tenth to nine tenths of the highest swing, along the heights of the swings.
  private mutating func addRise(
    _ event: TimelineEvent, _ own: SeparatedResponse, _ part: SeparatedPart
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
    add(
      .responseRise, (high - low) / take.rate.hertz, uncertainty: spread / take.rate.hertz,
      count: 1, event: event.index, channel: response?.description.name)
  }

  /// The harmonics of a steady vibration.
  private mutating func addDistortion(
    _ event: TimelineEvent, _ samples: [Float], _ frames: Range<Int>
  ) {
    let rate = take.rate
    // The rise is no steady vibration.
    let rise = rate.wholeFrames(5 * (alignment.decayTime ?? 0))
    let steady = (frames.lowerBound + rise)..<max(frames.lowerBound + rise, frames.upperBound)
    guard event.kind == .continuous, take.intent.timeline.controls.sharpness.isNeutral,
      steady.count >= rate.wholeFrames(Self.shortestTone), steady.upperBound <= samples.count,
      let found = DominantFrequency.estimate(Array(samples[steady]), rate: rate),
      let tone = ToneFit.refining(
        samples, frames: steady, rate: rate, frequency: found.frequency.value)
    else { return }
    let distortion = tone.distortion
    guard distortion.value.isFinite, distortion.uncertainty.isFinite else { return }
    add(
      .responseDistortion, distortion.value, uncertainty: distortion.uncertainty,
      count: steady.count, event: event.index, channel: response?.description.name)
  }

  /// How much moves on the sensor's other axes.
  private mutating func addCrossAxis(_ event: TimelineEvent, _ frames: Range<Int>) {
    let axes = recording.channels.filter { $0.description.role == .acceleration }
    guard axes.count > 1, let main = response?.description.name else { return }
    let quiet = take.quietFrames
    var (along, across, doubt) = (0.0, 0.0, 0.0)
    for axis in axes {
      guard let floor = NoiseFloor.estimate(Array(axis.samples.prefix(quiet))),
        frames.upperBound <= axis.samples.count
      else { return }
      let felt = FeltBand.stretch(
        frames, of: axis.samples, offset: Float(floor.offset.value), rate: take.rate)
      let noise = Self.feltNoise(axis, floor, quiet: quiet, rate: take.rate)
      let power = Amplitude.rms(felt) * Amplitude.rms(felt)
      let scale = LevelUncertainty(
        rig: rig, sigma: noise, seconds: Double(felt.count) / take.rate.hertz)
      let own = max(0, power - noise * noise)
      if axis.description.name == main {
        along = own
      } else {
        across += own
        doubt += scale.power(own) * scale.power(own)
      }
    }
    guard along > 0 else { return }
    let share = (across / along).squareRoot()
    let most = ((across + doubt.squareRoot()) / along).squareRoot()
    add(
      .responseCrossAxis, share, uncertainty: most - share, count: frames.count,
      event: event.index, channel: main)
  }

  /// Events of which nothing came, that came late, and responses that no event asked for.
  mutating func addStrays() {
    guard let separation, !separation.parts.isEmpty else { return }
    let channel = response?.description.name
    func list(_ events: [Int]) -> String? {
      guard !events.isEmpty else { return nil }
      let more = events.count > 12 ? ", ..." : ""
      return "event\(events.count == 1 ? "" : "s") "
        + events.prefix(12).map(String.init).joined(separator: ", ") + more
    }
    let parts = separation.parts.sorted { $0.key < $1.key }
    let dropped = parts.filter(\.value.isDropped).map(\.key)
    add(
      .eventsDropped, Double(dropped.count), count: parts.count, channel: channel,
      note: list(dropped))
    let chain = alignment.modelDelay?.value
    let late = parts.filter { _, part in
      guard let delay = part.delay, let chain else { return false }
      return delay.value - chain > max(Self.late, 3 * delay.uncertainty)
    }.map(\.key)
    add(.eventsLate, Double(late.count), count: parts.count, channel: channel, note: list(late))
    guard let strays = separation.strays() else {
      addMissing(
        .eventsExtra, channel: channel,
        because: "a motor's speed tells no response beside those that were asked for")
      return
    }
    let times = strays.prefix(12).map { EngineeringFormat.text($0, .second) }
    add(
      .eventsExtra, Double(strays.count), count: parts.count, channel: channel,
      note: strays.isEmpty
        ? nil : "at " + times.joined(separator: ", ") + (strays.count > 12 ? ", ..." : ""))
  }
}
