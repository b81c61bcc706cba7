// SPDX-License-Identifier: Apache-2.0

public import Devices
import Synchronization
public import USBTransport
import Units

/// A rig on a USB device, whatever driver speaks to it: drive, sensors, or both.
public struct USBRig: Sendable {
  /// The drive; `nil` where it is elsewhere.
  public let drive: USBDrive?
  /// The sensors; `nil` where they are elsewhere.
  public let sensors: USBSensors?
  /// Whether the device keeps its own time, by a clock of hardware.
  public let isPaced: Bool
  /// Whether the drive is on the host's own clock: the device is told at each moment what to do.
  public let isOnHostClock: Bool

  private let service: any TakeService

  /// Opens the device that a description means; nothing is driven but by a calibration that it asks for.
  ///
  /// The rig's rate and channels are fitted to the device, on which the halves are; its thread looks at the request to
  /// stop; throws `DeviceError` with what to do: no such device, no permission, in use, what it cannot do.
  public init(
    _ rig: RigDescription, device: USBDescription, halves: TakeHalves = [.drive, .sensors],
    on backend: any USBBackend, slack: DriveSlack = .live, stop: StopSignal = StopSignal()
  ) throws(DeviceError) {
    switch device.driver {
    case .board:
      try self.init(rig, board: device, halves, backend, slack, stop)
    case .drv2605L(let chip):
      guard halves == .drive else {
        throw rig.error(
          .refused, "a DRV2605L drives and feels nothing: let another device capture")
      }
      let settings = try DRV2605LSettings(chip, of: rig)
      switch chip.bridge {
      case .mcp2221a:
        try self.init(rig, device, settings, MCP2221ABridge.self, backend, slack, stop)
      case .cp2112: try self.init(rig, device, settings, CP2112Bridge.self, backend, slack, stop)
      case .ft232h: try self.init(rig, device, settings, FT232HBridge.self, backend, slack, stop)
      }
    case .dualSense(let controller):
      let rumble =
        try halves.contains(.drive) ? DualSenseRumble(controller, of: rig) : nil
      let handle = try USBContext(backend)
        .open(device.selection, kind: .dualSense, rig: rig.name)
      try self.init(
        rig, device, halves, try DualSense(handle, rumble: rumble), rumble?.expressible, backend,
        slack, stop)
    case .switchController(let controller):
      let drive = try halves.contains(.drive) ? SwitchDrive(controller, of: rig) : nil
      let opened = try SwitchController.open(
        device.selection, joyCon: controller.joyCon, drive: drive, rig: rig.name, on: backend)
      try self.init(rig, device, halves, opened, drive?.expressible, backend, slack, stop)
    }
  }

  private init(
    _ rig: RigDescription, board: USBDescription, _ halves: TakeHalves,
    _ backend: any USBBackend, _ slack: DriveSlack, _ stop: StopSignal
  ) throws(DeviceError) {
    let device = try USBContext(backend).open(board.selection, kind: .board, rig: rig.name)
    let rate = rig.drive.rate
    // Nothing holds up a virtual bus: what it keeps for later would only make takes longer.
    let depth =
      backend.isVirtual
      ? max(8 * rig.drive.periodFrames, rate.wholeFrames(0.02)) : rate.wholeFrames(slack.seconds)
    let driven = DriveQueue(frames: depth, channels: rig.drive.channelCount)
    let felt = CaptureQueue(
      frames: rate.wholeFrames(1.5), channels: rig.capture.channels.count)
    let shared = TakeShared(drive: driven.writer, capture: felt.reader, stop: stop)
    let engine = try BoardEngine(
      device, transfers: board.transfers, timeout: board.timeout, shared: shared,
      drive: driven.reader, capture: felt.writer
    ) { identity throws(DeviceError) in
      try BoardSetup(
        rig, identity, drives: halves.contains(.drive), senses: halves.contains(.sensors),
        timeout: board.timeout)
    }
    let setup = engine.setup
    // Between two samples at the end of the scale a frame of another rate may lie a little below it.
    let end = Float(engine.identity.sensorFormat.fullScale) * (setup.isResampled ? 0.99 : 1)
    self.init(
      engine, of: rig, depth: depth, ends: setup.senses ? setup.scales.map { $0 * end } : nil,
      isOnHostClock: false, backend)
  }

  private init<Device: ControllerDevice & ~Copyable>(
    _ rig: RigDescription, _ device: USBDescription, _ halves: TakeHalves,
    _ controller: consuming sending Device, _ expressible: ExpressibleDrive?,
    _ backend: any USBBackend, _ slack: DriveSlack, _ stop: StopSignal
  ) throws(DeviceError) {
    let senses = halves.contains(.sensors)
    let channels = rig.capture.channels
    if senses { try Self.checkAxes(channels, of: rig) }
    let range = Float(controller.range)
    let interval = expressible?.updateInterval ?? 1
    let depth = TonePlayer<Device>.queueDepth(rig, interval: interval, slack, on: backend)
    // A half that is elsewhere has a queue of one frame.
    let played = DriveQueue(
      frames: halves.contains(.drive) ? depth : 1, channels: rig.drive.channelCount)
    let felt = CaptureQueue(
      frames: senses ? rig.drive.rate.wholeFrames(1.5) : 1, channels: channels.count)
    let shared = TakeShared(drive: played.writer, capture: felt.reader, stop: stop)
    let recorder = MotionRecorder(
      rig, tickRate: controller.tickRate, polling: controller.polling, shared: shared,
      capture: felt.writer)
    let player = TonePlayer(
      controller, of: rig, interval: interval, shared: shared, drive: played.reader)
    let engine = ControllerEngine(
      player, halves: halves, timeout: device.timeout, shared: shared, recorder: recorder)
    self.init(
      engine, of: rig, depth: depth, expressible: expressible,
      ends: senses ? [Float](repeating: 0.999 * range, count: channels.count) : nil,
      isOnHostClock: true, backend)
  }

  private static func checkAxes(
    _ channels: [CaptureChannelDescription], of rig: RigDescription
  ) throws(DeviceError) {
    let wrong = channels.first { !(1...3).contains($0.input) || $0.role != .acceleration }
    guard let wrong else { return }
    throw rig.error(
      .refused,
      "the channel '\(wrong.name)' is none of the sensor's: its inputs are 1, 2 and 3, "
        + "acceleration along x, y and z")
  }

  private init<Bridge: USBBridge>(
    _ rig: RigDescription, _ device: USBDescription, _ settings: DRV2605LSettings,
    _ bridge: Bridge.Type, _ backend: any USBBackend, _ slack: DriveSlack, _ stop: StopSignal
  ) throws(DeviceError) {
    let kind = USBDeviceKind(name: "a USB-I2C bridge \(Bridge.name)") { record in
      Bridge.known.includes(record)
        || device.selection.identity == .init(vendor: record.vendor, product: record.product)
    }
    let handle = try USBContext(backend).open(device.selection, kind: kind, rig: rig.name)
    let chip = try BridgedDRV2605L<Bridge>.open(handle, settings: settings)
    let interval = settings.expressible.updateInterval
    let depth = TonePlayer<BridgedDRV2605L<Bridge>>.queueDepth(
      rig, interval: interval, slack, on: backend)
    let played = DriveQueue(frames: depth, channels: rig.drive.channelCount)
    // Nothing is captured here: a queue of one frame stands for that.
    let none = CaptureQueue(frames: 1, channels: 1)
    let shared = TakeShared(drive: played.writer, capture: none.reader, stop: stop)
    let player = TonePlayer(
      chip, of: rig, interval: interval, shared: shared, drive: played.reader)
    self.init(
      player, of: rig, depth: depth, expressible: settings.expressible, ends: nil,
      isOnHostClock: true, backend)
  }

  /// Puts ports before an engine: `ends` are the largest samples of its sensors, by channel, where they are used.
  private init<Engine: TakeEngine & ~Copyable>(
    _ engine: consuming sending Engine, of rig: RigDescription, depth: Int,
    expressible: ExpressibleDrive? = nil, ends: [Float]?, isOnHostClock: Bool,
    _ backend: any USBBackend
  ) {
    let stream = TakeStream(engine, isVirtual: backend.isVirtual)
    service = stream
    drive =
      stream.drives
      ? USBDrive(stream, format: rig.drive.format, capacity: depth, expressible: expressible) : nil
    sensors = ends.map { ends in
      USBSensors(
        stream,
        format: rig.captureFormat,
        channels: rig.capture.channels.map(\.port), driveCapacity: depth, ends: ends)
    }
    isPaced = !backend.isVirtual
    self.isOnHostClock = isOnHostClock
  }

  /// The device's clock against the host's, since it was opened; `nil` where it is not known.
  public var clockRate: StreamStatistics.ClockRate? { service.clockRate }

  /// Tells the sensors that the drive on another device has ended: what is still to come is waited for.
  public func endDrive() { service.shared.isDriveEnded.store(true, ordering: .releasing) }

  /// Has two devices served together, where both are on one virtual bus, whichever of them is waited for.
  public func accompany(_ other: USBRig) {
    service.accompany(other.service)
    other.service.accompany(service)
  }

  /// Serves the device on a virtual bus while another device's drive is waited for.
  func keepUp() { service.keepUp() }

  /// How the stream went, after its end.
  public func statistics() -> StreamStatistics? { service.statistics() }

  /// Tells the sensors how far the drive went, where the drive is another device.
  public func advance(frames: Int) { service.advance(frames: frames) }
}
