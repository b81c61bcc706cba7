// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import Units

enum Rigs {
  /// A rig on ALSA's `null`, which takes and gives without a card.
  static func null(
    access: ALSADescription.Access = .automatic, format: SampleFormat? = .s16
  ) -> RigDescription {
    on(ALSADescription(pcm: "null", format: format, access: access))
  }

  /// A rig with one PCM for both directions.
  static func on(_ card: ALSADescription, input: Int = 1, rate: Double = 48_000) -> RigDescription {
    RigDescription(
      name: "bench",
      drive: DriveDescription(
        device: .alsa(card), rate: SampleRate(hertz: rate), channels: [.haptic: 1],
        fullScaleVolts: 4),
      capture: CaptureDescription(
        kind: .alsa,
        channels: [
          CaptureChannelDescription(
            name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: input,
            fullScaleVolts: 5, sensor: SensorCertificate(sensitivity: 0.01))
        ], alsa: card),
      actuators: [
        Actuator(
          id: "a", model: "m",
          limits: DriveLimits(continuousVolts: 1, peakVolts: 2))
      ])
  }
}
