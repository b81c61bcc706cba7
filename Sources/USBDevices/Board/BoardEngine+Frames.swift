// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import Synchronization
import Units

extension BoardEngine {
  private var rate: Int { Int(setup.rate.hertz) }

  mutating func fill() throws(DeviceError) {
    guard isRunning, setup.drives else { return }
    if shared.isHushed.load(ordering: .relaxed) || status.state == .silenced {
      return forget()
    }
    while link.room > 1 {
      let now = max(0, clock.frame(at: link.now, rate: rate) ?? 0)
      let ahead = now + aheadFrames - nextFrame
      guard ahead >= leastFrames else { break }
      let waiting = drive.available
      let isEnded = shared.isDriveEnded.load(ordering: .acquiring)
      if waiting >= leastFrames || (isEnded && waiting > 0) {
        try sendDrive(min(waiting, ahead, packetFrames), isPadding: false)
      } else if isEnded {
        // The board shall run on until the capture is whole: zeros of its own make no underrun.
        try sendDrive(min(ahead, packetFrames), isPadding: true)
      } else {
        break
      }
    }
    if nextFrame > 0, link.room > 1,
      link.now > lastDrive + UInt64(Self.keepAlive * 1e9)
    {
      // The frame that went last, again: it changes nothing and keeps the watchdog quiet.
      try send(frames: lastSamples, first: nextFrame - 1)
    }
  }

  private mutating func forget() {
    var rest = [Float](repeating: 0, count: setup.driveWidth * 512)
    var span = rest.mutableSpan
    while true {
      let count = drive.read(into: &span)
      if count == 0 { return }
      nextFrame += count
      shared.driven.store(nextFrame, ordering: .releasing)
    }
  }

  private mutating func sendDrive(_ count: Int, isPadding: Bool) throws(DeviceError) {
    let width = setup.driveWidth
    let channels = identity.driveChannelCount
    var samples = [Int32](repeating: 0, count: count * channels)
    if !isPadding {
      var block = [Float](repeating: 0, count: count * width)
      var span = block.mutableSpan
      _ = drive.read(into: &span)
      for frame in 0..<count {
        for channel in 0..<width {
          samples[frame * channels + channel] = Self.step(block[frame * width + channel])
        }
      }
    }
    lastSamples = Array(samples.suffix(channels))
    try send(frames: samples, first: nextFrame)
    nextFrame += count
    if !isPadding { shared.driven.store(nextFrame, ordering: .releasing) }
  }

  private mutating func send(frames samples: [Int32], first: Int) throws(DeviceError) {
    let frames = BoardFrames(
      firstFrame: UInt32(truncatingIfNeeded: first), channelCount: identity.driveChannelCount,
      format: .s16, samples: samples)
    _ = try link.send(.drive(frames), ticks: clock.ticks(ofFrame: first, rate: rate))
    lastDrive = link.now
  }

  /// A sample as the board takes it; what is no number is zero.
  private static func step(_ sample: Float) -> Int32 {
    guard sample == sample else { return 0 }
    return Int32((max(-1, min(1, sample)) * 32_767).rounded())
  }

  mutating func take(_ arrival: BoardLink.Arrival) throws(DeviceError) {
    switch arrival.report {
    case .identity: break
    case .status(let status): try take(status, arrival)
    case .sensor(let frames):
      let span =
        Int64(frames.frameCount) * Int64(identity.tickRate) / Int64(max(1, setup.sensorRate))
      clock.note(ticks: arrival.ticks, later: span, at: arrival.nanoseconds)
      if isRunning, setup.senses { try take(frames, at: arrival.nanoseconds) }
    case .clock(let token, let received):
      take(clock: token, received: received, arrival)
      clock.note(ticks: arrival.ticks, at: arrival.nanoseconds)
    case .refusal(let kind, _, let reason):
      // Drive that was on its way when the output went off.
      if reason == .state, kind == 0x05, !isRunning || shared.isHushed.load(ordering: .relaxed) {
        return
      }
      if reason == .timing, !isRunning { return }
      throw DeviceError(
        .refused, device: setup.rig,
        message: "the board refused a packet of kind \(kind): \(reason); check the rig file and "
          + "the board's firmware against docs/PROTOCOL-BOARD.md")
    }
  }

  private mutating func take(
    _ status: BoardStatus, _ arrival: BoardLink.Arrival
  ) throws(DeviceError) {
    clock.note(ticks: arrival.ticks, at: arrival.nanoseconds)
    if !isRunning {
      if status.state == .running { clock.start(ticks: status.startTicks) }
      self.status = status
      return
    }
    self.status = status
    let missed = Int(status.underrunFrames) - underruns
    if missed > 0 {
      underruns += missed
      drive.note(
        .underrun, frame: max(0, Int(status.nextFrame) - missed), length: missed)
    }
    guard status.state != .running, !shared.isHushed.load(ordering: .relaxed) else { return }
    let reason =
      status.faults.contains(.amplifier)
      ? "its amplifier reports a fault: let it cool, check the actuator's wires"
      : status.faults.contains(.watchdog)
        ? "no drive frame came for 20 ms: this computer was held up, or the bus"
        : "it reports \(status.faults)"
    throw DeviceError(
      status.faults.contains(.amplifier) ? .refused : .stalled, device: setup.rig,
      message: "the board switched its output off: \(reason)")
  }

  private mutating func take(_ frames: BoardFrames, at nanoseconds: UInt64) throws(DeviceError) {
    guard frames.channelCount == identity.sensorChannelCount else {
      throw DeviceError(
        .garbled, device: setup.rig,
        message: "a sensor packet has \(frames.channelCount) channels, and the board said "
          + "\(identity.sensorChannelCount): check its firmware")
    }
    let first = Int(frameCounter.unwrap(frames.firstFrame))
    let gap = first - sensed
    guard Double(gap) <= (setup.timeout + 1) * Double(setup.sensorRate) else {
      throw DeviceError(
        .garbled, device: setup.rig,
        message: "the sensor frames jump from \(sensed) to \(first): check the board's firmware")
    }
    let skipped = max(0, -gap)
    guard skipped < frames.frameCount else { return }
    sensed = first + frames.frameCount
    if grid != nil {
      resample(frames, from: skipped, first: first)
    } else {
      if gap > 0 {
        capture.note(.drop, frame: captured, length: gap)
        captured += gap
        capture.skip(gap)
      }
      block.removeAll(keepingCapacity: true)
      for frame in skipped..<frames.frameCount {
        for (channel, input) in setup.inputs.enumerated() {
          block.append(
            Float(frames.samples[frame * frames.channelCount + input]) * setup.scales[channel])
        }
      }
      deliver(block)
    }
    let latest = Double(sensed) * setup.rate.hertz / Double(setup.sensorRate)
    shared.clock.store(frame: Int(latest), nanoseconds: nanoseconds)
  }

  /// Makes frames of the ports' rate of the sensors' frames; lost ones stand as zeros and are told.
  private mutating func resample(_ frames: BoardFrames, from skipped: Int, first: Int) {
    for frame in skipped..<frames.frameCount {
      let values = zip(setup.inputs, setup.scales).map { input, scale in
        Double(frames.samples[frame * frames.channelCount + input]) * Double(scale)
      }
      grid?.append(values, index: first + frame)
    }
    let made = grid?.frames() ?? []
    for drop in grid?.takeDrops() ?? [] {
      capture.note(.drop, frame: drop.frame, length: drop.length)
    }
    deliver(made)
  }

  /// Hands frames on in SI units; what finds no room is told and stands as zeros.
  private mutating func deliver(_ block: [Float]) {
    let count = block.count / setup.inputs.count
    if !capture.write(block.span) {
      capture.note(.overrun, frame: captured, length: count)
    }
    captured += count
  }
}
