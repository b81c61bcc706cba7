import Acceptance
import Devices
import HapticRendering
import Profiles
import SignalAnalysis
import Units

extension TakeMeasurement {
  /// What the devices themselves told: losses, clipping, limiting.
  mutating func addStream() {
    add(.dropouts, stretches([.drop]), count: recording.frameCount)
    add(.xruns, stretches([.underrun, .overrun]), count: recording.frameCount)
    add(.overloads, stretches([.overload]), count: recording.frameCount)
    add(.driveLimited, Double(take.limited.total), count: take.layout.frameCount)
    add(.mixingLimited, Double(take.mixingLimited), count: take.layout.frameCount)
    add(
      .voicesDropped, Double(take.droppedEvents.count), count: take.intent.timeline.events.count)
  }

  /// How many stretches of frames something happened in: what drive and capture report of one moment
  /// counts once.
  private func stretches(_ kinds: Set<StreamEvent.Kind>) -> Double {
    let events = (recording.captureEvents + recording.driveEvents)
      .filter { kinds.contains($0.kind) }.sorted { $0.frame < $1.frame }
    var count = 0
    var end = Int.min
    for event in events {
      if event.frame >= end { count += 1 }
      end = max(end, event.frames.upperBound)
    }
    return Double(count)
  }

  /// Latencies of the chain, drift and noise.
  mutating func addAlignment() {
    let reference = recording.channel(.reference)?.description.name
    let sensor = response?.description.name
    let rate = take.rate.hertz
    if let line = alignment.electrical {
      add(
        .latencyElectrical, line.offset.value / rate, uncertainty: line.offset.uncertainty / rate,
        count: 2, channel: reference)
      if let reason = alignment.driftReason {
        addMissing(.drift, channel: reference, because: reason)
      } else {
        add(
          .drift, line.drift.value, uncertainty: line.drift.uncertainty, count: 2,
          channel: reference)
      }
    } else {
      let reason = alignment.electricalReason ?? "no reference"
      addMissing(.latencyElectrical, channel: reference, because: reason)
      addMissing(.drift, channel: reference, because: reason)
    }
    if let transport = alignment.transport {
      add(
        .latencyTransport, transport.value, uncertainty: transport.uncertainty, count: 1,
        channel: sensor, note: alignment.modelNote)
    } else {
      addMissing(
        .latencyTransport, channel: sensor,
        because: alignment.modelReason ?? alignment.electricalReason ?? "no fit")
    }
    if let rise = alignment.rise {
      add(.latencyRise, rise.value, uncertainty: rise.uncertainty, count: 1, channel: sensor)
    } else {
      addMissing(
        .latencyRise, channel: sensor,
        because: alignment.modelReason ?? "one resonance does not describe the response")
    }
    if let noise {
      add(
        .noiseFloor, noise.sigma.value, uncertainty: noise.sigma.uncertainty, count: noise.count,
        channel: sensor)
    } else {
      addMissing(.noiseFloor, channel: sensor, because: "there is no quiet stretch of response")
    }
  }
}

extension TakeAlignment {
  /// The fitted resonator in words.
  var modelNote: String? {
    guard let model else { return nil }
    let frequency = EngineeringFormat.text(
      model.frequency.value, .hertz, uncertainty: model.frequency.uncertainty)
    let q = EngineeringFormat.text(model.q.value, .one, uncertainty: model.q.uncertainty)
    let residual = model.quality.map {
      ", residual \(EngineeringFormat.significant(100 * $0.residual)) %"
    }
    return "fit: f0 \(frequency), Q \(q)\(residual ?? "")"
  }
}
