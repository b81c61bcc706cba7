// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
public import USBDevices

/// A board without hardware: the reference that firmware is compared with, and a fake for tests.
///
/// A value on a virtual clock: bytes and times in, bytes out, the same ones every time. Drive and sensor
/// frame k lie at `start + floor(k * tickRate / rate)`; at one tick drive comes before sensors. Every
/// rule of docs/PROTOCOL-BOARD.md is here once: `BoardDevice+Commands` obeys, this file keeps time.
public struct BoardDevice<Plant: BoardPlant>: Sendable {
  /// Who the board is.
  public let identity: BoardIdentity
  /// What its connectors are wired to.
  public var plant: Plant
  /// The board's clock, without wraps.
  public internal(set) var now: UInt64
  /// How it stands; counts and faults are current.
  public internal(set) var status = BoardStatus.idle
  /// What is driven at the moment, -2^31...2^31-1 of full scale, one number a channel.
  public internal(set) var output: [Int32]
  /// The packets that the host has not fetched, each one transfer.
  public var outbox: [[UInt8]] = []
  /// Packets that the outbox holds before sensor packets are dropped.
  public var outboxCapacity = 64

  var decoder = BoardDecoder()
  var arrivals = SequenceTracker(bits: 32)
  var nextSequence: UInt32 = 0
  var greeted = false
  var start: BoardStart?
  var startTick: UInt64 = 0
  var queue: BoardDriveQueue
  var lastDriveTick: UInt64 = 0
  var refusedDrive = false
  private var nextStatusTick: UInt64 = 0
  private var sensorFrame = 0
  private var sensorSamples: [Int32] = []

  /// Makes a board that nobody has spoken to.
  ///
  /// - Parameters:
  ///   - identity: Who it is; the session is filled in.
  ///   - plant: What it drives and feels.
  ///   - now: Where its clock stands: any number, so that wraps can be tried.
  public init(_ identity: BoardIdentity, plant: Plant, now: UInt64 = 0) {
    self.identity = identity
    self.plant = plant
    self.now = now
    output = Array(repeating: 0, count: identity.driveChannelCount)
    queue = BoardDriveQueue(
      channelCount: max(1, identity.driveChannelCount), capacity: Int(identity.bufferFrames))
  }

  /// Lets time pass up to a tick; does nothing when it is over.
  public mutating func advance(to tick: UInt64) {
    while let next = nextTick, next <= tick {
      now = max(now, next)
      if let due = nextDriveTick, due == next {
        playFrame()
      } else if let due = watchdogTick, due == next {
        silence(.watchdog)
      } else if let due = nextSensorTick, due == next {
        senseFrame()
      } else {
        reportStatus()
      }
    }
    now = max(now, tick)
  }

  /// Takes bytes that arrive at a tick, however they are cut.
  public mutating func receive(_ bytes: [UInt8], at tick: UInt64) {
    advance(to: tick)
    for event in decoder.append(bytes) { take(event) }
  }

  /// Gives the packets that wait for the host, in order, and forgets them.
  public mutating func takeOutbox() -> [[UInt8]] {
    defer { outbox = [] }
    return outbox
  }

  /// The amplifier reports a fault: the output goes off until the next start.
  public mutating func failAmplifier() { silence(.amplifier) }

  private var nextTick: UInt64? {
    var next = greeted ? nextStatusTick : .max
    next = min(next, nextDriveTick ?? .max)
    next = min(next, watchdogTick ?? .max)
    next = min(next, nextSensorTick ?? .max)
    return next < .max ? next : nil
  }

  private var nextDriveTick: UInt64? {
    guard status.state == .running, let start, start.driveRate > 0 else { return nil }
    return tick(ofFrame: queue.nextFrame, rate: start.driveRate)
  }

  private var nextSensorTick: UInt64? {
    guard status.state != .idle, let start, start.sensorRate > 0 else { return nil }
    return tick(ofFrame: sensorFrame, rate: start.sensorRate)
  }

  private var watchdogTick: UInt64? {
    guard status.state == .running, let start, start.driveRate > 0 else { return nil }
    return max(startTick, lastDriveTick) + ticks(seconds: BoardFacts.watchdog)
  }

  /// The tick of a frame: `start + floor(frame * tickRate / rate)`.
  func tick(ofFrame frame: Int, rate: UInt32) -> UInt64 {
    startTick + UInt64(frame) * UInt64(identity.tickRate) / UInt64(rate)
  }

  func ticks(seconds: Double) -> UInt64 { UInt64(seconds * Double(identity.tickRate)) }

  private mutating func playFrame() {
    let frame = queue.nextFrame
    if let samples = queue.next() {
      output = samples
      plant.drive(output, frame: frame, at: now)
    } else {
      status.underrunFrames &+= 1
      status.faults.insert(.underrun)
      driveZero()
    }
  }

  mutating func driveZero() {
    output = Array(repeating: 0, count: output.count)
    plant.drive(output, frame: nil, at: now)
  }

  private mutating func senseFrame() {
    guard let start else { return }
    sensorSamples.append(contentsOf: plant.sense(at: now))
    sensorFrame += 1
    let count = sensorSamples.count / identity.sensorChannelCount
    let capacity = BoardFrames.capacity(
      channelCount: identity.sensorChannelCount, format: identity.sensorFormat)
    // A millisecond's worth: one frame of a full-speed bus.
    if count >= min(capacity, max(1, Int(start.sensorRate) / 1000)) { flushSensor() }
  }

  mutating func flushSensor() {
    defer { sensorSamples = [] }
    guard !sensorSamples.isEmpty, let start else { return }
    let first = sensorFrame - sensorSamples.count / identity.sensorChannelCount
    let frames = BoardFrames(
      firstFrame: UInt32(truncatingIfNeeded: first), channelCount: identity.sensorChannelCount,
      format: identity.sensorFormat, samples: sensorSamples)
    let dropped = outbox.count >= outboxCapacity
    send(.sensor(frames), at: tick(ofFrame: first, rate: start.sensorRate), dropped: dropped)
    if dropped { status.faults.insert(.unread) }
  }

  mutating func beginStreams(_ start: BoardStart) {
    self.start = start
    startTick = now + UInt64(start.lead)
    queue = BoardDriveQueue(channelCount: queue.channelCount, capacity: queue.capacity)
    lastDriveTick = startTick
    sensorFrame = 0
    sensorSamples = []
    refusedDrive = false
    status.state = .running
    status.faults = []
    status.underrunFrames = 0
    status.startTicks = UInt32(truncatingIfNeeded: startTick)
  }

  mutating func endStreams() {
    flushSensor()
    start = nil
    status.state = .idle
    refusedDrive = false
    queue.removeAll()
    driveZero()
  }

  mutating func silence(_ fault: BoardStatus.Faults) {
    status.faults.formUnion(fault)
    if status.state == .running { status.state = .silenced }
    refusedDrive = false
    queue.removeAll()
    driveZero()
    reportStatus()
  }

  mutating func reportStatus() {
    guard greeted else { return }
    status.bufferedFrames = UInt16(clamping: queue.count)
    status.nextFrame = UInt32(truncatingIfNeeded: queue.nextFrame)
    status.lostPackets = UInt32(clamping: arrivals.lostCount)
    send(.status(status), at: now)
    nextStatusTick = now + ticks(seconds: BoardFacts.statusInterval)
  }

  /// A dropped packet has its number all the same, so that the host sees what it missed.
  mutating func send(_ report: BoardReport, at tick: UInt64, dropped: Bool = false) {
    defer { nextSequence &+= 1 }
    guard !dropped else { return }
    let packet = BoardPacket(
      sequence: nextSequence, ticks: UInt32(truncatingIfNeeded: tick), report)
    guard let bytes = try? packet.bytes() else {
      preconditionFailure("a plant gave samples that \(identity.sensorFormat) cannot hold")
    }
    outbox.append(bytes)
  }
}
