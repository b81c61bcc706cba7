public import Devices
import Synchronization
import Units

/// A rig on a board of the vendor protocol: drive, sensors, or both.
public final class BoardRig: Sendable {
  /// Which halves of the rig are on the board.
  public struct Halves: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes halves of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The drive.
    public static let drive = Halves(rawValue: 1)
    /// The sensors.
    public static let sensors = Halves(rawValue: 2)
  }

  /// The drive; `nil` where it is elsewhere.
  public let drive: USBDrive?
  /// The sensors; `nil` where they are elsewhere.
  public let sensors: USBSensors?
  /// Whether the board keeps its own time, by a clock of hardware.
  public let isPaced: Bool
  /// Who the board says it is.
  public let identity: BoardIdentity

  private let stream: TakeStream<BoardEngine>

  /// The takes, as the ports see them.
  var service: any TakeService { stream }

  /// Opens the board that a description means; nothing is driven.
  ///
  /// - Parameters:
  ///   - rig: The rig; its rate and channels are fitted to the board.
  ///   - board: Which device, and how it is used.
  ///   - halves: What of the rig is on the board.
  ///   - backend: The bus.
  ///   - stop: The request to stop, which the board's thread looks at.
  /// - Throws: `DeviceError` with what to do: no such board, no permission, in use, rates or channels
  ///   that it does not have.
  public init(
    _ rig: RigDescription, board: USBDescription, halves: Halves = [.drive, .sensors],
    on backend: any USBBackend, stop: StopSignal = StopSignal()
  ) throws(DeviceError) {
    let context = USBContext(backend)
    let device = try context.open(board.selection, kind: .board, rig: rig.name)
    let rate = rig.drive.rate
    let width = rig.drive.channelCount
    let inputs = rig.capture.channels.count
    // Nothing holds up a virtual bus: what it keeps for later would only make takes longer.
    let driveDepth =
      backend.isVirtual
      ? max(8 * rig.drive.periodFrames, rate.wholeFrames(0.02)) : rate.wholeFrames(0.25)
    let captureDepth = rate.wholeFrames(1.5)
    let driveQueue = DriveQueue(frames: driveDepth, channels: width)
    let captureQueue = CaptureQueue(frames: captureDepth, channels: inputs)
    let shared = TakeShared(
      drive: driveQueue.writer, capture: captureQueue.reader, stop: stop)
    let engine = try BoardEngine(
      device, transfers: board.transfers, timeout: board.timeout, shared: shared,
      drive: driveQueue.reader, capture: captureQueue.writer
    ) { identity throws(DeviceError) in
      try BoardSetup(
        rig, identity, drives: halves.contains(.drive), senses: halves.contains(.sensors),
        timeout: board.timeout)
    }
    let setup = engine.setup
    identity = engine.identity
    isPaced = !backend.isVirtual
    stream = TakeStream(engine, isVirtual: backend.isVirtual)
    drive =
      setup.drives
      ? USBDrive(stream, format: rig.drive.format, capacity: driveDepth) : nil
    // Between two samples at the end of the scale a frame of another rate may lie a little below it.
    let end = Float(identity.sensorFormat.fullScale) * (setup.isResampled ? 0.99 : 1)
    sensors =
      setup.senses
      ? USBSensors(
        stream,
        format: StreamFormat(
          rate: rate, channelCount: inputs, periodFrames: rig.drive.periodFrames),
        channels: rig.capture.channels.map(\.port), driveCapacity: driveDepth,
        ends: setup.scales.map { $0 * end }) : nil
  }

  /// Tells the board's sensors how far the drive went, where the drive is another device.
  public func advance(frames: Int) { stream.advance(frames: frames) }

  /// How the stream went, after its end.
  public func statistics() -> StreamStatistics? { stream.statistics() }

  /// The times of transfers from submit to completion, out and in.
  public var latency: (output: JitterHistogram, input: JitterHistogram) { stream.latency }
}

extension USBDeviceKind {
  /// Boards of the vendor protocol, known by their interface.
  public static let board = USBDeviceKind(name: "a board of the haprig protocol") { record in
    guard let descriptors = try? USBDescriptors(bytes: record.descriptorBytes) else { return false }
    return BoardLink.port(descriptors) != nil
  }
}
