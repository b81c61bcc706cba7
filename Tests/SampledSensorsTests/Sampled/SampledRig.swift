// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import Units

extension RigDescription {
  /// A rig that plays on a sound card, beside a sensor with a clock of its own.
  static func sampled(
    _ kind: DeviceKind, inputs: [Int], serial: SerialDescription? = nil, iio: IIODescription? = nil
  ) -> RigDescription {
    RigDescription(
      name: "bench",
      drive: DriveDescription(
        device: .alsa(ALSADescription(pcm: "hw:0")), rate: SampleRate(hertz: 8000),
        channels: [.haptic: 1], fullScaleVolts: 1),
      capture: CaptureDescription(
        kind: kind,
        channels: inputs.map {
          CaptureChannelDescription(
            name: "axis\($0)", role: .acceleration, unit: .metrePerSecondSquared, input: $0)
        }, serial: serial, iio: iio),
      actuators: [
        Actuator(
          id: "a", model: "m",
          limits: DriveLimits(continuousVolts: 1, peakVolts: 1))
      ])
  }
}
