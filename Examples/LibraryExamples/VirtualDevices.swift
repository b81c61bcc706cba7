// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import Units
import VirtualDevices

func virtualDevices() throws {
  guard let plant = PlantParameters.named("coinZ-170") else { return }
  let rig = try SimulatedRig(bench(with: plant))
  try rig.drive.start()
  try rig.sensors.start()

  var peak: Float = 0
  var block = [Float](repeating: 0, count: 256)
  for number in 0..<20 {
    let drive = [Float](repeating: number < 10 ? 0.2 : 0, count: 256)
    _ = try rig.drive.write(drive.span)
    var room = block.mutableSpan
    let count = try rig.sensors.read(into: &room)
    peak = block.prefix(count).map(abs).max().map { max($0, peak) } ?? peak
  }

  try rig.drive.stop()
  try rig.sensors.stop()
  print("it moved: \(peak > 0.1)")
  print("the sensor's delay is \(rig.truth.transportDelay) s")
}

/// A coin LRA on a block, felt by one accelerometer.
private func bench(with plant: PlantParameters) -> RigDescription {
  let limits = DriveLimits(continuousVolts: 2.5, peakVolts: 3.6)
  return RigDescription(
    name: "bench",
    drive: DriveDescription(
      device: .simulated(SimulationDescription(plant: plant, transportDelay: 1e-4)),
      rate: .standard,
      channels: [.haptic: 1], fullScaleVolts: 3.6, periodFrames: 256),
    capture: CaptureDescription(
      kind: .simulated,
      channels: [
        .init(name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 1, axis: "z")
      ]),
    actuators: [Actuator(id: "coin-1", model: "coinZ-170", limits: limits)])
}
