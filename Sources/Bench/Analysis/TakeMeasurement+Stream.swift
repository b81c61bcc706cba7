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
    if let held = take.profileLimited {
      add(.profileLimited, Double(held), count: take.layout.frameCount)
    }
    add(
      .voicesDropped, Double(take.droppedEvents.count), count: take.intent.timeline.events.count)
  }

  private func stretches(_ kinds: Set<StreamEvent.Kind>) -> Double {
    Double(recording.moments(of: kinds).count)
  }

  /// Latencies of the chain, drift and noise.
  mutating func addAlignment() {
    let reference = recording.channel(.reference)?.description.name
    let sensor = response?.description.name
    let rate = take.rate.hertz
    if let line = alignment.electrical {
      add(
        .latencyElectrical, line.offset.value / rate, uncertainty: line.offset.uncertainty / rate,
        count: alignment.delayCount, channel: reference)
      if let reason = alignment.driftReason {
        addMissing(.drift, channel: reference, because: reason)
      } else {
        add(
          .drift, line.drift.value, uncertainty: line.drift.uncertainty,
          count: alignment.delayCount,
          channel: reference)
      }
    } else {
      let reason = alignment.electricalReason ?? "no reference"
      addMissing(.latencyElectrical, channel: reference, because: reason)
      if let clocks = alignment.clocks {
        add(
          .drift, clocks.ppm, uncertainty: clocks.uncertainty, count: clocks.pairCount,
          note: "by the two devices' rates against the host's clock")
      } else {
        addMissing(.drift, channel: reference, because: reason)
      }
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
        // A tenth more than white noise has: no sensor's is quite white.
        .noiseFloor, noise.sigma.value, uncertainty: 1.1 * noise.sigma.uncertainty,
        count: noise.count,
        channel: sensor)
    } else {
      addMissing(
        .noiseFloor, channel: sensor,
        because: response == nil
          ? alignment.deadReason ?? "the rig has no acceleration channel"
          : "there is no quiet stretch of response")
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
