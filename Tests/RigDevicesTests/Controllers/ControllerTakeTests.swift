// SPDX-License-Identifier: Apache-2.0

import AHAP
import Acceptance
import Bench
import ControllerModels
import Devices
import HapticRendering
import Perception
import RigFiles
import ScratchFolder
import Testing
import USBModels
import Units

@testable import RigDevices
@testable import SampledSensors
@testable import USBDevices

/// From a rig file to a take's readings, on a bus in this process.
struct ControllerTakeTests {
  private static func text(_ name: String, drive: String, capture: String = "") -> String {
    """
    name: \(name)
    drive:
      device: usb
    \(drive)
      rate: 8 kHz
      period: 64
      channels: {haptic: 1}
      full-scale: 2 V
    capture:
    \(capture)
      channels:
        z: {role: acceleration, axis: z, input: 3}
    actuator: {id: a, model: m, limits: {continuous: 1.5 Vrms, peak: 2 V}}

    """
  }

  private static func rig(_ text: String) throws -> RigDescription {
    try RigDescription(yaml: Array(text.utf8), file: "rigs/bench.yaml")
  }

  /// A tone of half a second, some time after the pattern's start.
  private static func pattern(at time: Double) -> String {
    """
    {"Version": 1.0, "Pattern": [{"Event": {"EventType": "HapticContinuous", "Time": \(time),
    "EventDuration": 0.5, "EventParameters": [
    {"ParameterID": "HapticIntensity", "ParameterValue": 0.8},
    {"ParameterID": "HapticSharpness", "ParameterValue": 0.5}]}}]}
    """
  }

  private func play(
    _ open: OpenRig
  ) async throws -> (take: TakeDrive, recording: Recording, result: TakeAnalysis.Result) {
    try await play(
      open.description, open.output, try #require(open.input), isPaced: open.isPaced)
  }

  private func play(
    _ rig: RigDescription, _ output: any DriveOutput, _ input: any SensorInput,
    isPaced: Bool = false, at time: Double = 0.1
  ) async throws -> (take: TakeDrive, recording: Recording, result: TakeAnalysis.Result) {
    let scratch = try ScratchFolder()
    let path = try scratch.write(Self.pattern(at: time), to: "tone.ahap")
    let entries = try PatternSet.expand([path])
    let loaded = try PatternLoader(rate: rig.drive.rate).load(entries[0])
    let take = TakeBuilder(rig: rig, hasProbe: false).build(loaded)
    let session = Session(
      rig: rig, output: output, input: input, stop: StopSignal(), isPaced: isPaced)
    let recording = await session.play(take)
    let result = TakeAnalysis(rig: rig, target: IntensityTarget()).measure(
      take, recording, pattern: "tone", number: 1)
    return (take, recording, result)
  }

  private static let drives: [(String, String)] = [
    ("switch", "  driver: switch"), ("dualsense", "  driver: dualsense\n  frequency: 65 Hz"),
  ]

  private static func model(_ driver: String) -> any ControllerModel {
    driver == "switch" ? FakeSwitchController() : FakeDualSense()
  }

  @Test(arguments: drives)
  func `a rig file opens a controller, and a take on it has readings`(
    driver: String, lines: String
  ) async throws {
    let bus = FakeUSBBus()
    let model = Self.model(driver)
    bus.plug(model, guarded: .kernelDriver)
    do {
      let open = try OpenRig(Self.rig(Self.text("take-\(driver)", drive: lines))) { _ in
      } on: { () throws(DeviceError) in
        bus
      }
      #expect(!open.isPaced)
      let (take, recording, result) = try await play(open)
      #expect(recording.fault == nil)
      #expect(recording.driveEvents.isEmpty && recording.captureEvents.isEmpty)
      #expect(recording.expressible == open.output.expressible)
      #expect(recording.frameCount == take.layout.frameCount)
      // Half a second, to a command either way.
      let driven = model.strengths.filter { $0.left > 0.3 }
      let first = try #require(driven.first)
      let neutral = try #require(model.neutralSince)
      #expect(abs(Double(neutral - first.nanoseconds) * 1e-9 - 0.5) < 0.035)
      // It is shaken at 10 Hz by half a g: so much is in the recording.
      let z = try #require(recording.channels.first)
      #expect((z.samples.max() ?? 0) > 4 && (z.samples.max() ?? 0) < 5.5)
      let level = result.readings.first { $0.name == ReadingName(.quantisationLevel) }
      #expect(level?.value != nil)
      let electrical = result.readings.first { $0.name == ReadingName(.latencyElectrical) }
      #expect(electrical?.value == nil)
      guard case .unlinked = recording.statistics?.start else {
        Issue.record("\(String(describing: recording.statistics?.start))")
        return
      }
    }
    #expect(bus.use == FakeUSBBus.Use())
  }

  private static let breakout = """
      device: serial
      path: /dev/ttyACM0
      sample-rate: 8 kHz
      columns: [counter, z]
      scale: 1 g
    """

  @Test(arguments: drives)
  func `a controller beside a breakout drives by the host's clock, and the drift is the breakout's`(
    driver: String, lines: String
  ) async throws {
    let bus = FakeUSBBus()
    let model = Self.model(driver)
    bus.plug(model)
    let rig = try Self.rig(Self.text("beside", drive: lines, capture: Self.breakout))
    guard case .usb(let controller) = rig.drive.device else {
      Issue.record("\(rig.drive.device)")
      return
    }
    let device = try USBRig(rig, device: controller, halves: .drive, on: bus)
    let rate = rig.drive.rate
    let world = World(
      rate: rate.hertz, drift: 0, noise: 0.01, isWired: false, length: 0, seed: 0x7b)
    let sensors = SampledSensors(
      WorldBreakout(world: world, bus: bus, rate: rate.hertz * (1 + 500e-6), seed: 0x7b),
      setup: SampledSetup(
        rig: rig.name, sensor: "a breakout", sampleRate: rate.hertz, frameRate: rate,
        fields: [.counter(bits: 32), .axis(2)], axes: [0], scales: [1], timeout: 1),
      channels: rig.capture.channels.map(\.port), periodFrames: rig.drive.periodFrames)
    let partner = SampledPartner(sensors, isOnHostClock: device.isOnHostClock)
    let (take, recording, result) = try await play(
      rig, PairedDrive(try #require(device.drive), beside: partner), sensors, at: 4)
    #expect(recording.fault == nil)
    #expect(recording.frameCount == take.layout.frameCount)
    #expect(recording.driveEvents.isEmpty)
    // A controller begins at once: what the breakout took before its first sample is told as a drop.
    let lost = recording.captureEvents.map(\.frames.upperBound).max() ?? 0
    #expect(lost <= rate.wholeFrames(0.002), "\(recording.captureEvents)")
    #expect(model.strengths.contains { $0.left > 0.3 })
    let statistics = try #require(recording.statistics)
    #expect(statistics.driveRate?.ppm == 0 && statistics.driveRate?.uncertainty == 0)
    let drift = result.readings.first { $0.name == ReadingName(.drift) }
    let value = try #require(drift?.value, "\(drift?.note ?? "no reading")")
    let uncertainty = try #require(drift?.uncertainty)
    #expect(abs(value - 500) <= 4 * uncertainty, "\(value) ± \(uncertainty)")
  }

  @Test(arguments: drives)
  func `a controller that breaks in a take leaves a record of it, at rest`(
    driver: String, lines: String
  ) async throws {
    let bus = FakeUSBBus()
    let model = Self.model(driver)
    bus.plug(
      model, faults: [FakeUSBFault(.fail, endpoint: type(of: model).output, transfer: 25)])
    let open = try OpenRig(Self.rig(Self.text("break-\(driver)", drive: lines))) { _ in
    } on: { () throws(DeviceError) in
      bus
    }
    let (_, recording, _) = try await play(open)
    #expect(recording.fault?.code == .stalled)
    let fault = try #require(bus.lastFault)
    let neutral = try #require(model.neutralSince)
    #expect(neutral > fault && neutral <= fault + 20_000_000)
  }

  @Test func `one controller drives and another feels`() async throws {
    let bus = FakeUSBBus()
    let driving = FakeSwitchController()
    bus.plug(driving, port: 1)
    bus.plug(FakeDualSense(), port: 2)
    let text = Self.text(
      "mixed-controllers", drive: "  driver: switch", capture: "  driver: dualsense")
    let open = try OpenRig(Self.rig(text)) { _ in
    } on: { () throws(DeviceError) in
      bus
    }
    let (take, recording, _) = try await play(open)
    #expect(recording.fault == nil)
    #expect(recording.frameCount == take.layout.frameCount)
    #expect(driving.strengths.contains { $0.left > 0.3 } && driving.neutralSince != nil)
    guard case .separate = recording.statistics?.start else {
      Issue.record("\(String(describing: recording.statistics?.start))")
      return
    }
  }

  @Test func `what is not on the bus is told, and the rig is free again`() throws {
    for _ in 0..<2 {
      let error = #expect(throws: DeviceError.self) {
        try OpenRig(Self.rig(Self.text("absent-switch", drive: "  driver: switch"))) { _ in
        } on: { () throws(DeviceError) in
          FakeUSBBus()
        }
      }
      #expect(error?.message.contains("a Switch Pro controller is not on the bus") == true)
    }
  }

  @Test func `haptics are selected before the sound interface is opened`() throws {
    let bus = FakeUSBBus()
    let model = FakeDualSense()
    bus.plug(model, guarded: .kernelDriver)
    let text = Self.text("haptics", drive: "", capture: "  device: usb\n  driver: dualsense")
      .replacing(
        "  device: usb\n\n",
        with: "  device: alsa\n  pcm: \"hw:CARD=Absent,DEV=0\"\n  haptics: dualsense\n")
    let rig = try Self.rig(text)
    #expect(rig.drive.dualSenseHaptics != nil)
    // No such card is here; what the controller was told is.
    #expect(throws: DeviceError.self) {
      try OpenRig(rig) { _ in
      } on: { () throws(DeviceError) in
        bus
      }
    }
    #expect(model.outputs.first == DualSenseCommand.haptics.bytes)
    #expect(model.strengths.isEmpty)
    #expect(bus.use == FakeUSBBus.Use())
  }
}
