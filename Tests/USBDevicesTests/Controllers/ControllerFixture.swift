// SPDX-License-Identifier: Apache-2.0

import Actuators
import ControllerModels
import Devices
import Glibc
import USBModels
import Units

@testable import USBDevices

/// The controllers that drive and feel.
enum ControllerKind: String, Sendable, CaseIterable {
  case dualSense
  case switchController

  var driver: USBDriver {
    switch self {
    case .dualSense: .dualSense(DualSenseDescription(rumbleFrequency: 65))
    case .switchController: .switchController(SwitchControllerDescription())
    }
  }

  /// One that is well.
  var model: any ControllerModel {
    switch self {
    case .dualSense: FakeDualSense()
    case .switchController: FakeSwitchController()
    }
  }

  /// Seconds from one report of its sensor to the next.
  var reportInterval: Double { self == .dualSense ? 0.004 : 0.015 }
}

/// A controller as a rig's drive and sensors, on a bus in this process.
struct ControllerFixture {
  static let rate = 8000.0
  let bus: FakeUSBBus
  let model: any ControllerModel
  let rig: USBRig

  static func description(
    _ driver: USBDriver, channel: Int = 1, inputs: [Int] = [3], timeout: Double = 0.25,
    selection: USBSelection = USBSelection()
  ) -> RigDescription {
    let device = USBDescription(selection: selection, driver: driver, timeout: timeout)
    return RigDescription(
      name: "bench",
      drive: DriveDescription(
        device: .usb(device), rate: SampleRate(hertz: rate), channels: [.haptic: channel],
        fullScaleVolts: 2, periodFrames: 64),
      capture: CaptureDescription(
        kind: .usb,
        channels: inputs.map {
          CaptureChannelDescription(
            name: "a\($0)", role: .acceleration, unit: .metrePerSecondSquared, input: $0)
        }, usb: device),
      actuators: [
        Actuator(
          id: "a", model: "m",
          limits: DriveLimits(continuousVolts: 1, peakVolts: 2))
      ])
  }

  init(
    _ kind: ControllerKind, model: (any ControllerModel)? = nil, driver: USBDriver? = nil,
    halves: TakeHalves = [.drive, .sensors], faults: [FakeUSBFault] = [],
    guarded: FakeUSBBus.Guard = .kernelDriver, channel: Int = 1, timeout: Double = 0.25
  ) throws(DeviceError) {
    bus = FakeUSBBus()
    self.model = model ?? kind.model
    bus.plug(self.model, guarded: guarded, faults: faults)
    let description = Self.description(
      driver ?? kind.driver, channel: channel, timeout: timeout)
    guard let device = description.capture.usb else { preconditionFailure("no device") }
    rig = try USBRig(description, device: device, halves: halves, on: bus)
  }

  var now: UInt64 { bus.clock() }

  /// Plays a tone whose envelope is given by the time, and gives what was felt meanwhile.
  @discardableResult
  func play(
    seconds: Double, hertz: Double = 175, during: (Double) -> Void = { _ in },
    envelope: (Double) -> Double
  ) throws(DeviceError) -> [Float] {
    guard let drive = rig.drive else { return [] }
    try drive.start()
    try rig.sensors?.start()
    let width = drive.format.channelCount
    let total = Int(seconds * Self.rate)
    var heard: [Float] = []
    var sent = 0
    while sent < total {
      let samples = (sent..<min(sent + 64, total)).flatMap { frame -> [Float] in
        let time = Double(frame) / Self.rate
        let value = Float(envelope(time) * sin(2 * .pi * hertz * time))
        return [Float](repeating: 0, count: width - 1) + [value]
      }
      during(Double(sent) / Self.rate)
      sent += try drive.write(samples.span)
      heard += try read()
    }
    try drive.stop()
    while rig.sensors != nil, heard.count < total {
      let more = try read()
      if more.isEmpty { break }
      heard += more
    }
    try rig.sensors?.stop()
    return heard
  }

  private func read() throws(DeviceError) -> [Float] {
    guard let sensors = rig.sensors else { return [] }
    var block = [Float](repeating: 0, count: 512)
    var span = block.mutableSpan
    let count = try sensors.read(into: &span)
    return Array(block.prefix(count))
  }
}
