// SPDX-License-Identifier: Apache-2.0

package import Bench
import Devices
import LiveRuns
import Reporting
import RigDevices
import SignalAnalysis
import Units

/// Plays faint sweeps on one output after another, and finds what is wired to what.
package struct WiringSearch: Sendable {
  /// The rig as it is opened: what its outputs and inputs are called is no matter.
  let rig: RigDescription
  /// The highest peak that is played, as a share of full scale.
  let level: Double
  /// What people call the outputs, in the order of the probe's roles, and the inputs.
  let outputs: [String]
  let inputs: [String]

  /// Each try is twice as loud as the one before; the last is as loud as was allowed.
  private static let tries = 4
  /// An output that is heard so much over the noise, in dB, is heard well.
  private static let clear = 20.0

  package struct Found: Sendable {
    package let wiring: FoundWiring
    /// The peak that it took, as a share of full scale.
    package let level: Double
    /// What each input hears of nothing, RMS in its unit.
    package let noise: [Double]
    package let clipped: [Int]
  }

  /// Begins faintly, and is no louder than it takes to hear every output; ends at the allowed level.
  func find(by user: RigOperator) async throws -> Found {
    let open = try OpenSession(rig, without: "the rig does not record", by: user)
    for attempt in 1...Self.tries {
      let share = level / Double(1 << (Self.tries - attempt))
      let title = "sweeps at \(EngineeringFormat.significant(100 * share)) % of full scale"
      let probe = WiringProbe(of: rig.drive, level: share)
      let recording = await open.session.play(probe.drive) {
        user.tell(.step(title, share: $0))
      }
      user.tell(.idle)
      if let fault = recording.fault { throw fault }
      let wiring = FoundWiring(probe, in: recording, outputs: outputs, inputs: inputs)
      let heard = Set(
        wiring.signals.filter { $0.path.signalToNoise >= Self.clear }.map(\.output))
      guard heard.count == outputs.count || attempt == Self.tries else { continue }
      try open.finish()
      let clipped = recording.channels.indices.filter { index in
        recording.captureEvents.contains {
          $0.kind == .overload && $0.channel == recording.channels[index].description.name
        }
      }
      return Found(
        wiring: wiring, level: share, noise: probe.noise(in: recording), clipped: clipped)
    }
    preconditionFailure("the last try returns")
  }

  /// What was found, a line for each input.
  func table(_ found: Found) -> String {
    let signals = Dictionary(
      found.wiring.signals.map { ($0.input, $0) }, uniquingKeysWith: { first, _ in first })
    let head = ["input", "hears", "by", "level", "over noise", "noise"]
    let rows = inputs.indices.map { input in
      let noise = found.noise[input] == 0 ? "dead" : Self.volts(found.noise[input])
      guard let signal = signals[input] else {
        return [inputs[input], "nothing", "", "", "", noise]
      }
      return [
        inputs[input], outputs[signal.output], Self.sentence(signal),
        Self.volts(signal.path.level),
        EngineeringFormat.fixed(signal.path.signalToNoise, 0) + " dB", noise,
      ]
    }
    return TextTable(head: head, rows: rows).text
  }

  /// Levels at inputs lie between a microvolt and a volt.
  static func volts(_ value: Double) -> String {
    let (scale, symbol) = value < 1e-3 ? (1e6, "uV") : value < 1 ? (1e3, "mV") : (1, "V")
    return EngineeringFormat.rough(scale * value) + " " + symbol
  }

  static func sentence(_ signal: FoundWiring.Signal) -> String {
    let reversed = signal.isReversed == true ? ", reversed" : ""
    switch signal.path.kind {
    case .motion:
      let resonance = signal.path.resonance.map {
        ": \(EngineeringFormat.fixed($0.frequency.value, 0)) Hz, Q "
          + EngineeringFormat.fixed($0.q.value, 1)
      }
      return "an actuator and its sensor" + (resonance ?? "") + reversed
    case .wire: return "a wire" + reversed
    case .other, nil: return "neither a wire nor a resonance: a microphone?"
    }
  }
}

extension RigDescription {
  /// The rig with each of the outputs and inputs open, whatever they are for: roles are used up in their order, and
  /// inputs are volts.
  func opened(outputs: [Int], inputs: [Int], inputVolts: Double) -> RigDescription {
    var rig = self
    rig.drive.channels = Dictionary(
      uniqueKeysWithValues: zip(DriveRole.allCases, outputs).map { ($0, $1) })
    rig.actuatorChannels = [:]
    rig.capture.channels = inputs.map {
      CaptureChannelDescription(
        name: "input-\($0)", role: .voltage, unit: .volt, input: $0, fullScaleVolts: inputVolts)
    }
    return rig
  }
}
