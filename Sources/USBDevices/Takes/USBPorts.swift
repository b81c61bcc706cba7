// SPDX-License-Identifier: Apache-2.0

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

  /// Looks at the underruns and overloads since they were taken last.
  public func seenEvents() -> [StreamEvent] {
    stream.shared.drive.withLock { $0.seenEvents() } + overloads.withLock { $0 }
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

/// The sensors of a device over USB, in SI units.
///
/// `read` returns 0 while the drive has room for a period: the drive goes on first. Else it waits for
/// frames. It never delivers more frames than were driven.
public final class USBSensors: SensorInput {
  /// The format that `read` delivers.
  public let format: StreamFormat
  /// The channels in the order of the rig file.
  public let channels: [CaptureChannel]

  private let stream: any TakeService
  private let driveCapacity: Int
  /// By channel, the largest sample that the converter has.
  private let ends: [Float]
  private let state = Guarded(State())

  private struct State: Sendable {
    var delivered = 0
    var overloads: [StreamEvent] = []
  }

  init(
    _ stream: any TakeService, format: StreamFormat, channels: [CaptureChannel], driveCapacity: Int,
    ends: [Float]
  ) {
    self.stream = stream
    self.format = format
    self.channels = channels
    self.driveCapacity = driveCapacity
    self.ends = ends
  }

  /// Begins a take, or joins the one that the drive began.
  ///
  /// Beside another device's drive the board captures from here on, so that it is there when that begins.
  public func start() throws(DeviceError) {
    try stream.start(.sensors)
    state.withLock { $0 = State() }
    if !stream.drives { try stream.begin() }
  }

  /// Delivers frames that were captured, in SI units.
  public func read(into frames: inout MutableSpan<Float>) throws(DeviceError) -> Int {
    let width = format.channelCount
    let room = format.frameCount(ofSamples: frames.count)
    guard stream.isRunning(.sensors) else { throw .notStarted(stream.rig, "read") }
    let shared = stream.shared
    while true {
      let delivered = state.withLock { $0.delivered }
      let due = shared.sent.load(ordering: .acquiring) - delivered
      let wanted = min(room, due)
      guard wanted > 0 else { return 0 }
      var part = frames._mutatingExtracting(0..<(wanted * width))
      let count = shared.capture.withLock { $0.read(into: &part) }
      if count > 0 {
        noteOverloads(frames.span, count, from: delivered)
        return count
      }
      if let fault = shared.fault { throw fault }
      if shared.hasEnded.load(ordering: .acquiring) { return 0 }
      if !shared.isDriveEnded.load(ordering: .acquiring) {
        let waiting =
          shared.sent.load(ordering: .acquiring) - shared.driven.load(ordering: .acquiring)
        if stream.drives, driveCapacity - waiting >= format.periodFrames { return 0 }
        if !stream.drives {
          // How much another device's drive holds is not known here: it goes on after each wait.
          try stream.begin()
          try stream.wait()
          return 0
        }
      }
      try stream.begin()
      try stream.wait()
    }
  }

  /// Ends the capture; frames that were not read are gone.
  public func stop() throws(DeviceError) { stream.stop(.sensors) }

  /// Takes the gaps and overloads since the last call.
  public func takeEvents() -> [StreamEvent] {
    let clipped = state.withLock { state in
      defer { state.overloads = [] }
      return state.overloads
    }
    return (stream.shared.capture.withLock { $0.takeEvents() } + clipped).sorted {
      $0.frame < $1.frame
    }
  }

  /// Looks at the gaps and overloads since they were taken last.
  public func seenEvents() -> [StreamEvent] {
    stream.shared.capture.withLock { $0.seenEvents() } + state.withLock { $0.overloads }
  }

  /// Reads the frame that the device captured last, and when it came.
  public func clockReading() -> ClockReading? { stream.shared.clock.load() }

  private func noteOverloads(_ frames: Span<Float>, _ count: Int, from first: Int) {
    let width = format.channelCount
    state.withLock { state in
      for channel in 0..<width {
        var clipped: (first: Int, last: Int)?
        for frame in 0..<count where abs(frames[frame * width + channel]) >= ends[channel] {
          clipped = (clipped?.first ?? frame, frame)
        }
        guard let clipped else { continue }
        state.overloads.append(
          StreamEvent(
            kind: .overload, frame: first + clipped.first,
            length: clipped.last - clipped.first + 1, channel: channels[channel].name))
      }
      state.delivered += count
    }
  }
}
