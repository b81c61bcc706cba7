// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import Testing
import Units

struct SensorFactTests {
  private func channel(_ sensor: SensorCertificate?, volts: Double? = nil) -> String {
    CaptureChannelDescription(
      name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 1,
      fullScaleVolts: volts, sensor: sensor, axis: "z"
    ).sensorFact
  }

  @Test func `a sensor behind a converter has a sensitivity in volts`() {
    let sensor = SensorCertificate(
      sensitivity: 1.04e-3, relativeUncertainty: 0.005, date: "2026-01-31")
    #expect(
      channel(sensor, volts: 5)
        == "axis z, 1.04 mV/(m/s2), certificate of 2026-01-31, standard uncertainty 0.5 %")
  }

  @Test func `a device that answers in units has none`() {
    #expect(
      channel(SensorCertificate(sensitivity: 1, bandwidth: 5_000))
        == "axis z, answers in m/s2, certificate of no date given, standard uncertainty not given")
    let compared = SensorCertificate(
      sensitivity: 1 / 0.9709, relativeUncertainty: 0.01, date: "2026-11-22",
      source: .init(file: "sensors/z.yaml", method: "comparison", holdsFlatness: true))
    #expect(
      channel(compared)
        == "axis z, answers in m/s2, times a factor of 0.9709, comparison in sensors/z.yaml of "
        + "2026-11-22, standard uncertainty 1 %")
  }
}
