// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import ForeignPlant
import Foundation
import RigFiles
import ScratchFolder
import Testing
import VirtualDevices

private let obstacle = Comment(rawValue: ForeignPlant.obstacle ?? "")

/// The foreign plant as haprig opens it.
@Suite(.disabled(if: ForeignPlant.obstacle != nil, obstacle))
struct RigFileTests {
  @Test(arguments: ForeignPlant.catalogue)
  func `haprig reads the rig file of every plant`(_ name: String) throws {
    var settings = ForeignRig()
    settings.capture = ["x", "y", "z", "audio", "reference", "voltage", "current"]
    settings.actuatorLines = ["contact: free"]
    let text = try ForeignPlant(name, "sensor-delay=0.02").rigFile(settings)
    let rig = try RigDescription(yaml: Array(text.utf8), file: "/rig.yaml")
    #expect(rig.capture.channels.count == 7)
    #expect(rig.actuators.map(\.model) == [name])
  }

  @Test func `a take through haprig's port is the take without it`() throws {
    let folder = try ScratchFolder()
    var plant = ForeignPlant("linX-145")
    var settings = ForeignRig()
    settings.keepsTime = false
    settings.capture = ["reference", "z"]
    let text = try plant.rigFile(settings)
    let rig = try CommandRig(
      RigDescription(yaml: Array(text.utf8), file: folder.file("rig.yaml")))
    let drive = Tone.sine(145, amplitude: 0.4, seconds: 0.256)
    plant.parameters += ["seed=1"]
    let expected = try plant.play(drive, capture: ["reference", "z"])
    try rig.drive.start()
    try rig.sensors.start()
    let frames = drive.flatMap { [Float($0), Float($0), Float($0)] }
    var sent = 0
    while sent < frames.count { sent += try 3 * rig.drive.write(frames.span.extracting(sent...)) }
    try rig.drive.stop()
    var captured = [Float](repeating: 0, count: 2 * drive.count)
    var span = captured.mutableSpan
    let count = try rig.sensors.read(into: &span)
    try rig.sensors.stop()
    try #require(count == drive.count)
    for frame in drive.indices {
      #expect(Double(captured[2 * frame]) == expected[0][frame], "frame \(frame)")
      #expect(Double(captured[2 * frame + 1]) == expected[1][frame], "frame \(frame)")
    }
  }
}
