// SPDX-License-Identifier: Apache-2.0

package import Devices
import Glibc
import Synchronization
import Units

/// A rig of sound cards: a drive and sensors on one card, on two, or on the virtual one.
package final class ALSARig: Sendable {
  package let drive: ALSADrive
  package let sensors: ALSASensors
  /// The rig with what the cards themselves had to say: scales from a product string.
  package let description: RigDescription
  /// What the PCMs agreed to: the drive's, then the capture's.
  package let negotiations: [Negotiation]
  /// Whether the devices keep their own time, by a clock of hardware or of the host.
  package let isPaced: Bool

  /// Opens the cards that a description names and sets them up; nothing is started.
  ///
  /// The cards' thread looks at the request to stop: the output is at zero within a period of it.
  package init(
    _ rig: RigDescription, slack: DriveSlack = .live, stop: StopSignal = StopSignal(),
    files: SystemFiles = SystemFiles()
  ) throws(DeviceError) {
    guard case .alsa(let driving) = rig.drive.device else {
      throw rig.error(
        .refused, "the drive is of kind \(rig.drive.device.kind.rawValue), not alsa")
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
    let queued = rig.drive.rate.wholeFrames(slack.seconds)
    let driveDepth =
      slack == .touched ? max(2 * playback.periodFrames, queued) : max(4 * block, queued)
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
      negotiations: negotiations, priority: Scheduling.renderPriority,
      serve: { serveCards(&$0) })
    let halves = StreamHalves(stream, device: rig.name)
    drive = ALSADrive(
      halves,
      format: StreamFormat(
        rate: rig.drive.rate, channelCount: width, periodFrames: playback.periodFrames),
      capacity: driveDepth)
    sensors = ALSASensors(
      halves,
      format: StreamFormat(
        rate: rig.drive.rate, channelCount: inputs.count, periodFrames: capture.periodFrames),
      channels: description.capture.channels.map(\.port),
      scales: description.capture.channels.map { Float($0.scale) }, largest: capture.format.largest,
      driveCapacity: driveDepth)
    self.description = description
    isPaced = !setup.isLockStep
  }
}

/// The take that both halves of a rig share, whichever of them begins it.
final class StreamHalves: Sendable {
  let stream: any DuplexStream
  /// The rig, as errors name it.
  let device: String
  private let pairing = Mutex(TakePairing())

  init(_ stream: any DuplexStream, device: String) {
    self.stream = stream
    self.device = device
  }

  func start(_ half: TakeHalves) throws(DeviceError) {
    if pairing.withLock({ $0.begins(with: half) }) {
      do throws(DeviceError) {
        try stream.rest()
      } catch {
        pairing.withLock { $0 = TakePairing() }
        throw error
      }
    }
    if half == .sensors {
      guard stream.shared.sent.load(ordering: .acquiring) == 0 else {
        throw DeviceError(
          .refused, device: device,
          message: "the capture has to start before the first drive frame is written")
      }
      stream.shared.isCaptureWanted.store(true, ordering: .releasing)
    }
    _ = pairing.withLock { $0.start(half) }
  }

  func isRunning(_ half: TakeHalves) -> Bool { pairing.withLock { $0.isRunning(half) } }

  func stop(_ half: TakeHalves) {
    let isLast = pairing.withLock { $0.stop(half) }
    if half == .sensors { stream.shared.isCaptureWanted.store(false, ordering: .releasing) }
    if isLast { stream.finish() }
  }

  /// Waits in the caller's thread for a part of a period, at most two milliseconds.
  static func sleep(periods: Double, of format: StreamFormat) {
    let seconds = min(0.002, periods * format.rate.seconds(Double(format.periodFrames)))
    usleep(UInt32(max(50, seconds * 1e6)))
  }
}
