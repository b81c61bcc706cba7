public import Devices
import Synchronization
import Units

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
