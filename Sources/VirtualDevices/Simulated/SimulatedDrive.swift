public import Devices
import Synchronization

/// The drive of a simulated rig.
///
/// In virtual time it takes every frame at once. In real time it holds four periods ahead of the clock,
/// blocks while they are full, and plays zeros for frames that come after their time.
public final class SimulatedDrive: DriveOutput {
  /// The format that `write` expects.
  public let format: StreamFormat

  private let link: SimulationLink

  init(_ link: SimulationLink) {
    self.link = link
    format = link.setup.driveFormat
  }

  /// Begins a take with the actuator at rest, or joins the one that the sensors began.
  public func start() throws(DeviceError) {
    try link.state.withLock { (state) throws(DeviceError) in try state.start(.drive) }
  }

  /// Takes frames to the actuator and returns how many, in real time at most what there is room for.
  public func write(_ frames: Span<Float>) throws(DeviceError) -> Int {
    let count = format.frameCount(ofSamples: frames.count)
    guard let clock = link.clock else {
      return try link.state.withLock { (state) throws(DeviceError) in
        try state.write(frames, count: count)
      }
    }
    while true {
      let now = clock.now()
      let step = try link.state.withLock { (state) throws(DeviceError) in
        try state.write(frames, count: count, now: now)
      }
      switch step {
      case .took(let count): return count
      case .wait(let moment): clock.sleep(until: moment)
      }
    }
  }

  /// Drives zero from now on and drops what was not played yet.
  public func silence() {
    let now = link.clock?.now()
    link.state.withLock { $0.silence(now: now) }
  }

  /// Ends the take once everything sent has been played; what follows it is zero.
  public func stop() throws(DeviceError) {
    if let clock = link.clock, let end = link.state.withLock({ $0.endOfDrive }) {
      clock.sleep(until: end)
    }
    link.state.withLock { state in
      guard state.pairing.isDriving else { return }
      state.pairing.stop(.drive)
      state.take?.end()
    }
  }

  /// Takes the underruns and overloads since the last call.
  public func takeEvents() -> [StreamEvent] {
    link.state.withLock { $0.take?.driveEvents.take() ?? [] }
  }

  /// Reads the frame that is played now, in virtual time the one that is written next.
  public func clockReading() -> ClockReading? {
    let now = link.clock?.now()
    return link.state.withLock { $0.driveReading(now: now) }
  }
}

/// How a call in real time goes on.
enum PacedStep {
  /// So many frames were moved.
  case took(Int)
  /// The device has to reach this moment first.
  case wait(UInt64)
}

extension SimulationState {
  /// Takes frames in virtual time.
  mutating func write(_ frames: Span<Float>, count: Int) throws(DeviceError) -> Int {
    guard pairing.isDriving else { throw notStarted("write") }
    guard framesUntilUnplugged > 0 else { throw unplugged }
    let taken = min(count, framesUntilUnplugged)
    take?.send(frames, count: taken)
    // Nobody will ever ask what these frames did: keep no more of them than they need.
    if !pairing.isCapturing { take?.dropUnread() }
    return taken
  }

  /// Takes as many frames as there is room for in real time.
  mutating func write(
    _ frames: Span<Float>, count: Int, now: UInt64
  ) throws(DeviceError) -> PacedStep {
    guard pairing.isDriving else { throw notStarted("write") }
    if origin == nil { origin = now }
    let room = setup.bufferFrames - (take?.sentFrames ?? 0) + driveFrame(at: now)
    let wanted = min(count, setup.driveFormat.periodFrames)
    guard room >= wanted else {
      let frame = (take?.sentFrames ?? 0) + wanted - setup.bufferFrames
      return .wait(moment(ofDrive: frame))
    }
    let due = driveFrame(at: now)
    take?.runDry(to: due)
    let taken = min(count, room, framesUntilUnplugged)
    guard taken > 0 || count == 0 else { throw unplugged }
    take?.send(frames, count: taken)
    if !pairing.isCapturing { take?.dropUnread() }
    return .took(taken)
  }

  /// Silences the drive: from what has not been played yet, in real time.
  mutating func silence(now: UInt64?) {
    let played = now.map { driveFrame(at: $0) } ?? take?.playedFrames ?? 0
    take?.silence(from: played)
  }

  /// The moment when everything sent has been played, in real time.
  var endOfDrive: UInt64? {
    guard origin != nil, let take, pairing.isDriving else { return nil }
    return moment(ofDrive: take.sentFrames)
  }

  /// A look at the drive's clock; in virtual time at the frame that is written next.
  func driveReading(now: UInt64?) -> ClockReading? {
    guard let take else { return nil }
    guard let now else {
      return ClockReading(
        frame: take.sentFrames,
        nanoseconds: UInt64(Double(take.sentFrames) / take.driveRate * 1e9))
    }
    return origin.map { _ in ClockReading(frame: driveFrame(at: now), nanoseconds: now) }
  }

  /// How many drive frames have begun by a moment of real time.
  func driveFrame(at now: UInt64) -> Int {
    guard let origin, let take, now > origin else { return 0 }
    return Int(Double(now - origin) * 1e-9 * take.driveRate)
  }

  /// The moment of real time at which a drive frame begins, rounded up.
  private func moment(ofDrive frame: Int) -> UInt64 {
    guard let origin, let take, frame > 0 else { return origin ?? 0 }
    return origin + UInt64((Double(frame) / take.driveRate * 1e9).rounded(.up)) + 1
  }
}

extension SimulationSetup {
  /// The frames that the drive holds ahead of the clock in real time.
  var bufferFrames: Int { 4 * driveFormat.periodFrames }
}

extension SimulatedTake {
  /// Forgets drive frames that no capture will be computed from.
  mutating func dropUnread() {
    for line in lines.indices { lines[line].forget(before: lines[line].end) }
  }
}
