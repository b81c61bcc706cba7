// SPDX-License-Identifier: Apache-2.0

import Devices
import Units

enum PacedStep {
  case took(Int)
  /// The device has to reach this moment of real time first.
  case wait(UInt64)
}

struct SimulationState: Sendable {
  let setup: SimulationSetup
  var take: SimulatedTake?
  var pairing = TakePairing()

  /// When the first drive frame of the take was written, by the clock of real time.
  private var origin: UInt64?
  private var earlierFrames = 0

  init(_ setup: SimulationSetup) { self.setup = setup }

  mutating func start(_ half: TakeHalves) throws(DeviceError) {
    if pairing.start(half) {
      earlierFrames += take?.sentFrames ?? 0
      take = SimulatedTake(setup, number: pairing.count, frameOffset: earlierFrames)
      origin = nil
    }
    let sent = take?.sentFrames ?? 0
    if half == .sensors, sent > 0 {
      pairing.stop(.sensors)
      throw .lateCapture(setup.device, after: sent)
    }
    if framesUntilUnplugged(at: nil) == 0 { throw unplugged }
  }

  mutating func write(
    _ frames: Span<Float>, count: Int, now: UInt64?
  ) throws(DeviceError) -> PacedStep {
    guard pairing.isDriving else { throw .notStarted(setup.device, "write") }
    var room = Int.max
    if let now {
      if origin == nil { origin = now }
      let (due, sent) = (driveFrame(at: now), take?.sentFrames ?? 0)
      room = setup.bufferFrames - sent + due
      let wanted = min(count, setup.driveFormat.periodFrames)
      guard room >= wanted else {
        return .wait(moment(of: sent + wanted - setup.bufferFrames, rate: take?.driveRate))
      }
      take?.runDry(to: due)
    }
    let left = framesUntilUnplugged(at: now)
    guard left > 0 || now != nil && count == 0 else { throw unplugged }
    let taken = min(count, room, now == nil ? left : Int.max)
    take?.send(frames, count: taken)
    // Nobody will ever ask what these frames did: keep no more of them than they need.
    if !pairing.isCapturing { take?.dropUnread() }
    return .took(taken)
  }

  mutating func read(
    into frames: inout MutableSpan<Float>, now: UInt64?
  ) throws(DeviceError) -> PacedStep {
    guard pairing.isCapturing, let first = take?.readFrames else {
      throw .notStarted(setup.device, "read")
    }
    let wanted = frames.count / setup.channels.count
    let due = now.map(driveFrame)
    if let due, take?.isEnded == false { take?.runDry(to: due) }
    var end = take?.capturable(limit: first + wanted) ?? first
    if now != nil { end = max(first, min(end, framesCapturedUntilUnplugged)) }
    if end == first {
      if framesUntilUnplugged(at: now) == 0, wanted > 0 { throw unplugged }
      return .took(0)
    }
    var lost = 0
    if let now {
      let passed = self.frames(at: now, rate: take?.captureRate)
      guard passed > first else {
        // What is recorded, or touched, has its drive's queue filled before anybody waits for the sensors.
        let room = setup.bufferFrames - (take?.sentFrames ?? 0) + (due ?? 0)
        if setup.slack != .live, take?.isEnded == false,
          room >= setup.driveFormat.periodFrames
        {
          return .took(0)
        }
        let awaited = min(end, first + min(wanted, setup.driveFormat.periodFrames))
        return .wait(moment(of: awaited, rate: take?.captureRate))
      }
      end = min(end, passed)
      lost = passed - Int(setup.rate.hertz)
    }
    take?.capture(to: end, into: &frames, lost: lost)
    return .took(end - first)
  }

  /// Silences the drive: from what has not been played yet, in real time.
  mutating func silence(now: UInt64?) {
    let played = now.map { driveFrame(at: $0) } ?? take?.playedFrames ?? 0
    take?.silence(from: played)
  }

  var endOfDrive: UInt64? {
    guard origin != nil, let take, pairing.isDriving else { return nil }
    return moment(of: take.sentFrames, rate: take.driveRate)
  }

  /// A look at the clock of one half; in virtual time at the frame that comes next.
  func reading(of next: Int, rate: Double, now: UInt64?) -> ClockReading? {
    guard let now else {
      return ClockReading(frame: next, nanoseconds: UInt64(Double(next) / rate * 1e9))
    }
    return origin.map { _ in ClockReading(frame: frames(at: now, rate: rate), nanoseconds: now) }
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

  /// How many more drive frames there are before the script pulls the plug: frames sent, in real time played.
  private func framesUntilUnplugged(at now: UInt64?) -> Int {
    guard let gone = setup.faults.unplugged else { return Int.max }
    let sent = take?.sentFrames ?? 0
    return max(0, gone - (take?.frameOffset ?? 0) - min(sent, now.map(driveFrame) ?? sent))
  }

  /// The capture frames of this take up to the moment in which the script pulls the plug.
  private var framesCapturedUntilUnplugged: Int {
    guard let gone = setup.faults.unplugged, let take else { return Int.max }
    return Int(Double(max(0, gone - take.frameOffset)) / take.driveRate * take.captureRate)
  }

  private var unplugged: DeviceError {
    DeviceError(
      .unplugged, device: setup.device,
      message: "the simulated device was unplugged by the fault script: take the fault out of the "
        + "rig file, or end the drive before it")
  }

  private func driveFrame(at now: UInt64) -> Int { frames(at: now, rate: take?.driveRate) }

  /// How many frames of a true rate have passed by a moment of real time.
  private func frames(at now: UInt64, rate: Double?) -> Int {
    guard let origin, let rate, now > origin else { return 0 }
    return Int(Double(now - origin) * 1e-9 * rate)
  }

  /// The moment of real time by which so many frames have passed, rounded up.
  private func moment(of frame: Int, rate: Double?) -> UInt64 {
    guard let origin, let rate, frame > 0 else { return origin ?? 0 }
    return origin + UInt64((Double(frame) / rate * 1e9).rounded(.up)) + 1
  }
}
