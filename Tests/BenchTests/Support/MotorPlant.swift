// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import Glibc
import SeededRandom
import SignalAnalysis
import Units

/// A motor with an eccentric mass by its balance of torques, stepped by Runge and Kutta.
///
/// w' = (k V - w - friction sgn w - drag w^2) / T, with a voltage below which it does not start. The sensor sees
/// the force along its axis, that of turning up included: m r (w^2 cos a + w' sin a).
struct MotorPlant {
  /// The rest of the rig: wires, sound, delays.
  var rig = SyntheticPlant(gain: 0)
  /// Speed by voltage, in turns a second per volt.
  var speed = 75.0
  var time = 0.055
  /// The voltages that friction takes, and that it takes to start.
  var friction = 0.12
  var start = 0.3
  /// The share of the torque that the air takes at 150 turns a second.
  var drag = 0.04
  /// m r over the mass that carries it, in metres.
  var eccentricity = 1e-5

  /// The speed in radians a second at each frame, after the delays.
  func speeds(_ volts: [Double], rate: Double) -> [Double] {
    let scale = 2 * Double.pi * speed
    let top = 2 * Double.pi * 150
    let late = (rig.electrical + rig.transport) * rate
    var w = 0.0
    func drive(_ frame: Double) -> Double {
      let place = frame - late
      let base = Int(place.rounded(.down))
      func at(_ index: Int) -> Double { volts.indices.contains(index) ? volts[index] : 0 }
      return at(base) + (place - Double(base)) * (at(base + 1) - at(base))
    }
    func slope(_ w: Double, _ volts: Double) -> Double {
      (scale * volts - w - scale * friction - drag * w * w / top) / time
    }
    return volts.indices.map { frame in
      let (a, b, c) = (
        drive(Double(frame)), drive(Double(frame) + 0.5), drive(Double(frame) + 1)
      )
      if w == 0, b < start { return 0 }
      let h = 1 / rate
      let k1 = slope(w, a)
      let k2 = slope(w + h / 2 * k1, b)
      let k3 = slope(w + h / 2 * k2, b)
      let k4 = slope(w + h * k3, c)
      w = max(0, w + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
      return w
    }
  }

  /// What the rig delivers for a take whose drive, in volts, was changed on its way to the motor.
  func record(
    _ take: TakeDrive, on described: RigDescription, change: (inout [Double]) -> Void = { _ in }
  ) -> Recording {
    let rate = take.rate.hertz
    var volts = (take.channels[.haptic] ?? []).map {
      Double($0) * described.drive.fullScaleVolts
    }
    change(&volts)
    let speeds = speeds(volts, rate: rate)
    var random = SeededRandom(seed: 0x3070)
    var angle = 1.0
    let motion = speeds.indices.map { frame -> Float in
      let w = speeds[frame]
      angle += w / rate
      let turning = frame > 0 ? (w - speeds[frame - 1]) * rate : 0
      let force = eccentricity * (w * w * cos(angle) + turning * sin(angle))
      return Float(force + rig.offset + rig.noise * random.gaussian())
    }
    let plain = rig.record(take, on: described)
    return Recording(
      channels: plain.channels.map {
        $0.description.role == .acceleration
          ? Recording.Channel(description: $0.description, samples: motion) : $0
      }, rate: take.rate, frameCount: take.layout.frameCount,
      driveFrameCount: take.layout.frameCount)
  }
}
