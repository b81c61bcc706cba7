public import Devices
import Synchronization
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
  /// - Parameters:
  ///   - rig: The rig; its rate and channels are fitted to the device.
  ///   - device: Which device, and how it is used.
  ///   - halves: What of the rig is on the device.
  ///   - backend: The bus.
  ///   - stop: The request to stop, which the device's thread looks at.
  /// - Throws: `DeviceError` with what to do: no such device, no permission, in use, what it cannot do.
  public init(
    _ rig: RigDescription, device: USBDescription, halves: BoardRig.Halves = [.drive, .sensors],
    on backend: any USBBackend, stop: StopSignal = StopSignal()
  ) throws(DeviceError) {
    switch device.driver {
    case .board:
      let board = try BoardRig(rig, board: device, halves: halves, on: backend, stop: stop)
      self.init(board)
    case .drv2605L(let chip):
      guard halves == .drive else {
        throw DeviceError(
          .refused, device: rig.name,
          message: "a DRV2605L drives and feels nothing: let another device capture")
      }
      let settings = try DRV2605LSettings(chip, of: rig)
      switch chip.bridge {
      case .mcp2221a:
        try self.init(rig, device, settings, MCP2221ABridge.self, backend, stop)
      case .cp2112: try self.init(rig, device, settings, CP2112Bridge.self, backend, stop)
      case .ft232h: try self.init(rig, device, settings, FT232HBridge.self, backend, stop)
      }
    case .dualSense(let controller):
      let rumble =
        try halves.contains(.drive) ? DualSenseRumble(controller, of: rig) : nil
      let handle = try USBContext(backend)
        .open(device.selection, kind: .dualSense, rig: rig.name)
      try self.init(
        rig, device, halves, try DualSense(handle, rumble: rumble), rumble?.expressible, backend,
        stop)
    case .switchController(let controller):
      let drive = try halves.contains(.drive) ? SwitchDrive(controller, of: rig) : nil
      let opened = try SwitchController.open(
        device.selection, joyCon: controller.joyCon, drive: drive, rig: rig.name, on: backend)
      try self.init(rig, device, halves, opened, drive?.expressible, backend, stop)
    }
  }

  private init<Device: ControllerDevice & ~Copyable>(
    _ rig: RigDescription, _ device: USBDescription, _ halves: BoardRig.Halves,
    _ controller: consuming sending Device, _ expressible: ExpressibleDrive?,
    _ backend: any USBBackend, _ stop: StopSignal
  ) throws(DeviceError) {
    let drives = halves.contains(.drive)
    let senses = halves.contains(.sensors)
    let channels = rig.capture.channels
    if senses { try Self.checkAxes(channels, of: rig) }
    let width = channels.count
    let range = Float(controller.range)
    let interval = expressible?.updateInterval ?? 1
    let depth = TonePlayer<Device>.queueDepth(rig, interval: interval, on: backend)
    // A half that is elsewhere has a queue of one frame.
    let played = DriveQueue(frames: drives ? depth : 1, channels: rig.drive.channelCount)
    let felt = CaptureQueue(frames: senses ? rig.drive.rate.wholeFrames(1.5) : 1, channels: width)
    let shared = TakeShared(drive: played.writer, capture: felt.reader, stop: stop)
    let recorder = MotionRecorder(
      rig, tickRate: controller.tickRate, polling: controller.polling, shared: shared,
      capture: felt.writer)
    let player = TonePlayer(
      controller, of: rig, interval: interval, shared: shared, drive: played.reader)
    let engine = ControllerEngine(
      player, halves: halves, timeout: device.timeout, shared: shared, recorder: recorder)
    let stream = TakeStream(engine, isVirtual: backend.isVirtual)
    service = stream
    drive =
      drives
      ? USBDrive(stream, format: rig.drive.format, capacity: depth, expressible: expressible) : nil
    sensors =
      senses
      ? USBSensors(
        stream,
        format: StreamFormat(
          rate: rig.drive.rate, channelCount: width, periodFrames: rig.drive.periodFrames),
        channels: channels.map(\.port), driveCapacity: drives ? depth : 0,
        ends: [Float](repeating: 0.999 * range, count: width)) : nil
    isPaced = !backend.isVirtual
    isOnHostClock = true
  }

  private static func checkAxes(
    _ channels: [CaptureChannelDescription], of rig: RigDescription
  ) throws(DeviceError) {
    let wrong = channels.first { !(1...3).contains($0.input) || $0.role != .acceleration }
    guard let wrong else { return }
    throw DeviceError(
      .refused, device: rig.name,
      message: "the channel '\(wrong.name)' is none of the sensor's: its inputs are 1, 2 and 3, "
        + "acceleration along x, y and z")
  }

  private init(_ board: BoardRig) {
    drive = board.drive
    sensors = board.sensors
    isPaced = board.isPaced
    isOnHostClock = false
    service = board.service
  }

  private init<Bridge: USBBridge>(
    _ rig: RigDescription, _ device: USBDescription, _ settings: DRV2605LSettings,
    _ bridge: Bridge.Type, _ backend: any USBBackend, _ stop: StopSignal
  ) throws(DeviceError) {
    let kind = USBDeviceKind(name: "a USB-I2C bridge \(Bridge.name)") { record in
      Bridge.identity == .init(vendor: record.vendor, product: record.product)
        || device.selection.identity == .init(vendor: record.vendor, product: record.product)
    }
    let handle = try USBContext(backend).open(device.selection, kind: kind, rig: rig.name)
    let chip = try BridgedDRV2605L<Bridge>.open(handle, settings: settings)
    let interval = settings.expressible.updateInterval
    let depth = TonePlayer<BridgedDRV2605L<Bridge>>.queueDepth(
      rig, interval: interval, on: backend)
    let queue = DriveQueue(frames: depth, channels: rig.drive.channelCount)
    // Nothing is captured here: a queue of one frame stands for that.
    let none = CaptureQueue(frames: 1, channels: 1)
    let shared = TakeShared(drive: queue.writer, capture: none.reader, stop: stop)
    let engine = ToneEngine(
      chip, rig: rig, interval: interval, shared: shared, drive: queue.reader)
    let stream = TakeStream(engine, isVirtual: backend.isVirtual)
    service = stream
    drive = USBDrive(
      stream, format: rig.drive.format, capacity: depth, expressible: settings.expressible)
    sensors = nil
    isPaced = !backend.isVirtual
    isOnHostClock = true
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
