// SPDX-License-Identifier: Apache-2.0

package import Devices
import Glibc
import Synchronization
import Units

/// The drive of a sound card.
///
/// Frames go into a queue that the card's own thread empties; the take starts when the queue is full, or
/// at `stop` where it never fills. In lock-step, as the virtual card on its virtual clock wants it, they
/// go straight to the card.
package final class ALSADrive: DriveOutput {
  package let format: StreamFormat

  private let halves: StreamHalves
  private var stream: any DuplexStream { halves.stream }
  /// How many frames wait for the card, at most.
  private let capacity: Int
  private let log: Mutex<OverloadLog>

  init(
    _ halves: StreamHalves, format: StreamFormat, capacity: Int
  ) {
    self.halves = halves
    self.format = format
    self.capacity = capacity
    log = Mutex(OverloadLog(gap: format.rate.wholeFrames(0.01)))
  }

  /// Begins a take, or joins the one that the sensors began; the card is ready and silent.
  package func start() throws(DeviceError) {
    try halves.start(.drive)
    _ = log.withLock { $0.take() }
  }

  /// Takes frames to the card and returns how many; waits while the queue is full.
  package func write(_ frames: Span<Float>) throws(DeviceError) -> Int {
    let count = format.frameCount(ofSamples: frames.count)
    guard halves.isRunning(.drive) else { throw .notStarted(halves.device, "write") }
    guard count > 0 else { return 0 }
    while true {
      if let fault = stream.fault() { throw fault }
      let taken = offer(frames, count: count)
      if taken > 0 { noteOverloads(frames, taken) }
      try serve(hasTaken: taken > 0)
      if taken > 0 { return taken }
    }
  }

  /// Drives zero from now on, at the latest a quarter of a period after the card's thread wakes, and
  /// drops the rest.
  package func silence() {
    stream.shared.isSilenced.store(true, ordering: .releasing)
    stream.shared.wake()
  }

  /// Waits until everything sent has been played; what follows it is zero.
  package func stop() throws(DeviceError) {
    guard halves.isRunning(.drive) else { return }
    let shared = stream.shared
    shared.isDriveEnded.store(true, ordering: .releasing)
    defer { halves.stop(.drive) }
    guard shared.sent.load(ordering: .acquiring) > 0 else { return }
    try stream.begin()
    if stream.isLockStep {
      _ = try stream.advance()
      return
    }
    while shared.played.load(ordering: .acquiring) < shared.sent.load(ordering: .acquiring) {
      if let fault = stream.fault() { throw fault }
      if shared.isHushed.load(ordering: .acquiring) { return }
      StreamHalves.sleep(periods: 0.25, of: format)
    }
  }

  package func takeEvents() -> [StreamEvent] {
    let events = stream.shared.drive.withLock { $0.takeEvents() } + log.withLock { $0.take() }
    return events.sorted { $0.frame < $1.frame }
  }

  package func seenEvents() -> [StreamEvent] {
    stream.shared.drive.withLock { $0.seenEvents() } + log.withLock { $0.events }
  }

  /// Reads the frame that the card plays, and when it did; `nil` in lock-step.
  package func clockReading() -> ClockReading? { stream.shared.driveClock.load() }

  package func statistics() -> StreamStatistics? { stream.statistics() }

  private func offer(_ frames: Span<Float>, count: Int) -> Int {
    let shared = stream.shared
    let width = format.channelCount
    let sent = shared.sent.load(ordering: .relaxed)
    let room = capacity - (sent - shared.driven.load(ordering: .acquiring))
    var taken = min(count, max(0, room))
    // Once silenced, frames only count: the card is given zeros.
    if !shared.isQuiet {
      taken = shared.drive.withLock { $0.write(frames.extracting(0..<(taken * width))) }
    }
    shared.sent.store(sent + taken, ordering: .releasing)
    return taken
  }

  private func serve(hasTaken: Bool) throws(DeviceError) {
    let shared = stream.shared
    if stream.isLockStep {
      try stream.begin()
      let moved = try stream.advance()
      guard !hasTaken, moved == 0 else { return }
      throw halves.isRunning(.sensors)
        ? DeviceError(
          .refused, device: halves.device,
          message: "the capture is full and nobody reads it: read it as the drive goes on")
        : DeviceError(
          .stalled, device: halves.device, message: "the card waits for frames and takes none")
    }
    let waiting =
      shared.sent.load(ordering: .relaxed) - shared.driven.load(ordering: .acquiring)
    if waiting > capacity - format.periodFrames { try stream.begin() }
    if !hasTaken { StreamHalves.sleep(periods: 0.25, of: format) }
  }

  private func noteOverloads(_ frames: Span<Float>, _ count: Int) {
    let width = format.channelCount
    let first = stream.shared.sent.load(ordering: .relaxed) - count
    for frame in 0..<count {
      for channel in 0..<width where !(abs(frames[frame * width + channel]) <= 1) {
        log.withLock { $0.note(frame: first + frame, channel: channel, name: nil) }
      }
    }
  }
}
