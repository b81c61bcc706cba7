import DeviceStreams

/// An FT232H as an I2C bridge: one bulk transfer a transaction.
///
/// The whole transaction is sent at once, and goes on after a byte that nobody acknowledged: that does no harm to
/// a device with registers that did not hear its address, and saves a round trip a byte. The answer may come in
/// several transfers, empty ones (status bytes alone) among them.
public struct FT232HBridge: I2CBridge {
  /// Transfers in before an answer counts as missing: the latency timer sends an empty one each millisecond.
  public static let pollLimit = 24
  /// The most exchanges of one transaction, the clean-up after a failure included.
  public static let exchangeLimit = pollLimit + 4

  /// The bus's clock in hertz.
  public let hertz: Int
  /// The bulk IN endpoint's packet size.
  public let packetSize: Int

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
      stage = .rest
      return .finished([])
    case .running(let transaction): return finish(transaction)
    case .clearing(let failure):
      stage = .rest
      return .failed(failure)
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
      stage = .rest
      return .failed(first)
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
        self.stage = .rest
        return .failed(.garbled(error))
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
}
