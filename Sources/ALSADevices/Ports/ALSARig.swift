public import Devices
import Glibc
import Synchronization
import Units

/// A rig of sound cards: a drive and sensors on one card, on two, or on the virtual one.
public final class ALSARig: Sendable {
  /// The drive.
  public let drive: ALSADrive
  /// The sensors.
  public let sensors: ALSASensors
  /// The rig with what the cards themselves had to say: scales from a product string.
  public let description: RigDescription
  /// What the PCMs agreed to: the drive's, then the capture's.
  public let negotiations: [Negotiation]
  /// Whether the devices keep their own time, by a clock of hardware or of the host.
  public let isPaced: Bool

  /// Opens the cards that a description names and sets them up; nothing is started.
  ///
  /// - Parameters:
  ///   - rig: The description; its drive is of the kind ALSA.
  ///   - stop: The request to stop that the cards' thread looks at: the output is at zero within a
  ///     period of it.
  ///   - files: Where the kernel says what cards it has.
  /// - Throws: `DeviceError` with what to do: a card that is not there, in use or not permitted, a
  ///   set-up that it refuses with what it offers, a plug-in that is not found.
  public init(
    _ rig: RigDescription, stop: StopSignal = StopSignal(), files: SystemFiles = SystemFiles()
  ) throws(DeviceError) {
    guard case .alsa(let driving) = rig.drive.device else {
      throw DeviceError(
        .refused, device: rig.name,
        message: "the drive is of kind \(rig.drive.device.kind.rawValue), not alsa")
    }
    let cards = try CardOpening(
      rig, driving: driving, capturing: rig.capture.alsa ?? driving, files)
    let description = try cards.resolvedScales(rig)
    let wakeUp = WakePipe()
    let opened = try cards.open(wakeUp: wakeUp, stop: stop)
    let setup = opened.setup
    negotiations = opened.negotiations
    let (playback, capture) = (negotiations[0], negotiations[1])
    let block = max(playback.bufferFrames, capture.bufferFrames)
    let width = rig.drive.channelCount
    let inputs = description.capture.channels.map { $0.input - 1 }
    let driveDepth = max(4 * block, rig.drive.rate.wholeFrames(0.25))
    let captureDepth = driveDepth + 8 * block + rig.drive.rate.wholeFrames(0.75)
    let driveQueue = DriveQueue(frames: driveDepth, channels: width)
    let captureQueue = CaptureQueue(frames: captureDepth, channels: inputs.count)
    let shared = DuplexShared(
      drive: driveQueue.writer, capture: captureQueue.reader, wakeUp: wakeUp,
      stop: stop)
    let engine = opened.engine(
      drive: DriveSide(
        shared: shared, queue: driveQueue.reader, format: playback.format, width: width,
        channels: playback.channelCount, blockFrames: block, isLockStep: setup.isLockStep),
      capture: CaptureSide(
        shared: shared, queue: captureQueue.writer, format: capture.format, inputs: inputs,
        channels: capture.channelCount, blockFrames: block, isLockStep: setup.isLockStep))
    let stream = Duplex(
      engine,
      names: DuplexNames(rig: rig.name, playback: playback.pcm, capture: capture.pcm),
      negotiations: negotiations, priority: 75, serve: { serveCards(&$0) })
    let halves = StreamHalves()
    drive = ALSADrive(
      stream, halves: halves, device: rig.name,
      format: StreamFormat(
        rate: rig.drive.rate, channelCount: width, periodFrames: playback.periodFrames),
      capacity: driveDepth)
    sensors = ALSASensors(
      stream, halves: halves, device: rig.name,
      format: StreamFormat(
        rate: rig.drive.rate, channelCount: inputs.count, periodFrames: capture.periodFrames),
      channels: description.capture.channels.map(\.port),
      scales: description.capture.channels.map {
        Float(($0.fullScaleVolts ?? 1) / ($0.sensor?.sensitivity ?? 1))
      }, largest: capture.format.largest, driveCapacity: driveDepth)
    self.description = description
    isPaced = !setup.isLockStep
  }
}

/// Which halves of a rig have joined the latest take: drive and capture share it, either starts it.
final class StreamHalves: Sendable {
  private struct State: Sendable {
    var hasBegun = false
    var joined: (playback: Bool, capture: Bool) = (false, false)
    var running: (playback: Bool, capture: Bool) = (false, false)
  }

  private let state = Mutex(State())

  /// Joins a half to the take, and begins a new one where this half was in the latest already.
  func start(_ half: Direction, _ stream: any DuplexStream, device: String) throws(DeviceError) {
    let begins = state.withLock { state in
      let joined = half == .playback ? state.joined.playback : state.joined.capture
      if !state.hasBegun || joined {
        state = State(hasBegun: true)
        return true
      }
      return false
    }
    if begins {
      do throws(DeviceError) {
        try stream.rest()
      } catch {
        state.withLock { $0 = State() }
        throw error
      }
    }
    if half == .capture {
      guard stream.shared.sent.load(ordering: .acquiring) == 0 else {
        throw DeviceError(
          .refused, device: device,
          message: "the capture has to start before the first drive frame is written")
      }
      stream.shared.isCaptureWanted.store(true, ordering: .releasing)
    }
    state.withLock { state in
      if half == .playback {
        (state.joined.playback, state.running.playback) = (true, true)
      } else {
        (state.joined.capture, state.running.capture) = (true, true)
      }
    }
  }

  func isRunning(_ half: Direction) -> Bool {
    state.withLock { half == .playback ? $0.running.playback : $0.running.capture }
  }

  /// Takes a half out, and ends the take with the last one.
  func stop(_ half: Direction, _ stream: any DuplexStream) {
    let isLast = state.withLock { state in
      let wasRunning = state.running.playback || state.running.capture
      if half == .playback { state.running.playback = false } else { state.running.capture = false }
      return wasRunning && !state.running.playback && !state.running.capture
    }
    if half == .capture { stream.shared.isCaptureWanted.store(false, ordering: .releasing) }
    if isLast { stream.finish() }
  }

  func notStarted(_ call: String, _ device: String) -> DeviceError {
    DeviceError(.refused, device: device, message: "\(call) was called before start")
  }

  /// Waits in the caller's thread for a part of a period, at most two milliseconds.
  static func sleep(periods: Double, of format: StreamFormat) {
    let seconds = min(0.002, periods * format.rate.seconds(Double(format.periodFrames)))
    usleep(UInt32(max(50, seconds * 1e6)))
  }
}
