// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a rig file says of a foreign plant beside the plant itself.
public struct ForeignRig: Sendable {
  /// The actuator's id; its profile is named after it.
  public var actuator = "plant-1"
  /// Frames a second.
  public var rate = 48_000
  /// Frames a block.
  public var period = 256
  /// What is captured, of x, y, z, audio, reference, voltage and current.
  public var capture = ["z", "audio", "reference"]
  /// The voltage borne for ever, in volts RMS; the plant's rated one where it is `nil`.
  public var continuousVolts: Double?
  /// The highest voltage at any moment; the drive's full scale where it is `nil`.
  public var peakVolts: Double?
  /// The relative standard uncertainty of the accelerometer.
  public var uncertainty: String? = "1 %"
  /// Whether rig time and coil temperature go on from take to take, in the file `plant.state`.
  public var keepsTime = true
  /// Further lines of the actuator's map, such as `contact: free`.
  public var actuatorLines: [String] = []

  /// Makes the rig of a plant with an accelerometer along z, a sound line and a reference.
  public init() {}
}

extension ForeignPlant {
  /// The text of a rig file whose devices are the plant.
  ///
  /// Full scale, sensor bandwidth, sensor delay, mass and rated limits are the plant's own. A command
  /// rig takes no certificate but what `ForeignRig` says.
  public func rigFile(_ rig: ForeignRig = ForeignRig()) throws -> String {
    let truth = try truth()
    let words = try command() + (rig.keepsTime ? ["state=plant.state"] : [])
    var lines = [
      "name: foreign-\(rig.actuator)", "drive:", "  device: command",
      "  run: [\(words.map { "\"\($0)\"" }.joined(separator: ", "))]", "  rate: \(rig.rate)",
      "  period: \(rig.period)", "  channels: {haptic: 1, audio: 2, reference: 3}",
      "  full-scale: \(truth.fullScale) V", "  timeout: 60 s", "capture:", "  device: command",
      "  channels:",
    ]
    for channel in rig.capture {
      lines.append("    \(channel): {\(entry(of: channel, rig, truth))}")
    }
    let continuous =
      rig.continuousVolts ?? truth.ratedVolts / (truth.kind == "erm" ? 1 : 2.0.squareRoot())
    lines += [
      "actuator:", "  id: \(rig.actuator)", "  model: \(name)", "  kind: \(truth.kind)",
      "  limits: {continuous: \(continuous) Vrms, peak: \(rig.peakVolts ?? truth.fullScale) V}",
      "  mass: \(truth.mount * 1e3) g",
    ]
    return (lines + rig.actuatorLines.map { "  " + $0 }).joined(separator: "\n") + "\n"
  }

  private func entry(of channel: String, _ rig: ForeignRig, _ truth: PlantTruth) -> String {
    guard "xyz".contains(channel) else {
      return "role: \(channel), unit: \(channel == "current" ? "A" : "V")"
    }
    var words = ["role: acceleration", "unit: m/s2", "axis: \(channel)"]
    if let uncertainty = rig.uncertainty { words.append("uncertainty: \(uncertainty)") }
    if truth.bandwidth > 0 { words.append("bandwidth: \(truth.bandwidth) Hz") }
    if truth.sensorDelay > 0 { words.append("delay: \(truth.sensorDelay * 1e3) ms") }
    return words.joined(separator: ", ")
  }
}
