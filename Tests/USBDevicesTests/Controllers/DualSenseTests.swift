// SPDX-License-Identifier: Apache-2.0

import Actuators
import ControllerModels
import Devices
import Glibc
import Testing
import USBModels
import Units

@testable import USBDevices

struct DualSenseTests {
  private static let rate = 8000.0

  private static func description(inputs: [Int] = [3], timeout: Double = 0.25) -> RigDescription {
    RigDescription(
      name: "bench",
      drive: DriveDescription(
        device: .alsa(ALSADescription(pcm: "hw:CARD=Controller,DEV=0")),
        rate: SampleRate(hertz: rate), channels: [.haptic: 3], fullScaleVolts: 2, periodFrames: 64),
      capture: CaptureDescription(
        kind: .usb,
        channels: inputs.map {
          CaptureChannelDescription(
            name: "a\($0)", role: .acceleration, unit: .metrePerSecondSquared, input: $0)
        },
        usb: USBDescription(
          selection: USBSelection(), driver: .dualSense(DualSenseDescription()), timeout: timeout)),
      actuators: [
        Actuator(
          id: "a", model: "m", kind: .vcm,
          limits: DriveLimits(continuousVolts: 1, peakVolts: 2))
      ], actuatorChannels: ["a": 3])
  }

  /// A rig that feels by a controller, on a bus with it.
  private static func open(
    _ controller: FakeDualSense, faults: [FakeUSBFault] = [],
    guarded: FakeUSBBus.Guard = .kernelDriver, inputs: [Int] = [3]
  ) throws -> (bus: FakeUSBBus, rig: USBRig, sensors: USBSensors) {
    let bus = FakeUSBBus()
    bus.plug(controller, guarded: guarded, faults: faults)
    let rig = description(inputs: inputs)
    let device = try #require(rig.capture.usb)
    let opened = try USBRig(rig, device: device, halves: .sensors, on: bus)
    return (bus, opened, try #require(opened.sensors))
  }

  /// Everything that is felt in a time, with the bus's time of frame 0.
  private func listen(
    _ bench: (bus: FakeUSBBus, rig: USBRig, sensors: USBSensors), seconds: Double
  ) throws -> (frames: [Float], start: Double) {
    try bench.sensors.start()
    let start = Double(bench.bus.clock()) * 1e-9
    let total = Int(seconds * Self.rate)
    bench.rig.advance(frames: total)
    var heard: [Float] = []
    var block = [Float](repeating: 0, count: 512)
    // Beside another device's drive a read that waited and got nothing lets that drive go on.
    var empty = 0
    while heard.count < total, empty < 10_000 {
      var span = block.mutableSpan
      let count = try bench.sensors.read(into: &span)
      empty = count == 0 ? empty + 1 : 0
      heard += block.prefix(count)
    }
    return (heard, start)
  }

  @Test(arguments: [0.0, 150, -150])
  func `motion comes in m per s2 at its time, whatever the sensor's clock does`(
    drift: Double
  ) throws {
    let controller = FakeDualSense(drift: drift)
    let bench = try Self.open(controller)
    let (frames, start) = try listen(bench, seconds: 2)
    try bench.sensors.stop()
    #expect(frames.count == 16_000)
    // A report waits up to 2 ms for the bus; the earliest of eight lays frame 0. At 10 Hz and half a g
    // a millisecond is 0.31 m/s2.
    var worst = 0.0
    for (index, value) in frames.enumerated() {
      let time = start + Double(index) / Self.rate / (1 + drift * 1e-6)
      let wanted = controller.counts(at: time) / 8192 * 9.80665
      worst = max(worst, abs(Double(value) - wanted))
    }
    #expect(worst < 0.7, "\(worst) m/s2")
    #expect(bench.sensors.takeEvents() == [])
  }

  @Test func `the sensor's clock is measured against the host's`() throws {
    let bench = try Self.open(FakeDualSense(drift: 150))
    _ = try listen(bench, seconds: 8)
    let rate = try #require(bench.rig.clockRate)
    #expect(abs(rate.ppm - 150) < 1.8 * rate.uncertainty, "\(rate)")
    #expect(rate.uncertainty < 400, "\(rate)")
  }

  @Test func `opening selects haptics, and the kernel's driver comes back`() throws {
    let controller = FakeDualSense()
    var bench: (bus: FakeUSBBus, rig: USBRig, sensors: USBSensors)? = try Self.open(controller)
    let bus = try #require(bench?.bus)
    #expect(controller.outputs == [DualSenseCommand.haptics.bytes])
    #expect(bus.use.detached == 1)
    bench = nil
    #expect(bus.use == FakeUSBBus.Use())
  }

  @Test func `haptics are selected and the controller let go of`() throws {
    let bus = FakeUSBBus()
    let controller = FakeDualSense()
    bus.plug(
      controller, guarded: .kernelDriver,
      faults: [FakeUSBFault(.stall, endpoint: 0x03, transfer: 0)])
    try DualSenseHaptics.select(USBSelection(), rig: "bench", on: bus)
    #expect(controller.outputs == [DualSenseCommand.haptics.bytes])
    #expect(bus.use == FakeUSBBus.Use())
  }

  @Test func `what keeps haptics from being selected is told`() throws {
    func error(
      guarded: FakeUSBBus.Guard = .open, faults: [FakeUSBFault] = [], count: Int = 1
    ) -> DeviceError? {
      let bus = FakeUSBBus()
      for port in 0..<count {
        bus.plug(
          FakeDualSense(serial: "D-\(port)"), port: UInt8(port + 1), guarded: guarded,
          faults: faults)
      }
      do throws(DeviceError) {
        try DualSenseHaptics.select(USBSelection(), rig: "bench", on: bus)
        return nil
      } catch {
        #expect(bus.use == FakeUSBBus.Use())
        return error
      }
    }
    let held = FakeUSBFault(.hold(nanoseconds: 1_000_000_000), endpoint: 0x03, transfer: 0)
    #expect(error(count: 0)?.message.contains("a DualSense is not on the bus") == true)
    #expect(error(count: 2)?.message.contains("write 'serial' or 'port'") == true)
    #expect(error(guarded: .denied)?.code == .denied)
    #expect(error(guarded: .claimed)?.code == .busy)
    #expect(error(faults: [FakeUSBFault(.unplug, endpoint: 0x03, transfer: 0)])?.code == .unplugged)
    #expect(error(faults: [held])?.code == .stalled)
  }

  @Test func `lost reports are a drop at their frames`() throws {
    let controller = FakeDualSense(lost: Set(100..<110))
    let bench = try Self.open(controller)
    let (frames, start) = try listen(bench, seconds: 1)
    let events = bench.sensors.takeEvents()
    let event = try #require(events.first)
    #expect(events.count == 1 && event.kind == .drop)
    // Reports 100 to 109 lie from 0.4 s on; the line to the next begins at 99.
    let from = Double(event.frame) / Self.rate + start
    #expect(abs(from - 0.396) < 0.005, "\(from) s")
    #expect(abs(Double(event.length) / Self.rate - 0.044) < 0.001, "\(event.length) frames")
    #expect(frames[event.frames].allSatisfy { $0 == 0 })
  }

  @Test func `a controller without constants is read by its nominal scale`() throws {
    let empty = [5] + [UInt8](repeating: 0, count: 40)
    let controller = FakeDualSense(calibration: empty)
    let bench = try Self.open(controller)
    let (frames, _) = try listen(bench, seconds: 0.5)
    // Half of 8192 counts is half a g.
    let highest = try #require(frames.max())
    #expect(abs(Double(highest) - 4.903) < 0.1)
  }

  @Test func `constants of another report are refused`() throws {
    let error = #expect(throws: DeviceError.self) {
      _ = try Self.open(FakeDualSense(calibration: [6] + [UInt8](repeating: 0, count: 40)))
    }
    #expect(error?.code == .garbled)
  }

  @Test(arguments: [
    (FakeUSBFault.Kind.unplug, DeviceError.Code.unplugged), (.fail, .stalled), (.babble, .garbled),
  ])
  func `a fault of the bus ends the take`(
    kind: FakeUSBFault.Kind, code: DeviceError.Code
  ) throws {
    let bench = try Self.open(
      FakeDualSense(), faults: [FakeUSBFault(kind, endpoint: 0x84, transfer: 60)])
    let error = #expect(throws: DeviceError.self) { _ = try listen(bench, seconds: 1) }
    #expect(error?.code == code)
  }

  @Test func `one stall is cleared and three in a row are too many`() throws {
    let one = try Self.open(
      FakeDualSense(), faults: [FakeUSBFault(.stall, endpoint: 0x84, transfer: 60)])
    #expect(try listen(one, seconds: 0.5).frames.count == 4000)
    let many = try Self.open(
      FakeDualSense(),
      faults: (60..<64).map { FakeUSBFault(.stall, endpoint: 0x84, transfer: $0) })
    let error = #expect(throws: DeviceError.self) { _ = try listen(many, seconds: 0.5) }
    #expect(error?.code == .refused)
  }

  @Test func `a controller that reports nothing is given up in its time`() throws {
    let controller = FakeDualSense()
    let bench = try Self.open(controller)
    controller.fallSilent()
    let before = bench.bus.clock()
    let error = #expect(throws: DeviceError.self) { _ = try listen(bench, seconds: 1) }
    #expect(error?.code == .stalled)
    #expect(error?.message.contains("0.25 s") == true)
    #expect(bench.bus.clock() - before < 300_000_000)
  }

  @Test func `an axis that it has not is refused, and so is a drive`() throws {
    let error = #expect(throws: DeviceError.self) {
      _ = try Self.open(FakeDualSense(), inputs: [4])
    }
    #expect(error?.message.contains("inputs are 1, 2 and 3") == true)
    let bus = FakeUSBBus()
    let rig = Self.description()
    let device = try #require(rig.capture.usb)
    let other = #expect(throws: DeviceError.self) {
      _ = try USBRig(rig, device: device, halves: .drive, on: bus)
    }
    #expect(other?.message.contains("'haptics: dualsense'") == true)
  }
}
