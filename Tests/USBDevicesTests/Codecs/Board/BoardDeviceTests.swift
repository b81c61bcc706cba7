// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import SeededRandom
import Testing
import USBModels

@testable import USBDevices

/// Remembers what was driven and feels a ramp.
private struct RecordingPlant: BoardPlant {
  struct Driven: Equatable {
    let sample: Int32
    let frame: Int?
    let tick: UInt64
  }
  var driven: [Driven] = []
  mutating func drive(_ samples: [Int32], frame: Int?, at tick: UInt64) {
    driven.append(Driven(sample: samples.first ?? 0, frame: frame, tick: tick))
  }
  mutating func sense(at tick: UInt64) -> [Int32] { [Int32(tick % 30000)] }
}

/// The rules of docs/PROTOCOL-BOARD.md on the reference board; 1 MHz ticks, 8 kHz drive, 4 kHz sensor.
struct BoardDeviceTests {
  private static let identity = BoardIdentity(
    tickRate: 1_000_000, driveRates: [8000], sensorRates: [4000], driveChannelCount: 1,
    sensorChannelCount: 1, bufferFrames: 400, fullScaleMicrovolts: 3_300_000,
    sensorFullScale: 156_906_400, serial: "HR-0001")

  /// A board and the host's side of it.
  private struct BoardFixture {
    var board: BoardDevice<RecordingPlant>
    var sequence: UInt32 = 0
    var decoder = BoardDecoder()

    init(now: UInt64 = 0) {
      board = BoardDevice(identity, plant: RecordingPlant(), now: now)
    }

    mutating func send(_ command: BoardCommand, at tick: UInt64, ticks: UInt32 = 0) throws {
      board.receive(
        try BoardPacket(sequence: sequence, ticks: ticks, command).bytes(), at: tick)
      sequence &+= 1
    }

    /// Sends frames in packets of at most 200.
    mutating func drive(_ frames: Range<Int>, at tick: UInt64, sample: Int32 = 1000) throws {
      for first in stride(from: frames.lowerBound, to: frames.upperBound, by: 200) {
        let packet = BoardFrames(
          firstFrame: UInt32(truncatingIfNeeded: first), channelCount: 1,
          samples: (first..<min(first + 200, frames.upperBound)).map { _ in sample })
        let due = board.status.startTicks &+ UInt32(truncatingIfNeeded: first * 125)
        try send(.drive(packet), at: tick, ticks: due)
      }
    }

    mutating func packets() -> [BoardPacket] {
      decoder.append(board.takeOutbox().joined()).compactMap {
        if case .packet(let packet) = $0 { packet } else { nil }
      }
    }

    mutating func reports() -> [BoardReport] {
      packets().compactMap {
        if case .report(let report) = $0.message { report } else { nil }
      }
    }

    /// Greets and starts, frame 0 at `tick + 5000`.
    mutating func begin(at tick: UInt64, sensor: UInt32 = 0, peak: UInt16 = .max) throws {
      try send(.hello(session: 42), at: tick)
      try send(
        .start(BoardStart(driveRate: 8000, sensorRate: sensor, lead: 5000, peak: peak)), at: tick)
      _ = reports()
    }
  }

  @Test func `a board says nothing and obeys nothing before the hello`() throws {
    var bench = BoardFixture()
    try bench.send(
      .start(BoardStart(driveRate: 8000, sensorRate: 4000, lead: 0, peak: .max)), at: 10)
    bench.board.advance(to: 1_000_000)
    #expect(bench.board.status.state == .idle)
    #expect(bench.board.takeOutbox().isEmpty)
  }

  @Test func `a hello is answered by identity and status, numbered from 0`() throws {
    var bench = BoardFixture()
    try bench.send(.hello(session: 42), at: 10)
    let packets = bench.packets()
    var expected = Self.identity
    expected.session = 42
    #expect(
      packets == [
        BoardPacket(sequence: 0, ticks: 10, .identity(expected)),
        BoardPacket(sequence: 1, ticks: 10, .status(BoardStatus())),
      ])
  }

  @Test func `frames are driven at their ticks, over the wrap of the clock`() throws {
    let begin = UInt64(UInt32.max) - 5100
    var bench = BoardFixture(now: begin)
    try bench.begin(at: begin)
    try bench.drive(0..<4, at: begin + 100, sample: 32767)
    bench.board.advance(to: begin + 5000 + 499)
    let driven = bench.board.plant.driven.suffix(4)
    #expect(driven.map(\.frame) == [0, 1, 2, 3])
    #expect(driven.map(\.tick) == [0, 125, 250, 375].map { begin + 5000 + $0 })
    #expect(driven.allSatisfy { $0.sample == 32767 << 16 })
    #expect(bench.board.status.faults == [])
  }

  @Test func `a frame that is not there is zero and counted`() throws {
    var bench = BoardFixture()
    try bench.begin(at: 0)
    try bench.drive(0..<2, at: 100)
    try bench.drive(4..<6, at: 200)
    bench.board.advance(to: 5000 + 5 * 125)
    #expect(bench.board.plant.driven.suffix(6).map(\.frame) == [0, 1, nil, nil, 4, 5])
    #expect(bench.board.status.underrunFrames == 2)
    #expect(bench.board.status.faults == .underrun)
  }

  @Test func `without drive packets the output is off after 20 ms and stays off`() throws {
    var bench = BoardFixture()
    try bench.begin(at: 0)
    try bench.drive(0..<400, at: 4000)
    bench.board.advance(to: 24_999)
    #expect(bench.board.output != [0])
    bench.board.advance(to: 25_000)
    #expect(bench.board.output == [0])
    #expect(bench.board.status.state == .silenced)
    #expect(bench.board.status.faults == .watchdog)
    try bench.drive(200..<240, at: 26_000)
    try bench.drive(240..<280, at: 26_100)
    bench.board.advance(to: 100_000)
    #expect(bench.board.output == [0])
    let refusals = bench.reports().filter { if case .refusal = $0 { true } else { false } }
    #expect(refusals == [.refusal(kind: 5, sequence: 4, reason: .state)])
  }

  @Test func `a frame that comes again feeds the watchdog and changes nothing else`() throws {
    var bench = BoardFixture()
    try bench.begin(at: 0)
    try bench.drive(0..<160, at: 4000)
    try bench.drive(159..<160, at: 20_000, sample: 7)  // held already
    bench.board.advance(to: 24_999)
    #expect(bench.board.status.faults == [])
    #expect(bench.board.plant.driven.suffix(160).allSatisfy { $0.sample == 1000 << 16 })
    try bench.drive(159..<160, at: 28_000)  // its time is over
    bench.board.advance(to: 47_999)
    #expect(bench.board.status.state == .running)
    #expect(bench.board.output == [0])
    bench.board.advance(to: 48_000)
    #expect(bench.board.status.state == .silenced)
  }

  @Test func `a host that never sends leaves the output off with the watchdog's fault`() throws {
    var bench = BoardFixture()
    try bench.begin(at: 0)
    bench.board.advance(to: 25_000)
    #expect(bench.board.status.faults == [.watchdog, .underrun])
    #expect(bench.board.plant.driven.allSatisfy { $0.sample == 0 })
  }

  @Test func `damaged packets do not feed the watchdog`() throws {
    var bench = BoardFixture()
    try bench.begin(at: 0)
    try bench.drive(0..<400, at: 0)
    for tick in stride(from: UInt64(5000), through: 25_000, by: 1000) {
      var bytes = try BoardPacket(sequence: 99, .silence).bytes()
      bytes[8] ^= 1
      bench.board.receive(bytes, at: tick)
    }
    #expect(bench.board.status.state == .silenced)
    #expect(bench.board.status.damagedPackets == 21)
  }

  @Test(arguments: [BoardCommand.silence, .stop, .hello(session: 1)])
  func `the output is zero at once and what waits is dropped`(command: BoardCommand) throws {
    var bench = BoardFixture()
    try bench.begin(at: 0)
    try bench.drive(0..<400, at: 0)
    bench.board.advance(to: 10_000)
    #expect(bench.board.output != [0])
    try bench.send(command, at: 10_010)
    #expect(bench.board.output == [0])
    bench.board.advance(to: 60_000)
    #expect(bench.board.plant.driven.last?.tick == 10_010)
  }

  @Test func `a failing amplifier turns the output off, and the host is told`() throws {
    var bench = BoardFixture()
    try bench.begin(at: 0)
    try bench.drive(0..<100, at: 0)
    bench.board.advance(to: 6000)
    bench.board.failAmplifier()
    #expect(bench.board.output == [0])
    guard case .status(let status) = try #require(bench.reports().last) else {
      Issue.record("no status")
      return
    }
    #expect(status.faults.contains(.amplifier) && status.state == .silenced)
  }

  @Test func `duplicated and late packets are dropped, lost ones counted`() throws {
    var bench = BoardFixture()
    try bench.begin(at: 0)
    let due = bench.board.status.startTicks
    func packet(_ sequence: UInt32, _ first: Int, _ sample: Int32) throws -> [UInt8] {
      let frames = BoardFrames(
        firstFrame: UInt32(first), channelCount: 1, samples: [sample, sample])
      return try BoardPacket(
        sequence: sequence, ticks: due + UInt32(first * 125), .drive(frames)
      ).bytes()
    }
    bench.board.receive(try packet(2, 0, 1), at: 10)
    bench.board.receive(try packet(4, 4, 3), at: 20)  // 3 is missing
    bench.board.receive(try packet(3, 2, 2), at: 30)  // late
    bench.board.receive(try packet(4, 4, 9), at: 40)  // twice
    bench.board.advance(to: 5000 + 5 * 125)
    #expect(bench.board.plant.driven.suffix(6).map { $0.sample >> 16 } == [1, 1, 0, 0, 3, 3])
    #expect(bench.board.status.faults == [.sequence, .underrun])
    bench.board.advance(to: 51_000)
    guard case .status(let status) = try #require(bench.reports().last) else {
      Issue.record("no status")
      return
    }
    #expect(status.lostPackets == 1)
  }

  @Test func `frames beyond the buffer are dropped and reported`() throws {
    var bench = BoardFixture()
    try bench.begin(at: 0)
    try bench.drive(0..<240, at: 10)
    try bench.drive(240..<480, at: 20)
    #expect(bench.board.status.faults == .overrun)
    bench.board.advance(to: 5000)
    try bench.drive(401..<403, at: 5010)
    #expect(bench.board.status.faults == .overrun)
  }

  @Test func `drive above the session's peak is clipped there`() throws {
    var bench = BoardFixture()
    try bench.begin(at: 0, peak: 32768)
    try bench.drive(0..<2, at: 10, sample: 32767)
    bench.board.advance(to: 5000)
    #expect(abs(Double(bench.board.output[0]) / 0x1p31 - 0.5) < 1e-4)
    #expect(bench.board.status.faults == .clipped)
  }

  @Test func `ticks that disagree with the frame are refused and do not feed the watchdog`() throws
  {
    var bench = BoardFixture()
    try bench.begin(at: 0)
    let frames = BoardFrames(firstFrame: 8, channelCount: 1, samples: [5])
    try bench.send(.drive(frames), at: 10, ticks: bench.board.status.startTicks + 8 * 125 + 400)
    #expect(bench.reports() == [.refusal(kind: 5, sequence: 2, reason: .timing)])
  }

  @Test func `what a board cannot do is refused with the reason`() throws {
    var bench = BoardFixture()
    try bench.send(.hello(session: 1), at: 0)
    _ = bench.reports()
    let good = BoardStart(driveRate: 8000, sensorRate: 4000, lead: 5000, peak: .max)
    var rate = good
    rate.driveRate = 8001
    var lead = good
    lead.lead = 20_000
    try bench.send(.start(rate), at: 1)
    try bench.send(.start(lead), at: 2)
    #expect(
      bench.reports() == [
        .refusal(kind: 2, sequence: 1, reason: .unsupported),
        .refusal(kind: 2, sequence: 2, reason: .unsupported),
      ])
    try bench.send(.start(good), at: 3)
    try bench.send(.start(good), at: 4)
    #expect(bench.reports().last == .refusal(kind: 2, sequence: 4, reason: .state))
  }

  @Test func `packets of another version and of unknown kinds are refused`() throws {
    var bench = BoardFixture()
    try bench.send(.hello(session: 1), at: 0)
    _ = bench.reports()
    for (place, value) in [(2, UInt8(9)), (3, UInt8(0x33))] {
      var bytes = Array(try BoardPacket(sequence: bench.sequence, .stop).bytes().dropLast(4))
      bench.sequence += 1
      bytes[place] = value
      let sum = CRC32.of(bytes)
      bench.board.receive(bytes + (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) }, at: 9)
    }
    #expect(
      bench.reports() == [
        .refusal(kind: 3, sequence: 1, reason: .version),
        .refusal(kind: 0x33, sequence: 2, reason: .kind),
      ])
  }

  @Test func `sensor frames come in order with their ticks, and go on when the drive is off`()
    throws
  {
    var bench = BoardFixture()
    try bench.begin(at: 0, sensor: 4000)
    bench.board.advance(to: 5000 + 99 * 250)
    #expect(bench.board.status.state == .silenced)
    var expected: UInt32 = 0
    for packet in bench.packets() {
      guard case .report(.sensor(let frames)) = packet.message else { continue }
      #expect(frames.firstFrame == expected)
      #expect(packet.ticks == 5000 + expected * 250)
      #expect(
        frames.samples == (0..<frames.samples.count).map { Int32(packet.ticks) + Int32($0) * 250 })
      expected += UInt32(frames.frameCount)
    }
    #expect(expected == 100)
  }

  @Test func `sensor packets that nobody fetches are missing in the numbers`() throws {
    var bench = BoardFixture()
    bench.board.outboxCapacity = 4
    try bench.begin(at: 0, sensor: 4000)
    bench.board.advance(to: 15_000)
    let first = bench.packets().map(\.sequence)
    #expect(bench.board.status.faults.contains(.unread))
    bench.board.advance(to: 17_000)
    let second = bench.packets().map(\.sequence)
    var tracker = SequenceTracker(bits: 32)
    for number in first + second { _ = tracker.note(number) }
    #expect(tracker.lostCount > 0)
    #expect(tracker.duplicateCount == 0 && tracker.lateCount == 0)
  }

  @Test func `the clock's answer carries the token and both ticks`() throws {
    var bench = BoardFixture(now: 0xffff_fff0)
    try bench.send(.hello(session: 1), at: 0xffff_fff0)
    _ = bench.reports()
    try bench.send(.clock(token: .max), at: 0x1_0000_0005)
    let packet = try #require(bench.packets().last)
    #expect(packet.message == .report(.clock(token: .max, received: 5)))
    #expect(packet.ticks == 5)
  }

  @Test func `a status comes every 50 ms`() throws {
    var bench = BoardFixture()
    try bench.send(.hello(session: 1), at: 0)
    _ = bench.packets()
    bench.board.advance(to: 500_000)
    #expect(bench.packets().map(\.ticks) == (1...10).map { UInt32($0 * 50_000) })
  }

  @Test func `frames and sequence numbers go on over their wraps`() throws {
    var bench = BoardFixture()
    bench.sequence = .max - 3
    try bench.begin(at: 0)
    for packet in 0..<40 {
      try bench.drive((packet * 8)..<(packet * 8 + 8), at: UInt64(packet) * 1000)
    }
    bench.board.advance(to: 5000 + 319 * 125)
    #expect(bench.board.status.faults == [])
    #expect(bench.board.plant.driven.suffix(320).map(\.frame) == (0..<320).map(Optional.some))
  }

  @Test(arguments: 0..<100)
  func `whatever comes, the output is off 20 ms after the last valid drive`(
    seed: UInt64
  ) throws {
    var random = SeededRandom(seed: seed)
    var bench = BoardFixture()
    try bench.begin(at: 0, sensor: 4000)
    var tick: UInt64 = 0
    var frame = 0
    for _ in 0..<300 {
      tick += UInt64(random.integer(0...4000))
      switch random.integer(0...12) {
      case 0: try bench.send(.silence, at: tick)
      case 1:
        try bench.send(
          .start(BoardStart(driveRate: 8000, sensorRate: 4000, lead: 0, peak: .max)), at: tick)
        frame = 0
      case 2: try bench.send(.stop, at: tick)
      case 3: bench.board.receive((0..<64).map { _ in UInt8(random.integer(0...255)) }, at: tick)
      case 4: bench.sequence &-= 1
      default:
        let count = random.integer(1...200)
        try bench.drive(frame..<(frame + count), at: tick)
        frame += count
      }
      if random.chance(0.2) { bench.board.advance(to: tick + 20_000) }
      if random.chance(0.2) { _ = bench.board.takeOutbox() }
    }
    bench.board.advance(to: bench.board.now + 20_000)
    #expect(bench.board.output == [0], "\(random)")
  }
}
