// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Devices
private import Glibc
import HapticRendering
import Profiles
import SignalAnalysis
import Units

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
        channel: sensor, note: response.flatMap { hum?.sentence(of: $0) })
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

extension CapturedTake {
  func addScored(to list: inout ReadingList, events: [MeasuredEvent]) {
    let driven = drivenEvents
    guard !driven.isEmpty else { return }
    let scored = events.filter { event in
      event.levelError != nil && (event.isTimed || event.isSilent) && driven.contains(event.index)
    }
    list.add(
      .eventsScored, Double(scored.count) / Double(driven.count), count: driven.count,
      channel: sensor)
    addContrast(events.compactMap(\.levelError), to: &list)
  }

  private var drivenEvents: Set<Int> {
    let dropped = Set(take.droppedEvents)
    let driven = take.intent.timeline.events.filter { event in
      guard event.kind.isHaptic, !dropped.contains(event.index) else { return false }
      if let separation { return separation.isDriven(event.index) }
      return event.kind == .continuous
        || take.intent.intensity(of: event, at: event.start + 1e-9) > 0
    }
    return Set(driven.map(\.index))
  }

  /// The level errors' root mean square about their mean; the gain that all share is none of it.
  ///
  /// Events of which nothing came count with what they were at most: a difference at least as large as the true one is
  /// not claimed.
  private func addContrast(_ levels: [Estimate], to list: inout ReadingList) {
    guard levels.count > 1 else {
      list.addMissing(
        .intensityContrast, channel: sensor,
        because: "fewer than two events have a level: there is no difference to keep")
      return
    }
    let count = Double(levels.count)
    let mean = levels.reduce(0) { $0 + $1.value } / count
    let square = levels.reduce(0) { $0 + ($1.value - mean) * ($1.value - mean) } / count
    let contrast = square.squareRoot()
    // What all events share, the sensor's sensitivity, is the least of their uncertainties.
    let shared = levels.reduce(Double.infinity) { min($0, $1.uncertainty) }
    let own = levels.map { max(0, $0.uncertainty * $0.uncertainty - shared * shared) }
    var variance = 0.0
    for (level, own) in zip(levels, own) {
      let slope = contrast > 0 ? (level.value - mean) / (count * contrast) : 0
      variance += slope * slope * own
    }
    // Near zero a length has no slope: there it is as unsure as what it is made of.
    let floor = own.reduce(0, +) / count / (2 * count).squareRoot()
    list.add(
      .intensityContrast, contrast, uncertainty: (variance + floor).squareRoot(),
      count: levels.count, channel: sensor)
  }
}

extension CapturedTake {
  /// An event is late where its response surely comes this much after the chain's delay, in seconds.
  private static let late = 1e-3

  func addStrays(to list: inout ReadingList) {
    guard let separation, !separation.parts.isEmpty else { return }
    func names(_ events: [Int]) -> String? {
      guard !events.isEmpty else { return nil }
      let more = events.count > 12 ? ", ..." : ""
      return "event\(events.count == 1 ? "" : "s") "
        + events.prefix(12).map(String.init).joined(separator: ", ") + more
    }
    let parts = separation.parts.sorted { $0.key < $1.key }
    let dropped = parts.filter(\.value.isDropped).map(\.key)
    list.add(
      .eventsDropped, Double(dropped.count), count: parts.count, channel: sensor,
      note: names(dropped))
    let chain = alignment.chainDelay?.value
    let late = parts.filter { _, part in
      guard let delay = part.delay, let chain else { return false }
      return delay.value - chain > max(Self.late, 3 * delay.uncertainty)
    }.map(\.key)
    list.add(
      .eventsLate, Double(late.count), count: parts.count, channel: sensor, note: names(late))
    guard let strays = separation.strays() else {
      list.addMissing(
        .eventsExtra, channel: sensor,
        because: "a strength without a phase tells no response beside those that were asked for")
      return
    }
    let times = strays.prefix(12).map { EngineeringFormat.text($0, .second) }
    list.add(
      .eventsExtra, Double(strays.count), count: parts.count, channel: sensor,
      note: strays.isEmpty
        ? nil : "at " + times.joined(separator: ", ") + (strays.count > 12 ? ", ..." : ""))
  }
}

extension CapturedTake {
  var isMotor: Bool { rig.actuators.first?.kind == .erm }

  /// Tells once a take what has no meaning for its actuator.
  func addInapplicable(to list: inout ReadingList) {
    guard isMotor, take.intent.timeline.events.contains(where: { $0.kind == .transient }) else {
      return
    }
    list.addMissing(
      .pulseToRing, channel: response?.description.name,
      because: Reading.inapplicableNote
        + "a rotor runs down and does not ring; decay.error tells for how long")
  }
}

/// Whether the actuator that a take's own probe found can be the one of the profile.
///
/// `haprig check` tells a drift of a hundredth; this tells another actuator, or one that is mounted in another way. A
/// run does not go on with either: its levels would be another device's.
enum MountedActuator {
  /// What temperature and a mount of the same kind move a resonance by: 30 K at 0.1 % a kelvin, and as much
  /// again for a clamp, as a share of f0.
  private static let frequencyRoom = 0.06
  /// What they move Q by, as a factor; the gain is as much the wires' and the amplifier's.
  private static let qRoom = 1.7

  /// Compares; `nil` where the profile has no resonance, or the probe found none.
  static func finding(
    of model: ResonatorModel, of id: String, known profile: ActuatorModel
  ) -> SetupFinding? {
    guard !profile.modes.isEmpty else { return nil }
    // At the levels of the calibration, and of two modes at either.
    let known = profile.modes + profile.levels.map(\.mode)
    let isOne = profile.modes.count == 1
    var reasons: [String] = []
    func compare(
      _ name: String, _ unit: MeasurementUnit, _ found: Estimate, _ values: [Double], room: Double
    ) {
      guard let low = values.min(), let high = values.max(), low > 0 else { return }
      let doubt = 3 * found.uncertainty
      guard found.value - doubt > high * room || found.value + doubt < low / room else { return }
      let nearest = found.value > high ? high : low
      reasons.append(
        "\(name) \(EngineeringFormat.text(found.value, unit)), where the profile has "
          + EngineeringFormat.text(nearest, unit))
    }
    compare(
      "a resonance of", .hertz, model.frequency, known.map(\.f0.value), room: 1 + frequencyRoom)
    if isOne {
      compare("a Q of", .one, model.q, known.map(\.q.value), room: qRoom)
    }
    guard reasons.isEmpty else {
      return SetupFinding(
        .actuator, holds: false,
        "what is mounted is not '\(id)' as the profile knows it: the probe found "
          + "\(reasons.joined(separator: " and ")): mount '\(id)' as it was calibrated, or calibrate "
          + "what is mounted")
    }
    return SetupFinding(
      .actuator, holds: true,
      "the probe found '\(id)' as the profile knows it: f0 "
        + EngineeringFormat.text(
          model.frequency.value, .hertz, uncertainty: model.frequency.uncertainty))
  }

  static func finding(of take: CapturedTake) -> SetupFinding? {
    guard let profile = take.take.configuration.profile?.profile, let model = take.alignment.model
    else { return nil }
    return finding(of: model, of: profile.actuator.id, known: profile.model)
  }
}
