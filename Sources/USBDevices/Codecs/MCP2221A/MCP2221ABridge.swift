/// An MCP2221A as an I2C bridge.
///
/// A write: the command, then the status until the engine is idle. A read: the register without stop, the
/// status until it is written, the read with repeated start, the fetch until all is there. Any failure is
/// followed by a cancel, without which the engine holds the bus.
public struct MCP2221ABridge: I2CBridge {
  /// Questions before the engine counts as stuck: at 1 ms each more than 60 bytes take.
  public static let pollLimit = 12
  /// The most exchanges of one transaction, the clean-up after a failure included.
  public static let exchangeLimit = 2 * pollLimit + 4

  /// The bus's clock in hertz.
  public let hertz: Int

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
      stage = .rest
      return .finished([])
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
      stage = .rest
      return .finished(bytes)
    case (.cancelling(let failure), .status):
      stage = .rest
      return .failed(failure)
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
      stage = .rest
      return .finished([])
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
    case MCP2221AFacts.Engine.startTimeout, MCP2221AFacts.Engine.restartTimeout,
      MCP2221AFacts.Engine.addressTimeout, MCP2221AFacts.Engine.writeTimeout,
      MCP2221AFacts.Engine.readTimeout, MCP2221AFacts.Engine.stopTimeout:
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
      stage = .rest
      return .failed(first)
    }
    return ask(.cancel, .cancelling(failure))
  }

  private mutating func ask(_ command: MCP2221ACommand, _ stage: Stage) -> I2CStep {
    do {
      let bytes = try command.bytes()
      self.stage = stage
      return .exchange([.report(bytes)])
    } catch {
      self.stage = .rest
      return .failed(.garbled(error))
    }
  }
}
