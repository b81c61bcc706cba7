// SPDX-License-Identifier: Apache-2.0

import AHAP
import Acceptance
import Actuators
import Bench
import Devices
import HapticRendering
import Perception
import ScratchFolder
import SeededRandom
import USBModels
import Units

@testable import RigDevices
@testable import SampledSensors
@testable import USBDevices

/// One take on a rig of two devices, and what it told.
struct MixedTake {
  /// Which devices drive and capture.
  enum Wiring: String, CaseIterable, Sendable {
    case boardAndCard
    case cardAndBoard
    case twoBoards
    case boardAndBreakout

    /// Those with a wire from the drive to the capture.
    static let wired: [Wiring] = [.boardAndCard, .cardAndBoard, .twoBoards]
  }

  /// What of the reference is there.
  enum Wire: Sendable {
    case whole
    /// The rig has a reference, and nothing comes through.
    case cut
    /// The rig has none.
    case none
  }

  static let rate = SampleRate(hertz: 24_000)
  static let volts = 4.0
  static let noise = 0.05
  private static let ticks: UInt32 = 12_000_000

  let world: World
  let take: TakeDrive
  let recording: Recording
  let result: TakeAnalysis.Result

  /// Plays three taps and measures them.
  ///
  /// - Parameters:
  ///   - wiring: The devices.
  ///   - drive: How much faster the drive's clock is than the world's, in ppm.
  ///   - capture: The same of the capture's.
  ///   - jitter: Transfers of the bus that are held up to 4 ms, of each direction.
  ///   - wire: The reference.
  ///   - seed: That of the noise and of the jitter.
  /// - Throws: What the devices refuse.
  init(
    _ wiring: Wiring, drive: Double, capture: Double, jitter: Int = 0, wire: Wire = .whole,
    seed: UInt64
  ) async throws {
    let rig = Self.rig(hasReference: wire != .none)
    let scratch = try ScratchFolder()
    let path = try scratch.write(Self.pattern, to: "taps.ahap")
    let entries = try PatternSet.expand([path])
    let pattern = try PatternLoader(rate: Self.rate).load(entries[0])
    take = TakeBuilder(rig: rig, hasProbe: true).build(pattern)
    let world = World(
      rate: Self.rate.hertz, drift: drive, noise: Self.noise, isWired: wire == .whole,
      length: take.layout.frameCount, seed: seed)
    let bus = FakeUSBBus()
    var random = SeededRandom(seed: seed ^ 0x717e5)
    let faults = (0..<jitter).flatMap { _ in
      [UInt8(0x01), 0x81].map { endpoint in
        FakeUSBFault(
          .hold(nanoseconds: UInt64(random.uniform(0.2e6...4e6))), endpoint: endpoint,
          transfer: Int(random.uniform(20...1500)))
      }
    }
    let channels = rig.capture.channels.map(\.port)
    func card(
      _ drift: Double, drives: Bool, meanwhile: @escaping @Sendable () -> Void = {}
    ) -> WorldCard {
      WorldCard(
        world: world, bus: bus, drift: drift, format: rig.drive.format, volts: Self.volts,
        drives: drives, channels: channels, meanwhile: meanwhile)
    }
    let leading = FakeBoard(
      BoardDevice(
        Self.identity("DRIVE", inputs: 1),
        plant: DrivingPlant(
          world: world, pace: Double(Self.ticks) * (1 + drive * 1e-6), volts: Self.volts)),
      drift: drive)
    let output: any DriveOutput
    let input: any SensorInput
    switch wiring {
    case .boardAndCard:
      bus.plug(leading, port: 1, faults: faults)
      let board = try USBRig(rig, device: Self.board("DRIVE"), halves: .drive, on: bus)
      let other = card(capture, drives: false)
      guard let driving = board.drive else { throw Missing() }
      output = PairedDrive(
        driving, beside: SilentPartner(WorldCardDrive(other), frames: 4096))
      input = WorldCardSensors(other)
    case .cardAndBoard:
      bus.plug(
        Self.feeling(world, capture, catchUp: { _ in }), port: 2,
        faults: faults)
      let board = try USBRig(rig, device: Self.board("FEEL"), halves: .sensors, on: bus)
      guard let feeling = board.sensors else { throw Missing() }
      output = PairedDrive(
        WorldCardDrive(card(drive, drives: true) { board.keepUp() }), beside: BoardPartner(board))
      input = feeling
    case .twoBoards:
      bus.plug(leading, port: 1, faults: faults)
      let pace = Double(Self.ticks) * (1 + drive * 1e-6)
      let follower = Self.feeling(
        world, capture,
        catchUp: { time in leading.withBoard { $0.advance(to: UInt64(time * pace)) } })
      bus.plug(follower, port: 2, faults: faults)
      var mixed = rig
      mixed.drive.device = .usb(Self.board("DRIVE"))
      mixed.capture.usb = Self.board("FEEL")
      let devices = try MixedRig(mixed, stop: StopSignal()) { () throws(DeviceError) in bus }
      (output, input) = (devices.drive, devices.sensors)
    case .boardAndBreakout:
      bus.plug(leading, port: 1, faults: faults)
      let board = try USBRig(rig, device: Self.board("DRIVE"), halves: .drive, on: bus)
      guard let driving = board.drive else { throw Missing() }
      let breakout = WorldBreakout(
        world: world, bus: bus, rate: Self.rate.hertz * (1 + capture * 1e-6), seed: seed)
      let sensors = SampledSensors(
        breakout, setup: Self.breakout, channels: channels, periodFrames: 128)
      output = PairedDrive(
        driving, beside: SampledPartner(sensors, isOnHostClock: board.isOnHostClock))
      input = sensors
    }
    let session = Session(
      rig: rig, output: output, input: input, stop: StopSignal(), isPaced: false)
    recording = await session.play(take)
    self.world = world
    result = TakeAnalysis(rig: rig, target: IntensityTarget()).measure(
      take, recording, pattern: "taps", number: 1)
  }

  struct Missing: Error {}

  /// Seconds from a tap's drive to the motion's passing of the level that counts as its onset.
  func onset(_ tap: Int) -> Double {
    let frame = take.layout.pattern + Self.rate.wholeFrames(0.2 * Double(tap))
    let motion = world.motion(from: frame, count: 8000)
    let level = 0.1 * motion.reduce(0) { max($0, abs($1)) }
    guard let passing = motion.firstIndex(where: { abs($0) > level }) else { return .nan }
    let (before, after) = (abs(motion[passing - 1]), abs(motion[passing]))
    return (Double(passing - 1) + (level - before) / (after - before)) / 8 / Self.rate.hertz
  }

  private static let pattern = """
    {"Version": 1.0, "Pattern": [\([0, 0.2, 0.4].map(tap).joined(separator: ", "))]}
    """

  private static func tap(at time: Double) -> String {
    """
    {"Event": {"EventType": "HapticTransient", "Time": \(time), "EventParameters": [
    {"ParameterID": "HapticIntensity", "ParameterValue": 1},
    {"ParameterID": "HapticSharpness", "ParameterValue": 0.5}]}}
    """
  }

  private static func identity(_ serial: String, inputs: Int) -> BoardIdentity {
    BoardIdentity(
      tickRate: ticks, driveRates: [24_000], sensorRates: [24_000], driveChannelCount: 2,
      sensorChannelCount: inputs, bufferFrames: 2048,
      fullScaleMicrovolts: UInt32(volts * 1e6), sensorFullScale: 160_000_000, serial: serial)
  }

  private static func board(_ serial: String) -> USBDescription {
    USBDescription(selection: USBSelection(serial: serial))
  }

  private static let breakout = SampledSetup(
    rig: "mixed", sensor: "a breakout", sampleRate: rate.hertz, frameRate: rate,
    fields: [.counter(bits: 32), .axis(2)], axes: [0], scales: [1], timeout: 1)

  private static func feeling(
    _ world: World, _ drift: Double, catchUp: @escaping @Sendable (Double) -> Void
  ) -> FakeBoard<FeelingPlant> {
    FakeBoard(
      BoardDevice(
        identity("FEEL", inputs: 2),
        plant: FeelingPlant(
          world: world, pace: Double(ticks) * (1 + drift * 1e-6), volts: volts,
          acceleration: 160, catchUp: catchUp)), drift: drift)
  }

  private static func rig(hasReference: Bool) -> RigDescription {
    var channels = [
      CaptureChannelDescription(
        name: "wire", role: .reference, unit: .volt, input: 1, fullScaleVolts: volts),
      CaptureChannelDescription(
        name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 2, axis: "z"),
    ]
    if !hasReference { channels.removeFirst() }
    return RigDescription(
      name: "mixed",
      drive: DriveDescription(
        device: .usb(board("DRIVE")), rate: rate,
        channels: hasReference ? [.haptic: 1, .reference: 2] : [.haptic: 1],
        fullScaleVolts: volts, periodFrames: 128),
      capture: CaptureDescription(kind: .usb, channels: channels, usb: board("FEEL")),
      actuators: [
        Actuator(
          id: "a", model: "m",
          limits: DriveLimits(continuousVolts: 2, peakVolts: 3))
      ])
  }
}
