import Acceptance
import Devices
import HapticRendering
import Profiles
import SignalAnalysis
import Units

/// What the devices themselves told: losses, clipping, limiting.
extension CapturedTake {
  func addStream(to list: inout ReadingList) {
    list.add(.dropouts, stretches([.drop]), count: recording.frameCount)
    list.add(.xruns, stretches([.underrun, .overrun]), count: recording.frameCount)
    list.add(.overloads, stretches([.overload]), count: recording.frameCount)
    list.add(.driveLimited, Double(take.limited.total), count: take.layout.frameCount)
    list.add(.mixingLimited, Double(take.mixingLimited), count: take.layout.frameCount)
    if let held = take.profileLimited {
      list.add(.profileLimited, Double(held), count: take.layout.frameCount)
    }
    list.add(
      .voicesDropped, Double(take.droppedEvents.count), count: take.intent.timeline.events.count)
  }

  private func stretches(_ kinds: Set<StreamEvent.Kind>) -> Double {
    Double(recording.moments(of: kinds).count)
  }
}

/// Latencies of the chain, drift and noise.
extension CapturedTake {
  func addChain(to list: inout ReadingList) {
    let reference = recording.channel(.reference)?.description.name
    let rate = take.rate.hertz
    if let line = alignment.electrical {
      let count = alignment.delayCount
      list.add(
        .latencyElectrical, line.offset.value / rate, uncertainty: line.offset.uncertainty / rate,
        count: count, channel: reference)
      if let reason = alignment.driftReason {
        list.addMissing(.drift, channel: reference, because: reason)
      } else {
        list.add(.drift, line.drift, count: count, channel: reference)
      }
    } else {
      let reason = alignment.electricalReason ?? "no reference"
      list.addMissing(.latencyElectrical, channel: reference, because: reason)
      if let clocks = alignment.clocks {
        list.add(
          .drift, clocks.ppm, uncertainty: clocks.uncertainty, count: clocks.pairCount,
          note: "by the two devices' rates against the host's clock")
      } else {
        list.addMissing(.drift, channel: reference, because: reason)
      }
    }
    if let transport = alignment.transport {
      list.add(
        .latencyTransport, transport, count: 1, channel: sensor, note: alignment.modelNote)
    } else {
      list.addMissing(
        .latencyTransport, channel: sensor,
        because: alignment.modelReason ?? alignment.electricalReason ?? "no fit")
    }
    if let rise = alignment.rise {
      list.add(.latencyRise, rise, count: 1, channel: sensor)
    } else {
      list.addMissing(
        .latencyRise, channel: sensor,
        because: alignment.model == nil
          ? alignment.modelReason ?? "no fit" : "one resonance does not describe the response")
    }
    if let noise {
      list.add(
        // A tenth more than white noise has: no sensor's is quite white.
        .noiseFloor, noise.sigma.value, uncertainty: 1.1 * noise.sigma.uncertainty,
        count: noise.count,
        channel: sensor)
    } else {
      list.addMissing(
        .noiseFloor, channel: sensor,
        because: response == nil
          ? alignment.deadReason ?? "the rig has no acceleration channel"
          : "there is no quiet stretch of response")
    }
  }
}

extension TakeAlignment {
  var modelNote: String? {
    guard let model else { return nil }
    func text(_ frequency: Estimate, _ q: Estimate) -> String {
      let hertz = EngineeringFormat.text(
        frequency.value, .hertz, uncertainty: frequency.uncertainty)
      return "f0 \(hertz), Q \(EngineeringFormat.text(q.value, .one, uncertainty: q.uncertainty))"
    }
    let found =
      modes?.modes.map { text($0.frequency, $0.q) } ?? [text(model.frequency, model.q)]
    let residual = model.quality.map {
      ", residual \(EngineeringFormat.significant(100 * $0.residual)) %"
    }
    return "fit\(modelSource == .pattern ? " to the pattern itself" : ""): "
      + found.joined(separator: " and ") + (residual ?? "")
  }
}

/// What the drive could not express of the pattern, apart from what the response then did.
extension CapturedTake {
  func addQuantisation(to list: inout ReadingList) {
    guard let loss = expressed?.loss, hasHaptics else { return }
    if loss.sampleCount > 0 {
      list.add(.quantisationLevel, loss.level, count: loss.sampleCount)
      list.add(.quantisationFrequency, loss.frequency, count: loss.sampleCount)
    } else {
      let reason = "nothing that the pattern asks for is driven"
      list.addMissing(.quantisationLevel, because: reason)
      list.addMissing(.quantisationFrequency, because: reason)
    }
    list.add(.quantisationSilenced, loss.silenced)
    list.add(.quantisationProlonged, loss.prolonged)
    list.add(.quantisationDelay, loss.delay)
  }
}
