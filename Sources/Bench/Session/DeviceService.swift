import Devices
private import Glibc
import Synchronization
import Units

/// Both ends of a queue where two threads can reach them, each its own.
final class QueueEnds: Sendable {
  let producer: Guarded<RealtimeQueue<Float>.Producer>
  let consumer: Guarded<RealtimeQueue<Float>.Consumer>

  init(capacity: Int) {
    let queue = RealtimeQueue<Float>(capacity: capacity)
    producer = Guarded(queue.producer)
    consumer = Guarded(queue.consumer)
  }
}

/// The thread's side: devices, its ends of the queues, and how far it got.
///
/// Whatever the caller does, a frame's index stays its time: drive frames that it brings too late are
/// zeros and never played, capture frames that it does not fetch in time become zeros, and both are
/// told as losses. After a request to stop it drives zeros, and records for a moment more how the rig
/// comes to rest.
final class DeviceService: Sendable {
  /// What the thread saw: what the caller was too late for, and the devices' clocks.
  struct Account: Sendable {
    var driveLosses: [StreamEvent] = []
    var captureLosses: [StreamEvent] = []
    var driveClock: [ClockReading] = []
    var captureClock: [ClockReading] = []
  }

  private let output: any DriveOutput
  private let input: any SensorInput
  private let total: Int
  private let periodFrames: Int
  private let stop: StopSignal
  private let drive: QueueEnds
  private let capture: QueueEnds
  private let sentFrames = Atomic<Int>(0)
  private let ended = Atomic<Bool>(false)
  private let stopped = Atomic<Bool>(false)
  private let failure = Mutex<DeviceError?>(nil)
  private let seen = Mutex(Account())

  init(
    output: any DriveOutput, input: any SensorInput, total: Int, periodFrames: Int,
    stop: StopSignal, drive: QueueEnds, capture: QueueEnds
  ) {
    self.output = output
    self.input = input
    self.total = total
    self.periodFrames = periodFrames
    self.stop = stop
    self.drive = drive
    self.capture = capture
  }

  var sent: Int { sentFrames.load(ordering: .acquiring) }
  var hasEnded: Bool { ended.load(ordering: .acquiring) }
  /// Whether a request to stop ended the take.
  var wasStopped: Bool { stopped.load(ordering: .acquiring) }
  var error: DeviceError? { failure.withLock { $0 } }
  var account: Account { seen.withLock { $0 } }

  @Sendable func run() {
    do throws(DeviceError) {
      try serve()
    } catch {
      failure.withLock { $0 = error }
    }
    ended.store(true, ordering: .releasing)
  }

  /// How long a take goes on after a request to stop, in seconds.
  private static let rest = 0.1

  /// Where the thread is in a take.
  private struct Progress {
    var sent = 0
    var received = 0
    /// Drive frames that were played as zeros and are still to come from the caller.
    var late = 0
    /// Capture frames that found no room and are still to be passed on as zeros.
    var unfetched = 0
  }

  private func serve() throws(DeviceError) {
    let width = output.format.channelCount
    var block = [Float](repeating: 0, count: periodFrames * width)
    var recorded = [Float](repeating: 0, count: periodFrames * input.channels.count)
    var progress = Progress()
    var end = total
    while progress.sent < end {
      if stop.requested != nil, !wasStopped {
        output.silence()
        stopped.store(true, ordering: .releasing)
        end = min(total, progress.sent + output.format.rate.wholeFrames(Self.rest))
        for place in block.indices { block[place] = 0 }
      }
      let frames = min(periodFrames, end - progress.sent)
      if !wasStopped { fill(&block, frames: frames, &progress) }
      var done = 0
      while done < frames {
        done += try output.write(block.span.extracting((done * width)..<(frames * width)))
      }
      progress.sent += frames
      sentFrames.store(progress.sent, ordering: .releasing)
      _ = try receive(&recorded, &progress)
      noteClocks()
    }
    try output.stop()
    while progress.received < progress.sent, try receive(&recorded, &progress) > 0 {}
    try input.stop()
    while progress.unfetched > 0 {
      passZeros(&progress)
      usleep(1_000)
    }
  }

  private func noteClocks() {
    let (driven, captured) = (output.clockReading(), input.clockReading())
    seen.withLock {
      if let driven { $0.driveClock.append(driven) }
      if let captured { $0.captureClock.append(captured) }
    }
  }

  /// Takes a block from the caller; what it did not bring in time is silence.
  private func fill(_ block: inout [Float], frames: Int, _ progress: inout Progress) {
    let width = output.format.channelCount
    while progress.late > 0 {
      let count = take(&block, frames: min(progress.late, periodFrames))
      guard count > 0 else { break }
      progress.late -= count
    }
    let there = progress.late > 0 ? 0 : take(&block, frames: frames)
    for index in (there * width)..<(frames * width) { block[index] = 0 }
    guard there < frames else { return }
    progress.late += frames - there
    seen.withLock {
      $0.driveLosses.append(
        StreamEvent(kind: .underrun, frame: progress.sent + there, length: frames - there))
    }
  }

  private func take(_ block: inout [Float], frames: Int) -> Int {
    let width = output.format.channelCount
    var space = block.mutableSpan
    var part = space._mutatingExtracting(0..<(frames * width))
    return drive.consumer.withLock { $0.read(into: &part) } / width
  }

  private func receive(
    _ recorded: inout [Float], _ progress: inout Progress
  ) throws(DeviceError) -> Int {
    let width = input.channels.count
    let wanted = min(progress.sent - progress.received, periodFrames) * width
    guard wanted > 0 else { return 0 }
    var space = recorded.mutableSpan
    var part = space._mutatingExtracting(0..<wanted)
    let count = try input.read(into: &part)
    passZeros(&progress)
    if progress.unfetched == 0, capture.producer.withLock({ $0.room }) >= count * width {
      _ = capture.producer.withLock { $0.write(recorded.span.extracting(0..<(count * width))) }
    } else if count > 0 {
      progress.unfetched += count
      seen.withLock {
        $0.captureLosses.append(
          StreamEvent(kind: .overrun, frame: progress.received, length: count))
      }
    }
    progress.received += count
    return count
  }

  /// Passes on what was lost as zeros, as far as there is room.
  private func passZeros(_ progress: inout Progress) {
    let width = input.channels.count
    while progress.unfetched > 0 {
      let frames = min(
        progress.unfetched, capture.producer.withLock { $0.room } / width, periodFrames)
      guard frames > 0 else { return }
      _ = capture.producer.withLock { $0.write(repeating: 0, count: frames * width) }
      progress.unfetched -= frames
    }
  }
}
