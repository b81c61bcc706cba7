// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Devices
import Glibc
import RigFiles
import Testing
import Units

struct ProjectFileTests {
  static let rigs = ["simulated-lra", "simulated-lra-x", "simulated-vcm", "simulated-erm"]

  @Test(arguments: rigs)
  func `a rig of the project reads, with all that the measurements need`(name: String) throws {
    let rig = try RigDescription(yaml: projectFile("rigs/\(name).yaml"), file: "\(name).yaml")
    #expect(rig.name == name)
    #expect(rig.drive.device.kind == .simulated)
    #expect(rig.drive.rate == .standard)
    #expect(rig.drive.channels == [.haptic: 1, .audio: 2, .reference: 3])
    #expect(rig.capture.channels.map(\.role) == [.acceleration, .audio, .reference])
    let actuator = try #require(rig.actuators.first)
    #expect(actuator.limits.peakVolts == rig.drive.fullScaleVolts)
    guard case .simulated(let simulation) = rig.drive.device else { return }
    // The truth and the certificate are of the same sensor.
    let sensor = try #require(rig.capture.channels.first?.sensor)
    #expect(sensor.bandwidth == simulation.sensor.bandwidth)
    let fullScale = try #require(rig.capture.channels.first?.fullScaleVolts)
    #expect(fullScale / sensor.sensitivity >= simulation.sensor.fullScale)
  }

  @Test func `every rig of the project has an actuator of its own`() throws {
    let all = try Self.rigs.map {
      try RigDescription(yaml: projectFile("rigs/\($0).yaml"), file: $0)
    }
    #expect(Set(all.flatMap(\.actuators).map(\.id)).count == all.count)
  }

  @Test(arguments: ["usb-interface", "dualsense", "modalshop-485b39"])
  func `an example of a real rig reads, and says that nobody tried it`(name: String) throws {
    let bytes = try projectFile("rigs/\(name).yaml")
    let rig = try RigDescription(yaml: bytes, file: "\(name).yaml")
    #expect(rig.name == name)
    #expect(rig.drive.device.kind == .alsa)
    #expect(rig.drive.channels[.reference] != nil)
    #expect(rig.capture.channel(.reference) != nil)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        .contains("Written from public facts, not yet tried on the device."))
  }

  @Test func `the example of a board reads, and says that nobody tried it`() throws {
    let bytes = try projectFile("rigs/usb-board.yaml")
    let rig = try RigDescription(yaml: bytes, file: "usb-board.yaml")
    #expect(rig.drive.device.kind == .usb)
    #expect(rig.capture.kind == .usb)
    #expect(String(decoding: bytes, as: UTF8.self).contains("not yet tried on a board."))
  }

  @Test func `the example of a DRV2605L reads, and says that nobody tried it`() throws {
    let bytes = try projectFile("rigs/usb-drv2605l.yaml")
    let rig = try RigDescription(yaml: bytes, file: "usb-drv2605l.yaml")
    #expect(rig.drive.device.kind == .usb)
    #expect(rig.capture.kind == .alsa)
    #expect(String(decoding: bytes, as: UTF8.self).contains("not yet tried on the device."))
  }

  @Test func `the example of a DualSense's own sensor reads, and says that nobody tried it`() throws
  {
    let bytes = try projectFile("rigs/dualsense-motion.yaml")
    let rig = try RigDescription(yaml: bytes, file: "dualsense-motion.yaml")
    #expect(rig.drive.dualSenseHaptics == USBSelection())
    #expect(rig.capture.usb?.driver == .dualSense(DualSenseDescription()))
    #expect(rig.capture.channels.map(\.axis) == ["x", "y", "z"])
    #expect(String(decoding: bytes, as: UTF8.self).contains("not yet tried on the device."))
  }

  @Test(arguments: ["switch-pro", "joy-con", "dualsense-rumble"])
  func `the example of a controller that drives reads, and says that nobody tried it`(
    name: String
  ) throws {
    let bytes = try projectFile("rigs/\(name).yaml")
    let rig = try RigDescription(yaml: bytes, file: "\(name).yaml")
    #expect(rig.name == name)
    guard case .usb(let device) = rig.drive.device else {
      Issue.record("no USB device")
      return
    }
    #expect(device.driver.name == (name == "dualsense-rumble" ? .dualSense : .switchController))
    if case .switchController(let controller) = device.driver {
      #expect(controller.joyCon == (name == "joy-con" ? .left : nil))
    }
    #expect(rig.capture.usb == device)
    #expect(String(decoding: bytes, as: UTF8.self).contains("not yet tried on the device."))
  }

  @Test func `the example of a breakout reads, and says that nobody tried it`() throws {
    let bytes = try projectFile("rigs/serial-breakout.yaml")
    let rig = try RigDescription(yaml: bytes, file: "serial-breakout.yaml")
    #expect(rig.drive.device.kind == .alsa)
    #expect(rig.capture.kind == .serial)
    // Data sheet of the ADXL355: 256,000 steps of 20 bits to the g, and a line has the upper 16 of them.
    let serial = try #require(rig.capture.serial)
    guard case .lines(_, let scale) = serial.content else {
      Issue.record("no columns")
      return
    }
    #expect(abs(scale - 9.80665 / 16_000) < 1e-12)
    #expect(String(decoding: bytes, as: UTF8.self).contains("not yet tried on a breakout."))
  }

  @Test func `the example of a kernel's accelerometer reads, and says that nobody tried it`()
    throws
  {
    let bytes = try projectFile("rigs/iio-accelerometer.yaml")
    let rig = try RigDescription(yaml: bytes, file: "iio-accelerometer.yaml")
    #expect(rig.capture.iio == IIODescription(sensor: "adxl355", samplingFrequency: 4000))
    #expect(String(decoding: bytes, as: UTF8.self).contains("not yet tried on the"))
  }

  @Test func `the coin rig holds the truth that end to end tests expect`() throws {
    let rig = try RigDescription(yaml: projectFile("rigs/simulated-lra.yaml"), file: "lra")
    guard case .simulated(let simulation) = rig.drive.device else {
      Issue.record("not simulated")
      return
    }
    #expect(simulation.plant == PlantParameters.named("coinZ-170"))
    #expect(abs(simulation.drive.latency - 5.2e-3) < 1e-12)
    #expect(abs(simulation.capture.latency - 3.1e-3) < 1e-12)
    #expect(abs(simulation.capture.clockOffset - 12e-6) < 1e-15)
    #expect(abs(simulation.transportDelay - 0.4e-3) < 1e-12)
    #expect(abs(simulation.sound.latency - 1.5e-3) < 1e-12)
  }

  @Test(arguments: ["demo", "demo-nights", "smoke", "nightly", "latency", "soak"])
  func `a plan of the project reads, and its patterns are there`(name: String) throws {
    let plan = try Plan(yaml: projectFile("rigs/plans/\(name).yaml"), file: "\(name).yaml")
    #expect(plan.name == name)
    #expect(!plan.limits.isEmpty)
    #expect(!plan.patterns.isEmpty)
    for pattern in plan.patterns {
      let path = projectPath("rigs/plans/\(pattern)")
      #expect(access(path, R_OK) == 0, "\(name) names \(pattern)")
    }
  }
}
