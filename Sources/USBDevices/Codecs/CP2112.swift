// SPDX-License-Identifier: Apache-2.0

public import DeviceStreams

/// Silicon Labs CP2112, a USB-SMBus bridge over HID reports; application note AN495.
///
/// Full speed; numbers of two and four bytes have their highest byte first. Reports are padded to 64 bytes on
/// the wire; the command's byte is the report's number.
package enum CP2112Facts {
  package static let reportSize = 64
  package static let dataSize = 61
}

package enum CP2112Command: Sendable, Hashable {
  /// Sets the bus up (a feature report): clock in hertz, time limits in milliseconds, retries.
  case configure(hertz: UInt32, timeout: UInt16, retries: UInt16)
  /// Writes bytes, 61 at most.
  case write(address: UInt8, bytes: [UInt8])
  /// Writes a register's number, 16 bytes at most, and reads so many bytes with a repeated start.
  case writeRead(address: UInt8, target: [UInt8], count: Int)
  case fetch(count: Int)
  case status
  case cancel

  package var code: UInt8 {
    switch self {
    case .configure: 0x06
    case .writeRead: 0x11
    case .fetch: 0x12
    case .write: 0x14
    case .status: 0x15
    case .cancel: 0x17
    }
  }

  /// The bytes of the report, without the padding that its length on the wire needs.
  package func bytes() throws(CodecError) -> [UInt8] {
    switch self {
    case .configure(let hertz, let timeout, let retries):
      guard (10_000...400_000).contains(hertz), timeout <= 1000, retries <= 1000 else {
        throw error(
          "\(hertz) Hz, \(timeout) ms, \(retries) retries: 10 to 400 kHz and 1000 at most")
      }
      // Own address 2 (its default; only acknowledged), no automatic read, SCL-low reset on.
      let speed = (0..<4).map { UInt8(truncatingIfNeeded: hertz >> (24 - 8 * $0)) }
      return [code] + speed + [0x02, 0x00] + Self.big(timeout) + Self.big(timeout) + [0x01]
        + Self.big(retries)
    case .write(let address, let bytes):
      guard (1...CP2112Facts.dataSize).contains(bytes.count), address < 0x80 else {
        throw error("\(bytes.count) bytes to \(address): 1 to 61, 7 bits")
      }
      return [code, address << 1, UInt8(bytes.count)] + bytes
    case .writeRead(let address, let target, let count):
      guard (1...16).contains(target.count), (1...512).contains(count), address < 0x80 else {
        throw error("\(count) bytes of \(target) from \(address): 1 to 512, 1 to 16, 7 bits")
      }
      return [code, address << 1] + Self.big(UInt16(count)) + [UInt8(target.count)] + target
    case .fetch(let count):
      guard (1...512).contains(count) else { throw error("\(count) bytes where 1 to 512 are read") }
      return [code] + Self.big(UInt16(count))
    case .status, .cancel: return [code, 0x01]
    }
  }

  private static func big(_ value: UInt16) -> [UInt8] {
    [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
  }

  private func error(_ problem: String) -> CodecError {
    CodecError(.range, packet: "CP2112 command", offset: 1, problem: problem)
  }
}

/// What a CP2112 answers.
public enum CP2112Report: Sendable, Hashable {
  case data(status: UInt8, [UInt8])
  case status(Status)

  /// A transfer's status: byte 1 of the report, with byte 2 as its detail.
  public enum Status: Sendable, Hashable {
    case idle
    /// It runs: 0 address acknowledged, 1 not yet, 2 reading, 3 writing.
    case busy(UInt8)
    case complete(readCount: UInt16)
    /// It failed: 0 not acknowledged in time, 1 bus not free, 2 arbitration lost, 3 read incomplete, 4
    /// write incomplete.
    case failed(UInt8)
  }

  /// Reads a report; what follows its own bytes is padding; throws `truncated`, `unknown` or `range`.
  public init(_ bytes: [UInt8]) throws(CodecError) {
    var reader = ByteReader(bytes, as: "CP2112 report")
    let code = try reader.u8()
    switch code {
    case 0x13:
      let status = try reader.u8()
      let count = Int(try reader.u8())
      guard count <= CP2112Facts.dataSize else {
        throw reader.error(.range, "\(count) bytes where a report holds 61")
      }
      self = .data(status: status, Array(try reader.take(count)))
    case 0x16:
      let state = try reader.u8()
      let detail = try reader.u8()
      try reader.skip(2)
      let high = UInt16(try reader.u8())
      let count = high << 8 | UInt16(try reader.u8())
      switch state {
      case 0: self = .status(.idle)
      case 1: self = .status(.busy(detail))
      case 2: self = .status(.complete(readCount: count))
      case 3: self = .status(.failed(detail))
      default: throw reader.error(.unknown, "transfer status \(state) where 0 to 3 are known")
      }
    default: throw reader.error(.unknown, "report 0x\(String(code, radix: 16))")
    }
  }
}

/// A CP2112 as an I2C bridge.
///
/// A command has no answer of its own; each is sent together with the question for the status, and asked
/// again while the transfer runs. What was read is fetched in one or more reports.
public struct CP2112Bridge: I2CBridge {
  /// Questions before a transfer counts as stuck.
  package static let pollLimit = 24
  /// The most exchanges of one transaction, the clean-up after a failure included.
  public static let exchangeLimit = pollLimit + 4
  /// The bridge's own limit of a transfer in milliseconds.
  package static let timeout: UInt16 = 10

  package let hertz: UInt32

  private enum Stage: Hashable {
    case rest
    case opening
    case running(I2CTransaction)
    case fetching(count: Int)
    case cancelling(I2CFailure)
  }
  private var stage = Stage.rest
  private var polls = 0
  private var collected: [UInt8] = []

  /// Makes a bridge at a speed, 10 kHz to 400 kHz.
  public init(hertz: UInt32 = 400_000) {
    precondition((10_000...400_000).contains(hertz), "a CP2112 has no bus of \(hertz) Hz")
    self.hertz = hertz
  }

  /// Sets the bridge up, and ends what an earlier session left.
  public mutating func open() -> I2CStep {
    polls = 0
    return ask(
      [.configure(hertz: hertz, timeout: Self.timeout, retries: 1), .cancel, .status], .opening)
  }

  /// Begins a transaction.
  public mutating func begin(_ transaction: I2CTransaction) -> I2CStep {
    transaction.checkForm()
    polls = 0
    collected = []
    return switch transaction {
    case .write(let address, let bytes):
      ask([.write(address: address, bytes: bytes), .status], .running(transaction))
    case .read(let address, let register, let count):
      ask(
        [.writeRead(address: address, target: [register], count: count), .status],
        .running(transaction))
    }
  }

  /// Takes what came in after an exchange.
  public mutating func receive(_ bytes: [UInt8]) -> I2CStep {
    do {
      return take(try CP2112Report(bytes))
    } catch {
      return fail(.garbled(error))
    }
  }

  /// Gives up waiting for an answer, and frees the bus.
  public mutating func abandon() -> I2CStep { fail(.silent) }

  private mutating func take(_ report: CP2112Report) -> I2CStep {
    switch (stage, report) {
    case (.opening, .status(.busy)): return poll([.status])
    case (.opening, .status):
      return end(.finished([]))
    case (.running(let transaction), .status(let status)): return ended(transaction, status)
    case (.fetching(let count), .data(_, let bytes)):
      collected += bytes
      guard collected.count >= count else {
        // An empty report says that the rest is on its way; after a part the next comes by itself.
        return bytes.isEmpty ? poll([.fetch(count: count)]) : poll([])
      }
      return end(.finished(Array(collected.prefix(count))))
    case (.cancelling(let failure), .status):
      return end(.failed(failure))
    default: return poll([])
    }
  }

  private mutating func ended(
    _ transaction: I2CTransaction, _ status: CP2112Report.Status
  ) -> I2CStep {
    switch status {
    case .failed(0): return fail(.noAcknowledge(address: transaction.address))
    case .failed(let detail): return fail(.bus("transfer failure \(detail)"))
    case .busy, .idle: return poll([.status])
    case .complete(let readCount):
      guard case .read(_, _, let count) = transaction else {
        return end(.finished([]))
      }
      guard Int(readCount) == count else {
        return fail(.bus("\(readCount) of \(count) bytes read"))
      }
      return ask([.fetch(count: count)], .fetching(count: count))
    }
  }

  private mutating func poll(_ commands: [CP2112Command]) -> I2CStep {
    polls += 1
    guard polls < Self.pollLimit else { return fail(.busy(polls: polls)) }
    return commands.isEmpty ? .exchange([]) : ask(commands, stage)
  }

  private mutating func fail(_ failure: I2CFailure) -> I2CStep {
    if case .cancelling(let first) = stage {
      return end(.failed(first))
    }
    return ask([.cancel, .status], .cancelling(failure))
  }

  private mutating func ask(_ commands: [CP2112Command], _ stage: Stage) -> I2CStep {
    var transfers: [BridgeTransfer] = []
    for command in commands {
      do {
        let bytes = try command.bytes()
        if case .configure = command {
          transfers.append(.feature(bytes))
        } else {
          transfers.append(
            .report(bytes + Array(repeating: 0, count: CP2112Facts.reportSize - bytes.count)))
        }
      } catch {
        return end(.failed(.garbled(error)))
      }
    }
    self.stage = stage
    return .exchange(transfers)
  }

  private mutating func end(_ step: I2CStep) -> I2CStep {
    stage = .rest
    return step
  }
}
