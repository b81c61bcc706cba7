import Acceptance
import Devices
import HapticRendering
import SignalAnalysis
import Units

extension TakeMeasurement {
  /// Onset, level and frequency of each haptic event that can be told apart.
  mutating func addEvents() {
    guard let response, let noise else {
      guard let reason = alignment.deadReason else { return }
      for event in take.intent.timeline.events where event.kind.isHaptic {
        silent.append(event.index)
        reject(event, because: reason, kinds: [.latencyOnset, .responsePeak, .intensityError])
      }
      return
    }
    let detector = OnsetDetector(rate: take.rate)
    // A gap's zeros are far from rest where gravity is in the samples: what looks for a peak, or filters,
    // reaches into one that is near an event.
    var resting = response.samples
    for frame in recording.gaps.joined() where resting.indices.contains(frame) {
      resting[frame] = Float(noise.offset.value)
    }
    let windows = EventWindows(alignment: alignment, isolation: isolation)
    let dropped = Set(take.droppedEvents)
    for event in take.intent.timeline.events where event.kind.isHaptic {
      let start = frame(event.start)
      guard !dropped.contains(event.index) else {
        reject(
          event, because: "it was left out: more events were in force than there are voices",
          kinds: [.latencyOnset, .responsePeak])
        continue
      }
      if let reason = alignment.deadReason {
        silent.append(event.index)
        reject(event, because: reason, kinds: [.latencyOnset, .responsePeak, .intensityError])
        continue
      }
      guard let delay = alignment.responseFrames(at: start) else {
        let reason = "the delay from command to response is not known"
        reject(event, because: reason, kinds: [.latencyOnset])
        continue
      }
      let span = windows.span(of: event, in: self, delay: delay)
      guard span.upperBound <= response.samples.count else {
        reject(
          event, because: "the recording ends before it", kinds: [.latencyOnset, .responsePeak])
        continue
      }
      guard !recording.touches(span, delay: delay) else {
        reject(
          event, because: "a gap, an xrun or an overload touches it",
          kinds: [.latencyOnset, .responsePeak])
        continue
      }
      guard
        take.intent.intensity(of: event, at: event.start + 1e-9) > 0
          || event.kind == .continuous
      else {
        reject(event, because: "it asks for no intensity", kinds: [.latencyOnset])
        continue
      }
      if let held = expressed?.held(event, target), held.isSilent {
        // What the drive leaves out is its loss, and no fault of the actuator's.
        reject(
          event, because: "the drive cannot express it and stays silent",
          kinds: [.latencyOnset, .responsePeak, .intensityError])
        continue
      }
      addTransport(event)
      let own = separation?.response(of: event.index)
      addOnset(event, resting, noise, detector, start: start, own: own)
      addLevel(event, resting, noise, delay: delay, own: own)
      addEnd(event, resting, noise, delay: delay, own: own)
      addShape(event, resting, delay: delay, own: own)
    }
  }

  /// The event's own transport, from the fit that tells it from those beside it.
  private mutating func addTransport(_ event: TimelineEvent) {
    let channel = response?.description.name
    guard let separation else { return }
    guard let part = separation.parts[event.index] else {
      addMissing(
        .latencyEvent, event: event.index, channel: channel,
        because: separation.reasons[event.index] ?? "it was not fitted")
      return
    }
    guard let delay = part.delay else {
      addMissing(
        .latencyEvent, event: event.index, channel: channel,
        because: part.delayReason ?? "it was not fitted")
      return
    }
    let coil = alignment.coil
    let spread = delay.uncertainty * delay.uncertainty + coil.uncertainty * coil.uncertainty
    add(
      .latencyEvent, delay.value - alignment.sensorDelay - coil.value,
      uncertainty: spread.squareRoot(), count: part.frameCount, event: event.index,
      channel: channel, note: part.account)
  }

  /// Notes an event that is not measured, and of which readings it is missed.
  mutating func reject(
    _ event: TimelineEvent, because reason: String, kinds: [ReadingKind]
  ) {
    rejected.append((event.index, reason))
    for kind in kinds { addMissing(kind, event: event.index, because: reason) }
  }
}

/// Which capture frames an event needs to be whole.
struct EventWindows {
  let alignment: TakeAlignment
  let isolation: EventIsolation

  /// From a little before the event's response to the end of its intended length.
  func span(of event: TimelineEvent, in take: TakeMeasurement, delay: Double) -> Range<Int> {
    let rate = take.take.rate.hertz
    let first = take.frame(event.start) + delay - 0.012 * rate
    let last = take.frame(event.start + EventIsolation.intendedLength(event)) + delay + 0.01 * rate
    return max(0, Int(first))..<max(1, Int(last))
  }
}
