// SPDX-License-Identifier: Apache-2.0

import Actuators
import Profiles

func profiles() {
  let limits = DriveLimits(continuousVolts: 1, peakVolts: 2)
  let asked = DriveDemand.tone(amplitude: 2.5, frequency: 170)
  print("asked: \(asked.peakVolts) V, allowed: \(limits.peakVolts) V")

  // A drive of 1 is 2.5 V at this actuator.
  var limiter = DriveLimiter(limits: limits, fullScaleVolts: 2.5, rate: 48_000)
  var drive: [Float] = [0, 0.5, 0.9, 1, -1]
  limiter.process(&drive)
  print(drive)
  print("held back: \(limiter.counts)")
}
