// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import Glibc
import Synchronization
import Units

/// What a fake rig does besides passing its drive frames straight into its capture.
struct FakeScript: Sendable {
  /// The most frames that one write takes, and one read gives.
  var writeLimit = Int.max
  var readLimit = Int.max
  /// How far the capture stays behind the drive until the drive is stopped, in frames.
  var lag = 0
  /// The frame of the drive at which `write` throws, and of the capture at which `read` does.
  var writeFault: Int?
  var readFault: Int?
  var driveStartFails = false
  var captureStartFails = false
  /// The frame of the drive at which somebody asks to stop.
  var interruption: Int?
  /// Whether `write` waits until it is permitted to go on.
  var isPaced = false
  /// What the drive tells of itself once it has played the first frame of it, besides what it always tells.
  var losses: [StreamEvent] = []
}

/// A drive whose frames are captured as they are, with a script and a trace of all calls.
final class FakeRig: Sendable {
  struct State: Sendable {
    /// What a listener at the actuator got, interleaved.
    var played: [Float] = []
    var trace: [String] = []
    var readFrames = 0
    var isSilenced = false
    var isStopped = false
  }

  let format: StreamFormat
  let script: FakeScript
  let stop = StopSignal()
  let state = Guarded(State())
  /// The drive frame up to which a paced `write` may go.
  let permitted = Atomic<Int>(0)
  let channels: [CaptureChannel]

  init(_ rig: RigDescription, _ script: FakeScript = FakeScript()) {
    format = rig.drive.format
    self.script = script
    channels = rig.capture.channels.map(\.port)
    precondition(channels.count == format.channelCount, "what goes in comes out")
  }

  var drive: FakeDrive { FakeDrive(rig: self) }
  var sensors: FakeSensors { FakeSensors(rig: self) }
  var played: [Float] { state.withLock { $0.played } }
  var trace: [String] { state.withLock { $0.trace } }
  var playedFrames: Int { state.withLock { $0.played.count } / format.channelCount }

  /// Notes a call; calls of one kind that follow one another are noted once.
  func note(_ call: String) {
    state.withLock { if $0.trace.last != call { $0.trace.append(call) } }
  }

  static func fault(_ call: String) -> DeviceError {
    DeviceError(.unplugged, device: "fake", message: "\(call) failed as scripted")
  }
}

final class FakeDrive: DriveOutput {
  private let rig: FakeRig

  init(rig: FakeRig) { self.rig = rig }

  var format: StreamFormat { rig.format }

  func start() throws(DeviceError) {
    rig.note("drive start")
    if rig.script.driveStartFails { throw FakeRig.fault("start") }
  }

  func write(_ frames: Span<Float>) throws(DeviceError) -> Int {
    rig.note("write")
    let width = format.channelCount
    let first = rig.playedFrames
    if let fault = rig.script.writeFault, first >= fault { throw FakeRig.fault("write") }
    let count = min(frames.count / width, rig.script.writeLimit)
    while rig.script.isPaced, first + count > rig.permitted.load(ordering: .acquiring),
      rig.stop.requested == nil
    {
      sched_yield()
    }
    var block: [Float] = []
    for index in 0..<(count * width) { block.append(frames[index]) }
    rig.state.withLock { state in
      state.played += state.isSilenced ? block.map { _ in 0 } : block
    }
    if let moment = rig.script.interruption, first + count >= moment { rig.stop.request(SIGINT) }
    return count
  }

  func silence() {
    rig.note("silence")
    rig.state.withLock { $0.isSilenced = true }
  }

  func stop() throws(DeviceError) {
    rig.note("drive stop")
    rig.state.withLock { $0.isStopped = true }
  }

  func takeEvents() -> [StreamEvent] {
    [StreamEvent(kind: .underrun, frame: 3, length: 1)] + seenEvents()
  }

  func seenEvents() -> [StreamEvent] {
    let played = rig.playedFrames
    // One that goes on grows.
    return rig.script.losses.filter { $0.frame < played }.map {
      StreamEvent(
        kind: $0.kind, frame: $0.frame, length: min($0.length, played - $0.frame),
        channel: $0.channel)
    }
  }

  func clockReading() -> ClockReading? {
    ClockReading(frame: rig.playedFrames, nanoseconds: UInt64(rig.playedFrames) * 20_833)
  }
}

final class FakeSensors: SensorInput {
  private let rig: FakeRig

  init(rig: FakeRig) { self.rig = rig }

  var format: StreamFormat { rig.format }
  var channels: [CaptureChannel] { rig.channels }

  func start() throws(DeviceError) {
    rig.note("capture start")
    if rig.script.captureStartFails { throw FakeRig.fault("start") }
  }

  func read(into frames: inout MutableSpan<Float>) throws(DeviceError) -> Int {
    rig.note("read")
    let width = format.channelCount
    let block: [Float] = try rig.state.withLock { (state) throws(DeviceError) in
      if let fault = rig.script.readFault, state.readFrames >= fault {
        throw FakeRig.fault("read")
      }
      let there = state.played.count / width - (state.isStopped ? 0 : rig.script.lag)
      let count = min(frames.count / width, rig.script.readLimit, there - state.readFrames)
      guard count > 0 else { return [] }
      let first = state.readFrames * width
      state.readFrames += count
      return Array(state.played[first..<(first + count * width)])
    }
    for (index, sample) in block.enumerated() { frames[index] = sample }
    return block.count / width
  }

  func stop() throws(DeviceError) { rig.note("capture stop") }

  func takeEvents() -> [StreamEvent] { [StreamEvent(kind: .overload, frame: 7, length: 2)] }
  func clockReading() -> ClockReading? { nil }
}

extension PlanRun {
  /// Plays and measures on devices that stay open: restarts only start their streams anew.
  func execute(
    _ session: Session, progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> Outcome {
    try await execute(opening: { _ in session }, control: nil, progress: progress)
  }
}
