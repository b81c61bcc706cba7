// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import USBDevices

/// How the reference board obeys.
extension BoardDevice {
  mutating func take(_ event: BoardDecoder.Event) {
    switch event {
    case .skipped: break
    case .damaged:
      status.damagedPackets &+= 1
      status.faults.insert(.checksum)
    case .unreadable(let kind, let sequence, let error):
      guard admit(sequence) else { return }
      let reason: BoardRefusal =
        switch error.code {
        case .version: .version
        case .unknown where error.packet == "board packet": .kind
        default: .payload
        }
      refuse(kind, sequence, reason)
    case .packet(let packet):
      switch packet.message {
      case .command(.hello(let session)): greet(session, sequence: packet.sequence)
      case .command(let command):
        guard admit(packet.sequence) else { return }
        obey(command, packet)
      case .report(let report):
        guard admit(packet.sequence) else { return }
        refuse(report.kind, packet.sequence, .kind)
      }
    }
  }

  /// Counts the packet; whether it is to be obeyed.
  private mutating func admit(_ sequence: UInt32) -> Bool {
    guard greeted else { return false }
    let arrival = arrivals.note(sequence)
    if arrival != .next { status.faults.insert(.sequence) }
    return arrival.isUsable
  }

  private mutating func refuse(_ kind: UInt8, _ sequence: UInt32, _ reason: BoardRefusal) {
    send(.refusal(kind: kind, sequence: sequence, reason: reason), at: now)
  }

  private mutating func greet(_ session: UInt32, sequence: UInt32) {
    outbox = []
    start = nil
    status = BoardStatus.idle
    queue.removeAll()
    driveZero()
    greeted = true
    nextSequence = 0
    arrivals = SequenceTracker(bits: 32)
    _ = arrivals.note(sequence)
    var identity = identity
    identity.session = session
    send(.identity(identity), at: now)
    reportStatus()
  }

  private mutating func obey(_ command: BoardCommand, _ packet: BoardPacket) {
    switch command {
    case .hello: break
    case .start(let start):
      if let reason = reasonAgainst(start) {
        refuse(command.kind, packet.sequence, reason)
      } else {
        if status.state == .silenced { endStreams() }
        beginStreams(start)
        reportStatus()
      }
    case .stop:
      endStreams()
      reportStatus()
    case .silence: silence([])
    case .drive(let frames): drive(frames, packet)
    case .clock(let token):
      send(.clock(token: token, received: UInt32(truncatingIfNeeded: now)), at: now)
    }
  }

  private func reasonAgainst(_ start: BoardStart) -> BoardRefusal? {
    guard status.state != .running else { return .state }
    let drives = start.driveRate == 0 || identity.driveRates.contains(start.driveRate)
    let senses = start.sensorRate == 0 || identity.sensorRates.contains(start.sensorRate)
    let waits = UInt64(start.lead) < ticks(seconds: BoardFacts.watchdog)
    return drives && senses && waits ? nil : .unsupported
  }

  private mutating func drive(_ frames: BoardFrames, _ packet: BoardPacket) {
    let kind = BoardCommand.drive(frames).kind
    guard status.state == .running, let start, start.driveRate > 0 else {
      // One refusal a state: those on their way when the output went off would be many.
      if !refusedDrive { refuse(kind, packet.sequence, .state) }
      refusedDrive = true
      return
    }
    guard frames.channelCount == identity.driveChannelCount else {
      return refuse(kind, packet.sequence, .unsupported)
    }
    let next = queue.nextFrame
    let ahead = Int32(bitPattern: frames.firstFrame &- UInt32(truncatingIfNeeded: next))
    let first = next + Int(ahead)
    guard first >= 0, agrees(packet.ticks, frame: first, rate: start.driveRate) else {
      return refuse(kind, packet.sequence, .timing)
    }
    guard frames.frameCount > 0 else { return }
    lastDriveTick = now
    // Late ones are no fault: where one was missed it was told when it was due.
    let admission = queue.append(limited(frames, peak: start.peak), firstFrame: first)
    if admission.excessCount > 0 { status.faults.insert(.overrun) }
  }

  /// Whether ticks and frame index say the same time, to one frame.
  private func agrees(_ ticks: UInt32, frame: Int, rate: UInt32) -> Bool {
    let due = UInt32(truncatingIfNeeded: tick(ofFrame: frame, rate: rate))
    let difference = Int64(Int32(bitPattern: ticks &- due))
    return abs(difference) <= Int64(identity.tickRate / rate) + 1
  }

  /// The samples of full scale 2^31, clipped to the session's peak.
  private mutating func limited(_ frames: BoardFrames, peak: UInt16) -> [Int32] {
    let shift = Int32(32 - 8 * frames.format.byteCount)
    let limit = Int32(Int64(Int32.max) * Int64(peak) / 65535)
    return frames.samples.map { sample in
      let whole = sample << shift
      let clipped = min(limit, max(-limit, whole))
      if clipped != whole { status.faults.insert(.clipped) }
      return clipped
    }
  }
}
