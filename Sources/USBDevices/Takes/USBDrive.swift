public import Devices
import Synchronization
import Units

/// The drive of a device over USB.
///
/// Frames go into a queue; the take starts when it is full, or at `stop` where it never fills.
public final class USBDrive: DriveOutput {
  /// The format that `write` expects.
  public let format: StreamFormat
  /// What the device can express; `nil` where it plays the waveform.
  public let expressible: ExpressibleDrive?

  private let stream: any TakeService
  private let capacity: Int
  private let overloads = Guarded<[StreamEvent]>([])

  init(
    _ stream: any TakeService, format: StreamFormat, capacity: Int,
    expressible: ExpressibleDrive? = nil
  ) {
    self.expressible = expressible
    self.stream = stream
    self.format = format
    self.capacity = capacity
  }

  /// Begins a take, or joins the one that the sensors began; the device is silent.
  public func start() throws(DeviceError) {
    try stream.start(.drive)
    overloads.withLock { $0 = [] }
  }

  /// Takes frames to the device and returns how many; waits while the queue is full.
  public func write(_ frames: Span<Float>) throws(DeviceError) -> Int {
    let width = format.channelCount
    let count = format.frameCount(ofSamples: frames.count)
    guard stream.isRunning(.drive) else { throw .notStarted(stream.rig, "write") }
    guard count > 0 else { return 0 }
    let shared = stream.shared
    while true {
      if let fault = shared.fault { throw fault }
      let sent = shared.sent.load(ordering: .relaxed)
      let waiting = sent - shared.driven.load(ordering: .acquiring)
      let taken = min(count, max(0, capacity - waiting), shared.drive.withLock { $0.room })
      if taken > 0 {
        noteOverloads(frames, taken, from: sent)
        _ = shared.drive.withLock { $0.write(frames.extracting(0..<(taken * width))) }
        shared.sent.store(sent + taken, ordering: .releasing)
        if waiting + taken > capacity - format.periodFrames { try stream.begin() }
        return taken
      }
      try stream.begin()
      try stream.wait()
    }
  }

  /// Drives zero from now on: the device drops what waits in it as soon as the word arrives.
  public func silence() { stream.shared.isSilenced.store(true, ordering: .releasing) }

  /// Waits until everything sent has been played; what follows it is zero.
  public func stop() throws(DeviceError) {
    guard stream.isRunning(.drive) else { return }
    let shared = stream.shared
    shared.isDriveEnded.store(true, ordering: .releasing)
    defer { stream.stop(.drive) }
    guard shared.sent.load(ordering: .acquiring) > 0 else { return }
    if let fault = shared.fault { throw fault }
    try stream.begin()
    while shared.played.load(ordering: .acquiring) < shared.sent.load(ordering: .acquiring),
      !shared.hasEnded.load(ordering: .acquiring)
    {
      try stream.wait()
    }
    if let fault = shared.fault { throw fault }
  }

  /// Takes the underruns and overloads since the last call.
  public func takeEvents() -> [StreamEvent] {
    let clipped = overloads.withLock { events in
      defer { events = [] }
      return events
    }
    return (stream.shared.drive.withLock { $0.takeEvents() } + clipped).sorted {
      $0.frame < $1.frame
    }
  }

  /// Reads the frame that the device is at, and when it was.
  public func clockReading() -> ClockReading? { stream.shared.clock.load() }

  /// How the stream of both halves went, after its end.
  public func statistics() -> StreamStatistics? { stream.statistics() }

  /// Notes runs of clipped samples, each channel's runs of one call as one event.
  private func noteOverloads(_ frames: Span<Float>, _ count: Int, from first: Int) {
    let width = format.channelCount
    var clipped: (first: Int, last: Int)?
    for frame in 0..<count {
      for channel in 0..<width where !(abs(frames[frame * width + channel]) <= 1) {
        clipped = (clipped?.first ?? frame, frame)
      }
    }
    guard let clipped else { return }
    let event = StreamEvent(
      kind: .overload, frame: first + clipped.first, length: clipped.last - clipped.first + 1)
    overloads.withLock { $0.append(event) }
  }
}
