// SPDX-License-Identifier: Apache-2.0

public import DeviceStreams

/// FTDI FT232H as an I2C bridge through its MPSSE; application notes AN_108, AN_135, AN_255.
///
/// High speed: a whole transaction is one bulk transfer, answered within a microframe or two after the bus is
/// done. AD0 is SCL, AD1 is SDA out, AD2 is SDA in; AD1 and AD2 are wired together, and both lines need
/// pull-up resistors, since the pins only pull low.
public enum FT232HFacts {
  /// A bulk IN packet at high speed; each begins with two status bytes.
  public static let packetSize = 512
  /// The clock that the bus is divided from, in hertz.
  package static let clock = 60_000_000

  /// Vendor requests (request type 0x40).
  package enum Request {
    /// Resets; value 0 all, 1 the receive, 2 the transmit buffer.
    package static let reset: UInt8 = 0x00
    package static let latencyTimer: UInt8 = 0x09
    /// Sets the pins' mode: upper byte the mode, 2 for MPSSE, lower byte the outputs.
    package static let bitMode: UInt8 = 0x0b
  }

  enum Pin {
    static let clock: UInt8 = 0x01
    static let data: UInt8 = 0x02
    static let outputs: UInt8 = 0x03
  }
}

/// What the host tells an MPSSE; commands are put one after the other into one bulk transfer.
package enum FT232HCommand: Sendable, Hashable {
  /// A command that is unknown to every MPSSE: it answers 0xfa and the command, which shows where it stands.
  case probe
  /// Clock of 60 MHz instead of 12, three phases (data stable over both edges), no adaptive clock, no loopback,
  /// open drain on the lower three pins, and the bus's clock in hertz.
  case configure(hertz: Int)
  /// Sets SCL and SDA, released or low, and holds them for so many commands (about 0.2 us each).
  case lines(clock: Bool, data: Bool, times: Int)
  /// Clocks a byte out, releases SDA, and reads the acknowledge: one byte comes back, bit 0 low for yes.
  case writeByte(UInt8)
  /// Clocks a byte in and acknowledges it or not: one byte comes back.
  case readByte(acknowledge: Bool)
  case flush

  package func bytes() throws(CodecError) -> [UInt8] {
    switch self {
    case .probe: return [0xaa]
    case .configure(let hertz):
      // Three phases take half as long again: SCL = 60 MHz / ((1 + divisor) * 2) * 2/3 (AN_255).
      guard (1000...1_000_000).contains(hertz) else {
        throw CodecError(
          .range, packet: "FT232H command", offset: 7,
          problem: "\(hertz) Hz where an I2C bus runs at 1 kHz to 1 MHz")
      }
      let divisor = FT232HFacts.clock / 3 / hertz - 1
      return [0x8a, 0x97, 0x8c, 0x85, 0x9e, 0x07, 0x00]
        + [0x86, UInt8(truncatingIfNeeded: divisor), UInt8(truncatingIfNeeded: divisor >> 8)]
    case .lines(let clock, let data, let times):
      guard (1...64).contains(times) else {
        throw CodecError(
          .range, packet: "FT232H command", offset: 0, problem: "\(times) times where 1 to 64 are")
      }
      let levels =
        (clock ? FT232HFacts.Pin.clock : 0) | (data ? FT232HFacts.Pin.data : 0)
      return Array(repeating: [0x80, levels, FT232HFacts.Pin.outputs], count: times).flatMap { $0 }
    case .writeByte(let byte):
      return [
        0x11, 0x00, 0x00, byte, 0x80, FT232HFacts.Pin.data, FT232HFacts.Pin.outputs, 0x22, 0x00,
      ]
    case .readByte(let acknowledge):
      return [0x20, 0x00, 0x00, 0x13, 0x00, acknowledge ? 0x00 : 0xff]
        + [0x80, FT232HFacts.Pin.data, FT232HFacts.Pin.outputs]
    case .flush: return [0x87]
    }
  }

  package var answerCount: Int {
    switch self {
    case .probe: 2
    case .writeByte, .readByte: 1
    case .configure, .lines, .flush: 0
    }
  }

  /// A start, or a repeated one: SDA falls while SCL is high.
  ///
  /// Held for 0.6 us and more, as fast mode needs.
  static let start: [FT232HCommand] = [
    .lines(clock: false, data: true, times: 4), .lines(clock: true, data: true, times: 6),
    .lines(clock: true, data: false, times: 6), .lines(clock: false, data: false, times: 4),
  ]

  static let stop: [FT232HCommand] = [
    .lines(clock: false, data: false, times: 4), .lines(clock: true, data: false, times: 6),
    .lines(clock: true, data: true, times: 6),
  ]
}

/// What comes in from an FT232H: packets that begin with two status bytes, the rest is the MPSSE's.
public struct FT232HReport: Sendable, Hashable {
  package var bytes: [UInt8]
  /// Whether a packet's line status says that bytes were lost (bit 1 of its second byte).
  package var overrun: Bool

  /// Takes a bulk IN transfer apart; throws `truncated` where a packet has less than its two status bytes.
  public init(_ transfer: [UInt8], packetSize: Int = FT232HFacts.packetSize) throws(CodecError) {
    precondition(packetSize > 2, "a packet of \(packetSize) bytes holds nothing")
    bytes = []
    overrun = false
    var place = 0
    while place < transfer.count {
      let end = min(place + packetSize, transfer.count)
      guard end - place >= 2 else {
        throw CodecError(
          .truncated, packet: "FT232H packet", offset: place,
          problem: "a packet of \(end - place) bytes where two of status come first")
      }
      if transfer[place + 1] & 0x02 != 0 { overrun = true }
      bytes += transfer[(place + 2)..<end]
      place = end
    }
  }
}

/// An FT232H as an I2C bridge: one bulk transfer a transaction.
///
/// The whole transaction is sent at once, and goes on after a byte that nobody acknowledged: that does no harm to
/// a device with registers that did not hear its address, and saves a round trip a byte. The answer may come in
/// several transfers, empty ones (status bytes alone) among them.
public struct FT232HBridge: I2CBridge {
  /// Transfers in before an answer counts as missing: the latency timer sends an empty one each millisecond.
  package static let pollLimit = 24
  /// The most exchanges of one transaction, the clean-up after a failure included.
  public static let exchangeLimit = pollLimit + 4

  package let hertz: Int
  package let packetSize: Int

  private enum Stage: Hashable {
    case rest
    case opening
    case running(I2CTransaction)
    case clearing(I2CFailure)
  }
  private var stage = Stage.rest
  private var polls = 0
  private var answer: [UInt8] = []
  private var expectedCount = 0

  /// Makes a bridge at a speed, 1 kHz to 1 MHz.
  public init(hertz: Int = 400_000, packetSize: Int = FT232HFacts.packetSize) {
    precondition((1000...1_000_000).contains(hertz), "an FT232H drives no I2C bus of \(hertz) Hz")
    self.hertz = hertz
    self.packetSize = packetSize
  }

  /// Sets the bridge up, and ends what an earlier session left.
  public mutating func open() -> I2CStep {
    let reset = FT232HFacts.Request.self
    return ask(
      [
        .control(request: reset.reset, value: 0, index: 1),
        .control(request: reset.latencyTimer, value: 1, index: 1),
        .control(request: reset.bitMode, value: 0x0000, index: 1),
        .control(request: reset.bitMode, value: 0x0200, index: 1),
      ], [.configure(hertz: hertz)] + FT232HCommand.stop + [.probe], .opening)
  }

  /// Begins a transaction.
  public mutating func begin(_ transaction: I2CTransaction) -> I2CStep {
    transaction.checkForm()
    var commands = FT232HCommand.start
    switch transaction {
    case .write(let address, let bytes):
      commands.append(.writeByte(address << 1))
      commands += bytes.map { .writeByte($0) }
    case .read(let address, let register, let count):
      commands += [.writeByte(address << 1), .writeByte(register)]
      commands += FT232HCommand.start
      commands.append(.writeByte(address << 1 | 1))
      commands += (1...count).map { .readByte(acknowledge: $0 < count) }
    }
    return ask([], commands + FT232HCommand.stop + [.flush], .running(transaction))
  }

  /// Takes what came in after an exchange.
  public mutating func receive(_ bytes: [UInt8]) -> I2CStep {
    do {
      let report = try FT232HReport(bytes, packetSize: packetSize)
      guard !report.overrun else { return fail(.bus("the bridge lost bytes")) }
      answer += report.bytes
    } catch {
      return fail(.garbled(error))
    }
    guard answer.count >= expectedCount else {
      polls += 1
      guard polls < Self.pollLimit else { return fail(.busy(polls: polls)) }
      return .exchange([])
    }
    switch stage {
    case .opening:
      guard answer.suffix(2) == [0xfa, 0xaa] else {
        return fail(.garbled(wrong("the probe is answered by \(answer.suffix(2).map { $0 })")))
      }
      return end(.finished([]))
    case .running(let transaction): return finish(transaction)
    case .clearing(let failure):
      return end(.failed(failure))
    case .rest: return .failed(.garbled(wrong("an answer to no question")))
    }
  }

  /// Gives up waiting for an answer, and frees the bus.
  public mutating func abandon() -> I2CStep { fail(.silent) }

  private mutating func finish(_ transaction: I2CTransaction) -> I2CStep {
    guard answer.count == expectedCount else {
      return fail(.garbled(wrong("\(answer.count) bytes where \(expectedCount) are asked for")))
    }
    let readCount: Int
    switch transaction {
    case .write: readCount = 0
    case .read(_, _, let count): readCount = count
    }
    let acknowledges = answer.prefix(expectedCount - readCount)
    stage = .rest
    // The transfer ended with a stop: nothing is to be cleared.
    guard acknowledges.allSatisfy({ $0 & 1 == 0 }) else {
      return .failed(.noAcknowledge(address: transaction.address))
    }
    return .finished(Array(answer.suffix(readCount)))
  }

  /// Empties both buffers and frees the bus by a stop; the probe's answer shows that it happened.
  private mutating func fail(_ failure: I2CFailure) -> I2CStep {
    if case .clearing(let first) = stage {
      return end(.failed(first))
    }
    return ask(
      [
        .control(request: FT232HFacts.Request.reset, value: 1, index: 1),
        .control(request: FT232HFacts.Request.reset, value: 2, index: 1),
      ], FT232HCommand.stop + [.probe], .clearing(failure))
  }

  private mutating func ask(
    _ controls: [BridgeTransfer], _ commands: [FT232HCommand], _ stage: Stage
  ) -> I2CStep {
    var bytes: [UInt8] = []
    expectedCount = 0
    for command in commands {
      do {
        bytes += try command.bytes()
      } catch {
        return end(.failed(.garbled(error)))
      }
      expectedCount += command.answerCount
    }
    answer = []
    polls = 0
    self.stage = stage
    return .exchange(controls + [.bulk(bytes)])
  }

  private func wrong(_ problem: String) -> CodecError {
    CodecError(.unknown, packet: "FT232H answer", offset: 0, problem: problem)
  }

  private mutating func end(_ step: I2CStep) -> I2CStep {
    stage = .rest
    return step
  }
}
