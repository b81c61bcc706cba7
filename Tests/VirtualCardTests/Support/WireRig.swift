// SPDX-License-Identifier: Apache-2.0

import ScratchFolder

/// A rig file whose reference channel is a wire of exactly known delay, and what else a test sets.
struct WireRig {
  /// From a drive frame to the converter's output, in microseconds.
  var driveDelay = 6000.0
  /// From the converter's input to a capture frame, in microseconds.
  var captureDelay = 4000.0
  /// How much faster the capture's clock runs, in parts per million.
  var drift = 0.0
  /// The script, as the rig file has it.
  var faults = "[]"

  var text: String {
    """
    name: wire
    drive:
      device: simulated
      rate: 48 kHz
      channels: {haptic: 1, reference: 2}
      full-scale: 4 V
    capture:
      device: simulated
      channels:
        z: {role: acceleration, axis: z, input: 1, full-scale: 0.6 V, sensitivity: 10.2 mV/g}
        reference: {role: reference, input: 2, full-scale: 4 V}
    actuator: {id: coin, model: coinZ-170, limits: {continuous: 2.5 Vrms, peak: 4 V}}
    simulation:
      plant: coinZ-170
      drive: {latency: \(driveDelay) us, bits: 0, noise: 0 V}
      capture: {latency: \(captureDelay) us, clock: \(drift) ppm, bits: 0, noise: 0 V}
      faults: \(faults)

    """
  }
}

/// A rig file of its own, and so a card of its own.
struct CardFolder {
  let folder: ScratchFolder
  let rig: String

  init(_ rig: WireRig = WireRig()) throws { try self.init(text: rig.text) }

  init(text: String) throws {
    folder = try ScratchFolder()
    rig = try folder.write(text, to: "rig.yaml")
  }

  /// ALSA's configuration of the card, with more keys.
  func configuration(_ keys: String = "") -> String {
    """
    pcm_type.haprig { lib "\(PluginLibrary.path ?? "")" }
    pcm.card { type haprig rig "\(rig)" \(keys) }
    pcm.converted { type plug slave.pcm card }

    """
  }
}
