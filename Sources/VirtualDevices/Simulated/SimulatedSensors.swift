public import Devices
import Synchronization
import Units

/// The sensors of a simulated rig.
///
/// Frame-synchronous: `read` returns 0 when the drive has to go on first. In real time it blocks until
/// the frames' time has come; frames that are not fetched within a second are lost, as an overrun.
public final class SimulatedSensors: SensorInput {
  /// The format that `read` delivers.
  public let format: StreamFormat
  /// The channels in the order of the rig file.
  public let channels: [CaptureChannel]

  private let link: SimulationLink

  init(_ link: SimulationLink) {
    self.link = link
    format = link.setup.captureFormat
    channels = link.setup.channels.map(\.port)
  }

  /// Begins a take, or joins the one that the drive began.
  public func start() throws(DeviceError) {
    try link.state.withLock { (state) throws(DeviceError) in try state.start(.capture) }
  }

  /// Delivers the frames that the drive sent so far decides.
  public func read(into frames: inout MutableSpan<Float>) throws(DeviceError) -> Int {
    format.frameCount(ofSamples: frames.count)
    while true {
      let now = link.clock?.now()
      let step = try link.state.withLock { (state) throws(DeviceError) in
        try state.read(into: &frames, now: now)
      }
      switch step {
      case .took(let count): return count
      case .wait(let moment): link.clock?.sleep(until: moment)
      }
    }
  }

  /// Ends the capture; frames that were not read are gone.
  public func stop() throws(DeviceError) { link.state.withLock { $0.pairing.stop(.capture) } }

  /// Takes the gaps, drops and overloads since the last call.
  public func takeEvents() -> [StreamEvent] {
    link.state.withLock { $0.take?.captureEvents.take() ?? [] }
  }

  /// Reads the frame that is captured now, in virtual time the one that is read next.
  public func clockReading() -> ClockReading? {
    let now = link.clock?.now()
    return link.state.withLock { $0.captureReading(now: now) }
  }
}

extension SimulationState {
  /// Delivers what can be delivered; `now` is `nil` in virtual time.
  mutating func read(
    into frames: inout MutableSpan<Float>, now: UInt64?
  ) throws(DeviceError) -> PacedStep {
    guard pairing.isCapturing, let first = take?.readFrames else {
      throw notStarted("read")
    }
    let wanted = frames.count / setup.channels.count
    if let now, take?.isEnded == false {
      let due = driveFrame(at: now)
      take?.runDry(to: due)
    }
    var end = take?.capturable(limit: first + wanted) ?? first
    if end == first {
      if framesUntilUnplugged == 0, wanted > 0 { throw unplugged }
      return .took(0)
    }
    var lost = 0
    if let now {
      let passed = captureFrame(at: now)
      guard passed > first else {
        return .wait(
          moment(ofCapture: min(end, first + min(wanted, setup.driveFormat.periodFrames))))
      }
      end = min(end, passed)
      lost = passed - Int(setup.rate.hertz)
    }
    take?.capture(to: end, into: &frames, lost: lost)
    return .took(end - first)
  }

  /// A look at the capture's clock; in virtual time at the frame that is read next.
  func captureReading(now: UInt64?) -> ClockReading? {
    guard let take else { return nil }
    guard let now else {
      return ClockReading(
        frame: take.readFrames,
        nanoseconds: UInt64(Double(take.readFrames) / take.captureRate * 1e9))
    }
    return origin.map { _ in ClockReading(frame: captureFrame(at: now), nanoseconds: now) }
  }

  /// How many capture frames are complete at a moment of real time.
  private func captureFrame(at now: UInt64) -> Int {
    guard let origin, let take, now > origin else { return 0 }
    return Int(Double(now - origin) * 1e-9 * take.captureRate)
  }

  /// The moment of real time at which so many capture frames are complete, rounded up.
  private func moment(ofCapture frames: Int) -> UInt64 {
    guard let origin, let take else { return 0 }
    return origin + UInt64((Double(frames) / take.captureRate * 1e9).rounded(.up)) + 1
  }
}
