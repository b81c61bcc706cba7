// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import Foundation
import LiveRuns
import Units

func liveRuns() throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(at: folder) }

  guard let plant = PlantParameters.named("coinZ-170") else { return }
  // The waves of one channel out and one in, in memory that other programs can map.
  let tap = try LiveTap(oneChannelEachWay(plant), folder: folder.path())
  tap.begin()
  let block = [Float](repeating: 0.5, count: 256)
  tap.drive(block.span)
  tap.capture(block.span)
  print(try FileManager.default.contentsOfDirectory(atPath: folder.path()))
}

private func oneChannelEachWay(_ plant: PlantParameters) -> RigDescription {
  RigDescription(
    name: "bench",
    drive: DriveDescription(
      device: .simulated(SimulationDescription(plant: plant)), rate: .standard,
      channels: [.haptic: 1],
      fullScaleVolts: 3.6, periodFrames: 256),
    capture: CaptureDescription(
      kind: .simulated,
      channels: [
        .init(name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 1, axis: "z")
      ]),
    actuators: [
      Actuator(
        id: "coin-1", model: "coinZ-170", limits: .init(continuousVolts: 2.5, peakVolts: 3.6))
    ])
}
