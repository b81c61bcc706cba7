// SPDX-License-Identifier: Apache-2.0

public import DeviceStreams

package enum DRV2605LStep: Sendable, Hashable {
  case write(DRV2605LRegister, UInt8)
  case read(DRV2605LRegister)
  case wait(Double)
  /// Reads a register until `value & mask == wanted`, each time after a wait.
  case until(DRV2605LRegister, mask: UInt8, wanted: UInt8, every: Double, attempts: Int)
}

/// What a DRV2605L is told, as the steps on its registers.
public enum DRV2605LCommand: Sendable, Hashable {
  /// Out of reset into standby, set up for an LRA in closed loop; reads the status back.
  case initialise(DRV2605LActuator)
  /// Finds the constants of the closed loop; takes up to 1.2 s and drives the actuator.
  case calibrate
  case restore(DRV2605LCalibration)
  /// Closed loop at the actuator's resonance: amplitude register in charge, at zero.
  case startClosedLoop
  /// Open loop at a period of so many steps of 98.46 us: amplitude register in charge, at zero.
  case startOpenLoop(periodCode: UInt8, clampCode: UInt8)
  case amplitude(UInt8)
  /// Reads the period that closed loop follows; while it drives.
  case readResonance
  /// Drives a test and says whether an actuator is there; takes some hundred milliseconds.
  case diagnose
  /// Output off, then everything at rest; the first step alone turns it off.
  case off

  package func steps() throws(CodecError) -> [DRV2605LStep] {
    switch self {
    case .initialise(let actuator):
      try actuator.check()
      return [
        .write(.mode, 0x80),
        .until(.mode, mask: 0x80, wanted: 0, every: 1e-3, attempts: 10),
        .write(.mode, DRV2605LMode.standby.rawValue),
        .write(.realTimePlayback, 0),
        .write(.library, 6),
        .write(.ratedVoltage, UInt8(actuator.ratedVoltageCode)),
        .write(.overdriveClamp, UInt8(actuator.clampCode)),
        .write(.feedback, 0xb6),
        .write(.control1, 0x80 | UInt8(actuator.driveTimeCode)),
        .write(.control2, 0xf5),
        .write(.control3, 0xa0),
        .write(.control4, 0x30),
        .write(.control5, 0x80),
        .read(.status),
      ]
    case .calibrate:
      return [
        .write(.mode, DRV2605LMode.autoCalibration.rawValue), .wait(DRV2605LFacts.wakeTime),
        .write(.go, 1), .until(.go, mask: 1, wanted: 0, every: 20e-3, attempts: 90),
        .read(.status), .read(.calibrationCompensation), .read(.calibrationBackEMF),
        .read(.feedback),
        .write(.mode, DRV2605LMode.standby.rawValue),
      ]
    case .restore(let calibration):
      return [
        .write(.calibrationCompensation, calibration.compensation),
        .write(.calibrationBackEMF, calibration.backEMF),
        .write(.feedback, 0xb4 | calibration.gain & 3),
      ]
    case .startClosedLoop:
      return [
        .write(.realTimePlayback, 0), .write(.control3, 0xa0),
        .write(.mode, DRV2605LMode.realTimePlayback.rawValue), .wait(DRV2605LFacts.wakeTime),
      ]
    case .startOpenLoop(let period, let clamp):
      guard DRV2605LFacts.periodRange.contains(Int(period)), clamp > 0 else {
        throw CodecError(
          .range, packet: "DRV2605L open loop", offset: 0x20,
          problem: "period \(period) and clamp \(clamp): 1 to 127 steps of 98.46 us, 1 to 255")
      }
      return [
        .write(.realTimePlayback, 0), .write(.overdriveClamp, clamp),
        .write(.openLoopPeriod, period), .write(.control3, 0xa1),
        .write(.mode, DRV2605LMode.realTimePlayback.rawValue), .wait(DRV2605LFacts.wakeTime),
      ]
    case .amplitude(let amplitude):
      guard amplitude <= DRV2605LFacts.amplitudeSteps else {
        throw CodecError(
          .range, packet: "DRV2605L amplitude", offset: 0x02,
          problem: "amplitude \(amplitude) where 0 to 127 drive forward")
      }
      return [.write(.realTimePlayback, amplitude)]
    case .readResonance: return [.read(.resonancePeriod), .read(.battery)]
    case .diagnose:
      return [
        .write(.mode, DRV2605LMode.diagnostics.rawValue), .wait(DRV2605LFacts.wakeTime),
        .write(.go, 1), .until(.go, mask: 1, wanted: 0, every: 10e-3, attempts: 100),
        .read(.status), .write(.mode, DRV2605LMode.standby.rawValue),
      ]
    case .off:
      return [
        .write(.mode, DRV2605LMode.standby.rawValue), .write(.realTimePlayback, 0), .write(.go, 0),
      ]
    }
  }
}

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
    case finished(DRV2605LOutcome)
    /// The command failed, and the output was turned off as far as the bridge can be reached.
    case failed(Failure)
  }

  /// Why a command failed and how the output was left.
  public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What happened first.
    public enum Cause: Sendable, Hashable {
      case bus(I2CFailure)
      /// A register that never took the value waited for.
      case stuck(DRV2605LRegister)
      /// A value that no register holds.
      case value(CodecError)
    }
    package var cause: Cause
    /// Whether the write that turns the output off was acknowledged.
    package var outputIsOff: Bool

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
  package static var answerTimeout: Double { 4e-3 }
  /// The most exchanges from a failure to the report of it.
  package static var failureLimit: Int { 4 * Bridge.exchangeLimit }

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
