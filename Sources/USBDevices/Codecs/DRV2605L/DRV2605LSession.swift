import DeviceStreams

/// A DRV2605L behind any bridge as a state machine: no I/O, no clock, a bounded number of exchanges.
///
/// The caller sends what an action asks for and says what became of it. Whatever goes wrong, the session
/// first gives the bridge up, then turns the output off (one register write), and only then reports the
/// failure, with what is known of the output.
public struct DRV2605LSession<Bridge: I2CBridge>: Sendable {
  /// What is to be done next.
  public enum Action: Sendable, Hashable {
    /// Send these, wait `answerTimeout` for a packet, give it to `receive`, or call `timeOut`.
    case exchange([BridgeTransfer])
    /// Let so many seconds pass, then call `resume`.
    case wait(Double)
    /// The command is done.
    case finished(DRV2605LOutcome)
    /// The command failed, and the output was turned off as far as the bridge can be reached.
    case failed(Failure)
  }

  /// Why a command failed and how the output was left.
  public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What happened first.
    public enum Cause: Sendable, Hashable {
      /// The bridge or the bus.
      case bus(I2CFailure)
      /// A register that never took the value waited for.
      case stuck(DRV2605LRegister)
      /// A value that no register holds.
      case value(CodecError)
    }
    /// What happened first.
    public var cause: Cause
    /// Whether the write that turns the output off was acknowledged.
    public var outputIsOff: Bool

    /// Makes a failure.
    public init(cause: Cause, outputIsOff: Bool) {
      self.cause = cause
      self.outputIsOff = outputIsOff
    }

    /// One sentence, with a warning where the output may be on.
    public var description: String {
      let reason =
        switch cause {
        case .bus(let failure): "\(failure)"
        case .stuck(let register): "DRV2605L register \(register) does not reach its value"
        case .value(let error): "\(error)"
        }
      return outputIsOff
        ? reason : reason + "; the output may still be driven: take its supply away"
    }
  }

  /// Seconds that an answer may take.
  public static var answerTimeout: Double { 4e-3 }
  /// The most exchanges from a failure to the report of it.
  public static var failureLimit: Int { 4 * Bridge.exchangeLimit }

  private var bridge: Bridge
  private var steps: ArraySlice<DRV2605LStep> = []
  private var outcome = DRV2605LOutcome()
  private var attempts = 0
  private var opened = false
  /// Set while the output is being turned off after a failure.
  private var cause: Failure.Cause?
  private var offAcknowledged = false
  private var exchanges = 0

  /// Makes a session; `open` comes first.
  public init(_ bridge: Bridge) { self.bridge = bridge }

  /// Sets the bridge up.
  public mutating func open() -> Action {
    reset(steps: [])
    opened = false
    return take(bridge.open())
  }

  /// Begins a command; the one before has to be over.
  public mutating func begin(_ command: DRV2605LCommand) -> Action {
    do {
      reset(steps: try command.steps()[...])
    } catch {
      reset(steps: [])
      return fail(.value(error))
    }
    return next()
  }

  /// Takes what came in after an exchange.
  public mutating func receive(_ bytes: [UInt8]) -> Action { take(bridge.receive(bytes)) }

  /// Nothing came in after an exchange.
  public mutating func timeOut() -> Action { take(bridge.abandon()) }

  /// The wait is over.
  public mutating func resume() -> Action { next() }

  private mutating func reset(steps: ArraySlice<DRV2605LStep>) {
    self.steps = steps
    outcome = DRV2605LOutcome()
    attempts = 0
    cause = nil
    offAcknowledged = false
    exchanges = 0
  }

  private mutating func next() -> Action {
    guard let step = steps.first else { return end() }
    let address = DRV2605LFacts.address
    switch step {
    case .wait(let seconds):
      steps.removeFirst()
      return .wait(seconds)
    case .write(let register, let value):
      return take(bridge.begin(.write(address: address, bytes: [register.rawValue, value])))
    case .read(let register), .until(let register, _, _, _, _):
      return take(bridge.begin(.read(address: address, register: register.rawValue, count: 1)))
    }
  }

  private mutating func end() -> Action {
    guard let cause else { return .finished(outcome) }
    return .failed(Failure(cause: cause, outputIsOff: offAcknowledged))
  }

  private mutating func take(_ step: I2CStep) -> Action {
    switch step {
    case .exchange(let transfers):
      if cause != nil {
        exchanges += 1
        // A bridge that keeps its own limits never gets here.
        guard exchanges <= Self.failureLimit else {
          steps = []
          return end()
        }
      }
      return .exchange(transfers)
    case .failed(let failure): return fail(.bus(failure))
    case .finished(let bytes):
      guard opened else {
        opened = true
        return .finished(outcome)
      }
      return finished(bytes)
    }
  }

  private mutating func finished(_ bytes: [UInt8]) -> Action {
    guard let step = steps.first else { return end() }
    switch step {
    case .write:
      if cause != nil { offAcknowledged = true }
      steps.removeFirst()
    case .read(let register):
      outcome.registers[register] = bytes.first
      steps.removeFirst()
    case .until(let register, let mask, let wanted, let every, let limit):
      outcome.registers[register] = bytes.first
      attempts += 1
      guard let value = bytes.first, value & mask == wanted else {
        return attempts < limit ? .wait(every) : fail(.stuck(register))
      }
      attempts = 0
      steps.removeFirst()
    case .wait: break
    }
    return next()
  }

  /// After the first failure the output is turned off; a failure of that is the end.
  private mutating func fail(_ cause: Failure.Cause) -> Action {
    guard self.cause == nil else {
      steps = []
      return end()
    }
    self.cause = cause
    guard opened, let off = try? DRV2605LCommand.off.steps() else {
      steps = []
      return end()
    }
    steps = off[...]
    return next()
  }
}
