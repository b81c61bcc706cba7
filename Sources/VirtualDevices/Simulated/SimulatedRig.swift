// SPDX-License-Identifier: Apache-2.0

public import Devices
import Synchronization

/// What a simulated rig injected in its latest take: what a measurement of it should find.
public struct SimulationTruth: Sendable, Equatable {
  /// From a drive frame to the reference as captured at time 0, both jitters included, in seconds.
  public let electricalDelay: Double
  /// From the force to the sensor, the sensor's own delay apart, in seconds.
  public let transportDelay: Double
  /// From an audio drive frame to the audio as captured at time 0, in seconds.
  public let audioDelay: Double
  /// How much faster the capture's clock runs than the drive's, in parts per million.
  public let driftPPM: Double
  /// What this take's drive converter added to its latency, in seconds.
  public let driveJitter: Double
  /// What this take's capture converter added to its latency, in seconds.
  public let captureJitter: Double
}

/// A rig that exists only as physics: a drive and sensors around one simulated actuator.
///
/// Repeatable: the same description and the same drive frames give the same capture, bit for bit, in
/// blocks of any size. Every take begins with the actuator at rest; its jitters and its noise follow from
/// the seed and the take's number.
public final class SimulatedRig: Sendable {
  /// The drive.
  public let drive: SimulatedDrive
  /// The sensors on what the drive moves.
  public let sensors: SimulatedSensors

  private let link: SimulationLink

  /// Makes the rig that a description with a simulated drive asks for.
  ///
  /// `clock` and `slack` are used only where the description asks for real time. Another kind of device is refused.
  public init(
    _ description: RigDescription, clock: any DeviceClock = MonotonicClock(),
    slack: DriveSlack = .live
  ) throws(DeviceError) {
    guard case .simulated(let simulation) = description.drive.device else {
      throw description.error(
        .refused, "the drive is of kind \(description.drive.device.kind.rawValue), not simulated")
    }
    link = SimulationLink(
      setup: SimulationSetup(description, simulation: simulation, slack: slack),
      clock: simulation.clock == .real ? clock : nil)
    drive = SimulatedDrive(link)
    sensors = SimulatedSensors(link)
  }

  /// What the rig injects: in its latest take, or without jitter before the first.
  public var truth: SimulationTruth { link.state.withLock { $0.truth } }
}

final class SimulationLink: Sendable {
  let setup: SimulationSetup
  /// The clock to go by in real time; `nil` in virtual time.
  let clock: (any DeviceClock)?
  let state: Mutex<SimulationState>

  init(setup: SimulationSetup, clock: (any DeviceClock)?) {
    self.setup = setup
    self.clock = clock
    state = Mutex(SimulationState(setup))
  }

  /// Moves frames, in real time once the device is ready for it; returns how many.
  func move(
    _ step: (inout SimulationState, _ now: UInt64?) throws(DeviceError) -> PacedStep
  ) throws(DeviceError) -> Int {
    while true {
      let now = clock?.now()
      switch try state.withLock({ (state) throws(DeviceError) in try step(&state, now) }) {
      case .took(let count): return count
      case .wait(let moment): clock?.sleep(until: moment)
      }
    }
  }
}

/// The drive of a simulated rig.
///
/// In virtual time it takes every frame at once. In real time it holds four periods ahead of the clock, or more,
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
    return try link.move { (state, now) throws(DeviceError) in
      try state.write(frames, count: count, now: now)
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

  /// Looks at the underruns and overloads since they were taken last.
  public func seenEvents() -> [StreamEvent] {
    link.state.withLock { $0.take?.driveEvents.events ?? [] }
  }

  /// Reads the frame that is played now, in virtual time the one that is written next.
  public func clockReading() -> ClockReading? {
    let now = link.clock?.now()
    return link.state.withLock { state in
      state.take.flatMap { state.reading(of: $0.sentFrames, rate: $0.driveRate, now: now) }
    }
  }
}

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
    try link.state.withLock { (state) throws(DeviceError) in try state.start(.sensors) }
  }

  /// Delivers the frames that the drive sent so far decides.
  public func read(into frames: inout MutableSpan<Float>) throws(DeviceError) -> Int {
    format.frameCount(ofSamples: frames.count)
    return try link.move { (state, now) throws(DeviceError) in
      try state.read(into: &frames, now: now)
    }
  }

  /// Ends the capture; frames that were not read are gone.
  public func stop() throws(DeviceError) {
    _ = link.state.withLock { $0.pairing.stop(.sensors) }
  }

  /// Takes the gaps, drops and overloads since the last call.
  public func takeEvents() -> [StreamEvent] {
    link.state.withLock { $0.take?.captureEvents.take() ?? [] }
  }

  /// Looks at the gaps, drops and overloads since they were taken last.
  public func seenEvents() -> [StreamEvent] {
    link.state.withLock { $0.take?.captureEvents.events ?? [] }
  }

  /// Reads the frame that is captured now, in virtual time the one that is read next.
  public func clockReading() -> ClockReading? {
    let now = link.clock?.now()
    return link.state.withLock { state in
      state.take.flatMap { state.reading(of: $0.readFrames, rate: $0.captureRate, now: now) }
    }
  }
}
