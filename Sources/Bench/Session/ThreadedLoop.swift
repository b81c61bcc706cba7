import Devices
private import Glibc
import Synchronization
import Units

/// Serves devices that keep their own time from a thread of their own, through two sample queues.
///
/// The thread only moves frames between devices and queues; the caller fills the one and empties the
/// other, so that nothing the caller does can make a device wait.
struct ThreadedLoop {
  let rig: RigDescription
  let drive: DriveFrames
  let stop: StopSignal
  private(set) var recorder: TakeRecorder
  /// How the thread was scheduled.
  private(set) var scheduling: Scheduling?

  private let service: DeviceService
  private let toThread: DriveFeed

  init(
    rig: RigDescription, drive: DriveFrames, output: any DriveOutput, input: any SensorInput,
    stop: StopSignal
  ) {
    self.rig = rig
    self.drive = drive
    self.stop = stop
    let depth = rig.drive.rate.wholeFrames(0.5)
    let driveEnds = QueueEnds(capacity: depth * rig.drive.channelCount)
    let captureEnds = QueueEnds(capacity: depth * input.channels.count)
    service = DeviceService(
      output: output, input: input, total: drive.count,
      periodFrames: rig.drive.periodFrames, stop: stop, drive: driveEnds, capture: captureEnds)
    toThread = DriveFeed(drive: driveEnds, capture: captureEnds)
    recorder = TakeRecorder(
      channelCount: input.channels.count, frameLimit: drive.count)
  }

  /// Frames that the thread has sent.
  var sent: Int { service.sent }

  /// What the thread saw of losses and clocks.
  var account: DeviceService.Account { service.account }

  /// Plays all frames and collects the response.
  mutating func run(progress: (Double) -> Void) throws(DeviceError) {
    let total = drive.count
    let width = rig.drive.channelCount
    var pending: [Float] = []
    var fed = 0
    var thread: RealtimeThread?
    while !service.hasEnded {
      // The thread looks by itself, once there is one.
      if thread == nil, let number = stop.requested { throw .interruption(of: rig, by: number) }
      if pending.isEmpty, fed < total {
        let end = min(total, fed + 4096)
        pending = drive.interleaved(
          fed..<end, roles: rig.drive.channels, channelCount: width)
        fed = end
      }
      // Whole frames only: half of one would move every channel after it to its neighbour.
      let room = toThread.drive.producer.withLock { $0.room } / width * width
      let written = toThread.drive.producer.withLock {
        $0.write(pending.span.extracting(0..<min(room, pending.count)))
      }
      pending.removeFirst(written)
      collect()
      // The device starts on a full queue: it is the thread's only reserve.
      if thread == nil, !pending.isEmpty || fed == total {
        let started = try RealtimeThread(name: "haprig-device", priority: 70, body: service.run)
        scheduling = started.scheduling
        thread = consume started
      }
      progress(Double(service.sent) / Double(total))
      usleep(2_000)
    }
    _ = thread.take()
    collect()
    if service.wasStopped, let number = stop.requested {
      throw .interruption(of: rig, by: number)
    }
    if let error = service.error { throw error }
  }

  private mutating func collect() {
    let width = recorder.channelCount
    var block = [Float](repeating: 0, count: 4096 * width)
    while true {
      var span = block.mutableSpan
      let count = toThread.capture.consumer.withLock { $0.read(into: &span) }
      guard count > 0 else { return }
      recorder.append(block.span.extracting(0..<count))
    }
  }
}

/// The caller's ends.
private struct DriveFeed {
  let drive: QueueEnds
  let capture: QueueEnds
}
