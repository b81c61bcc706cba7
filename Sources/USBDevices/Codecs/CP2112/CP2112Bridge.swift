/// A CP2112 as an I2C bridge.
///
/// A command has no answer of its own; each is sent together with the question for the status, and asked
/// again while the transfer runs. What was read is fetched in one or more reports.
public struct CP2112Bridge: I2CBridge {
  /// Questions before a transfer counts as stuck.
  public static let pollLimit = 24
  /// The most exchanges of one transaction, the clean-up after a failure included.
  public static let exchangeLimit = pollLimit + 4
  /// The bridge's own limit of a transfer in milliseconds.
  public static let timeout: UInt16 = 10

  /// The bus's clock in hertz.
  public let hertz: UInt32

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
      stage = .rest
      return .finished([])
    case (.running(let transaction), .status(let status)): return ended(transaction, status)
    case (.fetching(let count), .data(_, let bytes)):
      collected += bytes
      guard collected.count >= count else {
        // An empty report says that the rest is on its way; after a part the next comes by itself.
        return bytes.isEmpty ? poll([.fetch(count: count)]) : poll([])
      }
      stage = .rest
      return .finished(Array(collected.prefix(count)))
    case (.cancelling(let failure), .status):
      stage = .rest
      return .failed(failure)
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
        stage = .rest
        return .finished([])
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
      stage = .rest
      return .failed(first)
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
        self.stage = .rest
        return .failed(.garbled(error))
      }
    }
    self.stage = stage
    return .exchange(transfers)
  }
}
