public import Devices
import Synchronization

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
  /// `clock` is used only where the description asks for real time. Another kind of device is refused.
  public init(
    _ description: RigDescription, clock: any DeviceClock = MonotonicClock()
  ) throws(DeviceError) {
    guard case .simulated(let simulation) = description.drive.device else {
      throw DeviceError(
        .refused, device: description.name,
        message: "the drive is of kind \(description.drive.device.kind.rawValue), not simulated")
    }
    link = SimulationLink(
      setup: SimulationSetup(description, simulation: simulation),
      clock: simulation.clock == .real ? clock : nil)
    drive = SimulatedDrive(link)
    sensors = SimulatedSensors(link)
  }

  /// What the rig injects: in its latest take, or without jitter before the first.
  public var truth: SimulationTruth { link.state.withLock { $0.truth } }
}

/// What the two halves of a simulated rig share.
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
}

/// The takes of a simulated rig, and what they leave for the next one.
struct SimulationState: Sendable {
  let setup: SimulationSetup
  var take: SimulatedTake?
  var pairing = TakePairing()
  /// When the first drive frame of the take was written, by the clock of real time.
  var origin: UInt64?

  /// Frames sent in the takes before this one.
  private var frames = 0

  init(_ setup: SimulationSetup) { self.setup = setup }

  /// Begins a take, or joins the one that the other half has just begun.
  mutating func start(_ half: TakePairing.Half) throws(DeviceError) {
    if pairing.start(half) {
      frames += take?.sentFrames ?? 0
      take = SimulatedTake(setup, number: pairing.count, frameOffset: frames)
      origin = nil
    }
    let sent = take?.sentFrames ?? 0
    if half == .capture, sent > 0 {
      pairing.stop(.capture)
      throw DeviceError(
        .refused, device: setup.device,
        message:
          "the capture has to start before the first drive frame is written, not after \(sent)")
    }
    if framesUntilUnplugged == 0 { throw unplugged }
  }

  /// How many more drive frames there are before the script pulls the plug.
  var framesUntilUnplugged: Int {
    guard let gone = setup.faults.unplugged else { return Int.max }
    return max(0, gone - (take?.frameOffset ?? 0) - (take?.sentFrames ?? 0))
  }

  /// The error of a device that is gone.
  var unplugged: DeviceError {
    DeviceError(
      .unplugged, device: setup.device,
      message: "the simulated device was unplugged by the fault script: take the fault out of the "
        + "rig file, or end the drive before it")
  }

  /// The error of a call outside start and stop.
  func notStarted(_ call: String) -> DeviceError {
    DeviceError(.refused, device: setup.device, message: "\(call) was called before start")
  }

  var truth: SimulationTruth {
    let simulation = setup.simulation
    let driveDelay = take?.driveDelay ?? simulation.drive.latency
    let captureDelay = take?.captureDelay ?? simulation.capture.latency
    let drift = (1 + simulation.capture.clockOffset) / (1 + simulation.drive.clockOffset) - 1
    return SimulationTruth(
      electricalDelay: driveDelay + captureDelay, transportDelay: simulation.transportDelay,
      audioDelay: driveDelay + captureDelay + simulation.sound.latency, driftPPM: drift * 1e6,
      driveJitter: driveDelay - simulation.drive.latency,
      captureJitter: captureDelay - simulation.capture.latency)
  }
}
