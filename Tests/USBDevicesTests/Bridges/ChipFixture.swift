// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import Glibc
import Testing
import USBModels
import Units

@testable import USBDevices

/// A DRV2605L behind any bridge as a rig's drive, on a bus in this process.
protocol AnyChipFixture {
  var bus: FakeUSBBus { get }
  var drive: USBDrive? { get }
  var interval: Double { get }
  /// What the output did, change by change; it outlives the rig.
  var witness: @Sendable () -> [DrivenMoment] { get }
  func chip(_ register: DRV2605LRegister) -> UInt8
  func fallSilent()
}

extension AnyChipFixture {
  static var rate: Double { 8000 }

  var now: UInt64 { bus.clock() }

  var moments: [DrivenMoment] { witness() }

  /// When the output went to zero for good, in nanoseconds of the bus; `nil` while it drives.
  var offSince: UInt64? {
    guard let last = moments.last else { return 0 }
    return last.isDriving ? nil : last.nanoseconds
  }

  /// Plays a tone at the resonance whose envelope is given by the time in seconds.
  func play(seconds: Double, envelope: (Double) -> Double) throws(DeviceError) {
    try play(seconds: seconds, during: { _ in }, envelope: envelope)
  }

  /// Plays a tone at the resonance, and does something before each block.
  func play(
    seconds: Double, during: (Double) -> Void, envelope: (Double) -> Double
  ) throws(DeviceError) {
    guard let drive else { return }
    try drive.start()
    let total = Int(seconds * Self.rate)
    var sent = 0
    while sent < total {
      let samples = (sent..<min(sent + 64, total)).map { frame -> Float in
        let time = Double(frame) / Self.rate
        return Float(envelope(time) * sin(2 * .pi * 175 * time))
      }
      during(Double(sent) / Self.rate)
      sent += try drive.write(samples.span)
    }
    try drive.stop()
  }
}

/// The output of a chip from a time on.
struct DrivenMoment: Sendable, Equatable {
  var nanoseconds: UInt64
  var isDriving: Bool
  var amplitude: UInt8
}

struct ChipFixture<Model: ModelBridge & Sendable>: AnyChipFixture {
  let bus: FakeUSBBus
  let bridge: FakeBridge<Model>
  let rig: USBRig

  var drive: USBDrive? { rig.drive }
  var interval: Double { rig.drive?.expressible?.updateInterval ?? 0 }
  var witness: @Sendable () -> [DrivenMoment] { { [bridge] in bridge.moments } }

  func chip(_ register: DRV2605LRegister) -> UInt8 { bridge.withChip { $0[register] } }
  func fallSilent() { bridge.fallSilent() }

  init(
    _ chip: DRV2605LDescription, _ bridge: FakeBridge<Model>, faults: [FakeUSBFault],
    guarded: FakeUSBBus.Guard
  ) throws(DeviceError) {
    bus = FakeUSBBus()
    self.bridge = bridge
    bus.plug(bridge, guarded: guarded, faults: faults)
    rig = try USBRig(
      ChipFixtureMaker.description(chip),
      device: USBDescription(selection: USBSelection(), driver: .drv2605L(chip)),
      halves: .drive, on: bus)
  }
}

enum ChipFixtureMaker {
  /// What goes wrong in a bridge itself.
  struct Trouble {
    var silentFrom: Int?
    var wrong: Int?
    var late: (packet: Int, nanoseconds: UInt64)?
    var isAbsent = false
  }

  static func make(
    _ bridge: DRV2605LDescription.Bridge, openLoop: Double? = nil,
    calibration: DRV2605LDescription.Calibration = .none, faults: [FakeUSBFault] = [],
    guarded: FakeUSBBus.Guard = .open, trouble: Trouble = Trouble()
  ) throws(DeviceError) -> any AnyChipFixture {
    let chip = DRV2605LDescription(
      bridge: bridge, resonance: 175, openLoopFrequency: openLoop, calibration: calibration)
    func fake<Model: ModelBridge & Sendable>(
      _ model: Model.Type, _ identity: USBSelection.Identity, isBulk: Bool = false
    ) throws(DeviceError) -> any AnyChipFixture {
      let bridge = FakeBridge<Model>(
        identity: identity, isBulk: isBulk, silentFrom: trouble.silentFrom, wrong: trouble.wrong,
        late: trouble.late)
      bridge.withChip { $0.isAbsent = trouble.isAbsent }
      return try ChipFixture(chip, bridge, faults: faults, guarded: guarded)
    }
    return switch bridge {
    case .mcp2221a: try fake(ModelMCP2221A.self, MCP2221ABridge.identity)
    case .cp2112: try fake(ModelCP2112.self, CP2112Bridge.identity)
    case .ft232h: try fake(ModelFT232H.self, FT232HBridge.identity, isBulk: true)
    }
  }

  static func description(_ chip: DRV2605LDescription) -> RigDescription {
    RigDescription(
      name: "bench",
      drive: DriveDescription(
        device: .usb(USBDescription(selection: USBSelection(), driver: .drv2605L(chip))),
        rate: SampleRate(hertz: 8000), channels: [.haptic: 1],
        fullScaleVolts: 2 * 2.0.squareRoot(), periodFrames: 64),
      capture: CaptureDescription(
        kind: .alsa,
        channels: [
          CaptureChannelDescription(
            name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 1)
        ]),
      actuators: [
        Actuator(
          id: "a", model: "m",
          limits: DriveLimits(continuousVolts: 2, peakVolts: 3))
      ])
  }
}
