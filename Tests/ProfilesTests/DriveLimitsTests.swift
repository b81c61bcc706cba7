// SPDX-License-Identifier: Apache-2.0

import Actuators
import Profiles
import Testing

struct DriveLimitsTests {
  // 2.5 Vrms is 3.5355 V peak as a tone, and 2.5 V as a steady voltage.
  @Test func `a tone may peak at the square root of two of what it bears without end`() {
    let limits = DriveLimits(continuousVolts: 2.5, peakVolts: 10)
    #expect(
      abs(limits.safeFullScale(fullScaleVolts: 20, isTone: true) - 3.5355339059327378) < 1e-12)
    #expect(limits.safeFullScale(fullScaleVolts: 20, isTone: false) == 2.5)
  }

  @Test func `the device or the peak limit may be the narrower`() {
    let limits = DriveLimits(continuousVolts: 2.5, peakVolts: 3)
    #expect(limits.safeFullScale(fullScaleVolts: 20, isTone: true) == 3)
    #expect(limits.safeFullScale(fullScaleVolts: 1.2, isTone: true) == 1.2)
    #expect(limits.safeFullScale(fullScaleVolts: 1.2, isTone: false) == 1.2)
  }

  @Test func `a limit without a slope or a time has none and one second`() {
    let limits = DriveLimits(continuousVolts: 1, peakVolts: 2)
    #expect(limits.slope == nil)
    #expect(limits.thermalTime == 1)
  }
}
