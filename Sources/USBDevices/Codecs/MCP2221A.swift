// SPDX-License-Identifier: Apache-2.0

public import DeviceStreams

/// Microchip MCP2221A, a USB-I2C bridge over HID reports; data sheet DS20005565.
///
/// Full speed, one report of 64 bytes each way a millisecond: a write with its status takes 2 to 4 ms.
/// Replies carry no tag, only the command's byte: one exchange at a time.
package enum MCP2221AFacts {
  package static let reportSize = 64
  package static let dataSize = 60
  /// The clock that the bus is divided from, in hertz.
  package static let clock = 12_000_000

  /// What the engine does, in byte 8 of a status and byte 2 of an I2C reply (table 3-2 and the reply's
  /// "internal I2C engine state").
  package enum Engine {
    package static let idle: UInt8 = 0x00
    package static let addressNotAcknowledged: UInt8 = 0x25
    /// All bytes are written and the bus is held for a repeated start.
    package static let writtenWithoutStop: UInt8 = 0x45
    /// A start, a repeated one, an address, a write, a read or a stop took too long.
    package static let timeouts: Set<UInt8> = [0x12, 0x17, 0x23, 0x44, 0x52, 0x62]
  }
}

package enum MCP2221ACommand: Sendable, Hashable {
  case status
  case cancel
  /// Sets the bus's clock in hertz, 47 kHz to 400 kHz.
  case speed(hertz: Int)
  /// Writes bytes, 60 at most; without stop a read with repeated start follows.
  case write(address: UInt8, bytes: [UInt8], stop: Bool)
  /// Reads so many bytes; with a repeated start after a write without stop.
  case read(address: UInt8, count: Int, restart: Bool)
  case fetch

  package var code: UInt8 {
    switch self {
    case .status, .cancel, .speed: 0x10
    case .write(_, _, let stop): stop ? 0x90 : 0x94
    case .read(_, _, let restart): restart ? 0x93 : 0x91
    case .fetch: 0x40
    }
  }

  package func bytes() throws(CodecError) -> [UInt8] {
    var writer = ByteWriter(capacity: MCP2221AFacts.reportSize)
    writer.u8(code)
    switch self {
    case .status, .fetch: break
    case .cancel:
      writer.u8(0)
      writer.u8(0x10)
    case .speed(let hertz):
      // SCL = 12 MHz / (divider + 3).
      let divider = hertz > 0 ? MCP2221AFacts.clock / hertz - 3 : 0
      guard hertz <= 400_000, (1...255).contains(divider) else {
        throw error(.range, at: 4, "\(hertz) Hz where the bus runs at 47 kHz to 400 kHz")
      }
      writer.append([0, 0, 0x20, UInt8(divider)])
    case .write(let address, let bytes, _):
      guard bytes.count <= MCP2221AFacts.dataSize, address < 0x80 else {
        throw error(.range, at: 1, "\(bytes.count) bytes to \(address): 60 at most, 7 bits")
      }
      writer.u16(UInt16(bytes.count))
      writer.u8(address << 1)
      writer.append(bytes)
    case .read(let address, let count, _):
      guard (0...MCP2221AFacts.dataSize).contains(count), address < 0x80 else {
        throw error(.range, at: 1, "\(count) bytes from \(address): 60 at most, 7 bits")
      }
      writer.u16(UInt16(count))
      writer.u8(address << 1 | 1)
    }
    writer.pad(to: MCP2221AFacts.reportSize)
    return writer.bytes
  }

  private func error(_ code: CodecError.Code, at offset: Int, _ problem: String) -> CodecError {
    CodecError(code, packet: "MCP2221A command", offset: offset, problem: problem)
  }
}

/// What an MCP2221A answers.
public enum MCP2221AReport: Sendable, Hashable {
  case status(Status)
  case accepted(code: UInt8, Bool, engine: UInt8)
  /// What was read; `nil` while the engine has nothing to give.
  case data([UInt8]?, engine: UInt8)

  /// The engine in a status.
  public struct Status: Sendable, Hashable {
    /// What the engine does; `MCP2221AFacts.Engine` has names.
    package var engine: UInt8
    package var requestedCount: UInt16
    package var transferredCount: UInt16
    /// What became of a new speed: 0x20 set, 0x21 not, since a transfer runs, 0 not asked.
    package var speed: UInt8
    package var notAcknowledged: Bool
    package var clockIsHigh: Bool
    package var dataIsHigh: Bool
  }

  /// Reads a report of 64 bytes; throws `length`, `unknown`, `range` or `refused`.
  public init(_ bytes: [UInt8]) throws(CodecError) {
    var reader = ByteReader(bytes, as: "MCP2221A report")
    guard bytes.count == MCP2221AFacts.reportSize else {
      throw reader.error(.length, "\(bytes.count) bytes where a report has 64")
    }
    let code = try reader.u8()
    let result = try reader.u8()
    switch code {
    case 0x10:
      guard result == 0 else { throw reader.error(.refused, "result \(result) of a status") }
      self = .status(
        Status(
          engine: bytes[8], requestedCount: UInt16(bytes[9]) | UInt16(bytes[10]) << 8,
          transferredCount: UInt16(bytes[11]) | UInt16(bytes[12]) << 8, speed: bytes[3],
          notAcknowledged: bytes[20] & 0x40 != 0, clockIsHigh: bytes[22] != 0,
          dataIsHigh: bytes[23] != 0))
    case 0x90, 0x91, 0x93, 0x94:
      guard result <= 1 else { throw reader.error(.unknown, "result \(result) where 0 and 1 are") }
      self = .accepted(code: code, result == 0, engine: bytes[2])
    case 0x40:
      let engine = try reader.u8()
      let count = try reader.u8()
      guard result == 0, count != 127 else {
        self = .data(nil, engine: engine)
        return
      }
      guard count <= MCP2221AFacts.dataSize else {
        throw reader.error(.range, "\(count) bytes where a report holds 60")
      }
      self = .data(Array(try reader.take(Int(count))), engine: engine)
    default: throw reader.error(.unknown, "the answer to command 0x\(String(code, radix: 16))")
    }
  }
}

/// An MCP2221A as an I2C bridge.
///
/// A write: the command, then the status until the engine is idle. A read: the register without stop, the
/// status until it is written, the read with repeated start, the fetch until all is there. Any failure is
/// followed by a cancel, without which the engine holds the bus.
public struct MCP2221ABridge: I2CBridge {
  /// Questions before the engine counts as stuck: at 1 ms each more than 60 bytes take.
  package static let pollLimit = 12
  /// The most exchanges of one transaction, the clean-up after a failure included.
  public static let exchangeLimit = 2 * pollLimit + 4

  package let hertz: Int

  private enum Stage: Hashable {
    case rest
    case opening
    case speeding
    case starting(I2CTransaction)
    case writing(I2CTransaction)
    case turning(I2CTransaction)
    case fetching(I2CTransaction)
    case cancelling(I2CFailure)
  }
  private var stage = Stage.rest
  private var polls = 0

  /// Makes a bridge at a speed, 47 kHz to 400 kHz.
  public init(hertz: Int = 400_000) {
    precondition((47_000...400_000).contains(hertz), "an MCP2221A has no bus of \(hertz) Hz")
    self.hertz = hertz
  }

  /// Sets the bridge up, and ends what an earlier session left.
  public mutating func open() -> I2CStep {
    polls = 0
    return ask(.cancel, .opening)
  }

  /// Begins a transaction.
  public mutating func begin(_ transaction: I2CTransaction) -> I2CStep {
    transaction.checkForm()
    polls = 0
    return switch transaction {
    case .write(let address, let bytes):
      ask(.write(address: address, bytes: bytes, stop: true), .starting(transaction))
    case .read(let address, let register, _):
      ask(.write(address: address, bytes: [register], stop: false), .starting(transaction))
    }
  }

  /// Takes what came in after an exchange.
  public mutating func receive(_ bytes: [UInt8]) -> I2CStep {
    do {
      return take(try MCP2221AReport(bytes))
    } catch {
      return fail(.garbled(error))
    }
  }

  /// Gives up waiting for an answer, and frees the bus.
  public mutating func abandon() -> I2CStep { fail(.silent) }

  private mutating func take(_ report: MCP2221AReport) -> I2CStep {
    switch (stage, report) {
    case (.opening, .status): return ask(.speed(hertz: hertz), .speeding)
    case (.speeding, .status(let status)):
      guard status.speed == 0x20 else { return fail(.bus("the speed is not taken")) }
      return end(.finished([]))
    case (.starting(let transaction), .accepted(_, let accepted, let engine)):
      guard accepted else {
        return fail(failure(engine, transaction) ?? .bus("the engine is busy"))
      }
      return ask(.status, .writing(transaction))
    case (.writing(let transaction), .status(let status)):
      return written(transaction, status)
    case (.turning(let transaction), .accepted(_, let accepted, let engine)):
      guard accepted else {
        return fail(failure(engine, transaction) ?? .bus("the engine is busy"))
      }
      return ask(.fetch, .fetching(transaction))
    case (.fetching(let transaction), .data(let bytes, let engine)):
      guard case .read(_, _, let count) = transaction, let bytes, bytes.count == count else {
        if let failure = failure(engine, transaction) { return fail(failure) }
        return poll(.fetch, stage)
      }
      return end(.finished(bytes))
    case (.cancelling(let failure), .status):
      return end(.failed(failure))
    default: return poll(nil, stage)
    }
  }

  private mutating func written(
    _ transaction: I2CTransaction, _ status: MCP2221AReport.Status
  ) -> I2CStep {
    if let failure = failure(status.engine, transaction) { return fail(failure) }
    if status.notAcknowledged { return fail(.noAcknowledge(address: transaction.address)) }
    switch transaction {
    case .write where status.engine == MCP2221AFacts.Engine.idle:
      return end(.finished([]))
    case .read(let address, _, let count)
    where status.engine == MCP2221AFacts.Engine.writtenWithoutStop:
      return ask(.read(address: address, count: count, restart: true), .turning(transaction))
    default: return poll(.status, stage)
    }
  }

  private func failure(_ engine: UInt8, _ transaction: I2CTransaction) -> I2CFailure? {
    switch engine {
    case MCP2221AFacts.Engine.addressNotAcknowledged:
      .noAcknowledge(address: transaction.address)
    case _ where MCP2221AFacts.Engine.timeouts.contains(engine):
      .bus("engine state 0x\(String(engine, radix: 16))")
    default: nil
    }
  }

  /// Asks again; without a command only waits, as after the late answer to an earlier question.
  private mutating func poll(_ command: MCP2221ACommand?, _ stage: Stage) -> I2CStep {
    polls += 1
    guard polls < 2 * Self.pollLimit else { return fail(.busy(polls: polls)) }
    return command.map { ask($0, stage) } ?? .exchange([])
  }

  /// One cancel, whose answer matters no more; a bridge that does not answer that either is left alone.
  private mutating func fail(_ failure: I2CFailure) -> I2CStep {
    if case .cancelling(let first) = stage {
      return end(.failed(first))
    }
    return ask(.cancel, .cancelling(failure))
  }

  private mutating func ask(_ command: MCP2221ACommand, _ stage: Stage) -> I2CStep {
    do {
      let bytes = try command.bytes()
      self.stage = stage
      return .exchange([.report(bytes)])
    } catch {
      return end(.failed(.garbled(error)))
    }
  }

  private mutating func end(_ step: I2CStep) -> I2CStep {
    stage = .rest
    return step
  }
}
