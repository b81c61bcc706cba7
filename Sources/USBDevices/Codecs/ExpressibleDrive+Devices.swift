// SPDX-License-Identifier: Apache-2.0

package import Devices

extension ExpressibleDrive {
  /// One band of a Switch controller: 1/32 octave, 101 amplitudes, each 15 ms.
  package static func switchController(highBand: Bool) -> ExpressibleDrive {
    let codes = highBand ? SwitchRumble.highRange : SwitchRumble.lowRange
    return ExpressibleDrive(
      frequencies: .grid(codes.map { SwitchRumble.frequency(code: $0) }),
      amplitudes: SwitchRumble.amplitudeRange.map { SwitchRumble.amplitude(code: $0) },
      updateInterval: SwitchControllerFacts.updateInterval)
  }

  /// One coil of a DualSense in classic rumble: 256 strengths at the frequency that its firmware plays, each 8 ms.
  package static func dualSenseRumble(frequency: Double) -> ExpressibleDrive {
    ExpressibleDrive(
      frequencies: .fixed(frequency), amplitudes: (0...255).map { Double($0) / 255 },
      updateInterval: DualSenseFacts.rumbleInterval)
  }

  /// A DRV2605L that tracks a resonance: 128 amplitudes at one frequency, each so many seconds.
  package static func drv2605LClosedLoop(
    resonance: Double, updateInterval: Double
  ) -> ExpressibleDrive {
    ExpressibleDrive(
      frequencies: .fixed(resonance), amplitudes: drv2605LAmplitudes,
      updateInterval: updateInterval)
  }

  /// A DRV2605L in open loop: periods of whole steps of 98.46 us within a range of hertz.
  package static func drv2605LOpenLoop(
    range: ClosedRange<Double>, updateInterval: Double
  ) -> ExpressibleDrive? {
    let grid = DRV2605LFacts.periodRange.reversed()
      .map { 1 / (Double($0) * DRV2605LFacts.periodStep) }.filter { range.contains($0) }
    guard !grid.isEmpty else { return nil }
    return ExpressibleDrive(
      frequencies: .grid(grid), amplitudes: drv2605LAmplitudes, updateInterval: updateInterval)
  }

  private static let drv2605LAmplitudes = (0...DRV2605LFacts.amplitudeSteps).map {
    Double($0) / Double(DRV2605LFacts.amplitudeSteps)
  }
}
