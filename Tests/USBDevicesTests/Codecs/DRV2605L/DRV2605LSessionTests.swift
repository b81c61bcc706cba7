// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import SeededRandom
import Testing

@testable import USBDevices

/// A session, a bridge's model and a clock: what a transport would do, without one.
struct SessionFixture<Bridge: I2CBridge, Model: ModelBridge> {
  var session: DRV2605LSession<Bridge>
  var model = Model()
  var exchanges = 0
  var seconds = 0.0
  /// What becomes of a packet on its way in: nothing is a time-out.
  var onWay: ((Int, [UInt8]) -> [UInt8]?)?
  private var waiting: [[UInt8]] = []

  init(_ bridge: Bridge, _ model: Model.Type) { session = DRV2605LSession(bridge) }

  mutating func open() -> DRV2605LSession<Bridge>.Action { finish(session.open()) }

  mutating func run(_ command: DRV2605LCommand) -> DRV2605LSession<Bridge>.Action {
    finish(session.begin(command))
  }

  private mutating func finish(
    _ first: DRV2605LSession<Bridge>.Action
  ) -> DRV2605LSession<Bridge>.Action {
    waiting = []
    var action = first
    while true {
      switch action {
      case .exchange(let transfers):
        exchanges += 1
        guard exchanges < 100_000 else { return action }
        waiting += model.take(transfers)
        let packet = waiting.isEmpty ? nil : waiting.removeFirst()
        let arrived = packet.flatMap { packet in onWay.map { $0(exchanges, packet) } ?? packet }
        seconds += arrived == nil ? DRV2605LSession<Bridge>.answerTimeout : 1e-3
        action = arrived.map { session.receive($0) } ?? session.timeOut()
      case .wait(let time):
        seconds += time
        action = session.resume()
      case .finished, .failed: return action
      }
    }
  }
}

/// The same over each bridge: what the chip gets does not depend on the way there.
struct DRV2605LSessionTests {
  private static let actuator = DRV2605LActuator(
    resonance: 175, ratedVoltage: 2, peakVoltage: 2.8)

  private static func overEach(
    _ body: (inout any SessionRunner, String) throws -> Void
  ) throws {
    var runners: [(any SessionRunner, String)] = [
      (SessionFixture(MCP2221ABridge(), ModelMCP2221A.self), "MCP2221A"),
      (SessionFixture(CP2112Bridge(), ModelCP2112.self), "CP2112"),
      (SessionFixture(FT232HBridge(), ModelFT232H.self), "FT232H"),
    ]
    for index in runners.indices { try body(&runners[index].0, runners[index].1) }
  }

  @Test func `initialising writes the registers of the data sheet's procedure`() throws {
    try Self.overEach { runner, name in
      #expect(runner.open() == .finished(DRV2605LOutcome()), "\(name)")
      let result = runner.run(.initialise(Self.actuator))
      guard case .finished(let outcome) = result else {
        Issue.record("\(name): \(result)")
        return
      }
      let status = try outcome.status()
      #expect(status?.diagnosisFailed == false, "\(name)")
      // 2 V rms at 175 Hz: 2 * sqrt(1 - 1500e-6 * 175) / 20.58e-3 = 83.4; 2.8 V / 21.22e-3 = 131.9;
      // half a period of 2.857 ms is code 24.
      #expect(
        runner.chip.writes == [
          [0x01, 0x80], [0x01, 0x40], [0x02, 0], [0x03, 6], [0x16, 83], [0x17, 131], [0x1a, 0xb6],
          [0x1b, 0x80 | 24], [0x1c, 0xf5], [0x1d, 0xa0], [0x1e, 0x30], [0x1f, 0x80],
        ], "\(name)")
      #expect(!runner.chip.isDriving, "\(name)")
    }
  }

  @Test func `a calibration gives the constants, and restoring them writes them`() throws {
    try Self.overEach { runner, name in
      _ = runner.open()
      _ = runner.run(.initialise(Self.actuator))
      guard case .finished(let outcome) = runner.run(.calibrate) else {
        Issue.record("\(name)")
        return
      }
      let calibration = try #require(try outcome.calibration())
      #expect(calibration == DRV2605LCalibration(compensation: 0x0d, backEMF: 0x80, gain: 2))
      // 128 / 255 * 1.22 V / 15
      #expect(abs(calibration.backEMFVolts - 0.04083) < 1e-5)
      runner.chip = ModelDRV2605L()
      _ = runner.run(.restore(calibration))
      #expect(runner.chip[.calibrationCompensation] == 0x0d, "\(name)")
      #expect(runner.chip[.calibrationBackEMF] == 0x80, "\(name)")
      #expect(runner.chip[.feedback] == 0xb6, "\(name)")
    }
  }

  @Test func `a calibration that does not converge is refused with what to check`() throws {
    try Self.overEach { runner, name in
      _ = runner.open()
      runner.chip.fails = true
      guard case .finished(let outcome) = runner.run(.calibrate) else {
        Issue.record("\(name)")
        return
      }
      let error = #expect(throws: CodecError.self) { try outcome.calibration() }
      #expect(error?.code == .refused)
      #expect(runner.chip[.mode] == 0x40)
    }
  }

  @Test func `a calibration that never ends is given up with the output off`() throws {
    try Self.overEach { runner, name in
      _ = runner.open()
      runner.chip.busyReads = .max
      let result = runner.run(.calibrate)
      #expect(result == .failed(cause: .stuck(.go), outputIsOff: true), "\(name): \(result)")
      #expect(!runner.chip.isDriving, "\(name)")
      #expect(runner.seconds < 3, "\(name)")
    }
  }

  @Test func `closed loop drives an amplitude and tells the resonance`() throws {
    try Self.overEach { runner, name in
      _ = runner.open()
      _ = runner.run(.initialise(Self.actuator))
      _ = runner.run(.startClosedLoop)
      #expect(!runner.chip.isDriving, "\(name)")
      _ = runner.run(.amplitude(100))
      #expect(runner.chip.isDriving && runner.chip[.control3] == 0xa0, "\(name)")
      guard case .finished(let outcome) = runner.run(.readResonance) else {
        Issue.record("\(name)")
        return
      }
      // 58 * 98.46 us
      #expect(abs((outcome.resonance ?? 0) - 175.11) < 0.01, "\(name)")
      #expect(abs((outcome.battery ?? 0) - 3.294) < 0.001, "\(name)")
      _ = runner.run(.off)
      #expect(!runner.chip.isDriving && runner.chip[.realTimePlayback] == 0, "\(name)")
    }
  }

  @Test func `open loop sets the period before the output is on`() throws {
    try Self.overEach { runner, name in
      _ = runner.open()
      _ = runner.run(.startOpenLoop(periodCode: 51, clampCode: 90))
      #expect(
        runner.chip.writes == [[0x02, 0], [0x17, 90], [0x20, 51], [0x1d, 0xa1], [0x01, 5]],
        "\(name)")
    }
  }

  @Test func `a diagnosis says whether an actuator is there`() throws {
    try Self.overEach { runner, name in
      _ = runner.open()
      runner.chip.fails = true
      guard case .finished(let outcome) = runner.run(.diagnose) else {
        Issue.record("\(name)")
        return
      }
      let status = try outcome.status()
      #expect(status?.diagnosisFailed == true, "\(name)")
    }
  }

  @Test func `a chip without supply is told as such`() throws {
    try Self.overEach { runner, name in
      _ = runner.open()
      runner.chip.isAbsent = true
      #expect(
        runner.run(.amplitude(3))
          == .failed(cause: .bus(.noAcknowledge(address: 0x5a)), outputIsOff: false), "\(name)")
      runner.chip.isAbsent = false
      #expect(runner.run(.amplitude(3)) == .finished(DRV2605LOutcome()), "\(name)")
    }
  }

  @Test func `an amplitude above the range is refused and turns the output off`() throws {
    try Self.overEach { runner, name in
      _ = runner.open()
      _ = runner.run(.startClosedLoop)
      _ = runner.run(.amplitude(127))
      guard case .failed(.value(let error), outputIsOff: true) = runner.run(.amplitude(128)) else {
        Issue.record("\(name)")
        return
      }
      #expect(error.code == .range)
      #expect(!runner.chip.isDriving, "\(name)")
    }
  }

  @Test func `one lost answer turns the output off within 20 ms`() throws {
    for lost in 1...12 {
      try Self.overEach { runner, name in
        _ = runner.open()
        _ = runner.run(.startClosedLoop)
        _ = runner.run(.amplitude(127))
        let first = runner.exchanges + lost
        let began = runner.seconds
        runner.onWay = { exchange, packet in exchange == first ? nil : packet }
        while true {
          if case .failed(let cause, let outputIsOff) = runner.run(.amplitude(90)) {
            #expect(cause == .bus(.silent) && outputIsOff, "\(name), exchange \(lost)")
            break
          }
        }
        // The commands before the loss took their time too.
        let spent = runner.seconds - began - Double(lost - 1) * 1e-3
        #expect(!runner.chip.isDriving, "\(name), exchange \(lost)")
        #expect(spent < 0.020, "\(name), exchange \(lost): \(spent) s")
      }
    }
  }

  @Test func `a bridge that stops answering costs a bounded number of exchanges`() throws {
    try Self.overEach { runner, name in
      _ = runner.open()
      _ = runner.run(.startClosedLoop)
      let before = runner.exchanges
      runner.onWay = { _, _ in nil }
      #expect(
        runner.run(.amplitude(9)) == .failed(cause: .bus(.silent), outputIsOff: false), "\(name)")
      #expect(runner.exchanges - before <= 4, "\(name): \(runner.exchanges - before)")
    }
  }

  @Test(arguments: 0..<60) func `whatever a bridge answers, a command ends`(seed: UInt64) throws {
    try Self.overEach { runner, name in
      var random = SeededRandom(seed: seed)
      let codes: [UInt8] = [0x10, 0x90, 0x94, 0x93, 0x40, 0x13, 0x16, 0x32]
      _ = runner.open()
      runner.onWay = { _, packet in
        switch random.integer(0...4) {
        case 0: return nil
        case 1: return packet
        case 2:
          var wrong = packet
          wrong[random.integer(0...(packet.count - 1))] = UInt8(random.integer(0...255))
          return wrong
        case 3: return Array(packet.prefix(random.integer(0...packet.count)))
        default:
          return [codes.randomElement(using: &random) ?? 0]
            + (0..<63).map { _ in UInt8(random.integer(0...3)) }
        }
      }
      for command in [DRV2605LCommand.startClosedLoop, .amplitude(4), .readResonance, .calibrate] {
        let before = runner.exchanges
        _ = runner.run(command)
        #expect(runner.exchanges - before < 8000, "\(name), \(random), \(command)")
      }
    }
  }
}

/// A session over some bridge, so that one test serves three.
protocol SessionRunner {
  var chip: ModelDRV2605L { get set }
  var exchanges: Int { get }
  var seconds: Double { get }
  var onWay: ((Int, [UInt8]) -> [UInt8]?)? { get set }
  mutating func open() -> SessionResult
  mutating func run(_ command: DRV2605LCommand) -> SessionResult
}

/// How a command ended, without the bridge's type.
enum SessionResult: Equatable {
  enum Cause: Equatable {
    case bus(I2CFailure)
    case stuck(DRV2605LRegister)
    case value(CodecError)
  }
  case finished(DRV2605LOutcome)
  case failed(cause: Cause, outputIsOff: Bool)
  case endless
}

extension SessionFixture: SessionRunner {
  var chip: ModelDRV2605L {
    get { model.chip }
    set { model.chip = newValue }
  }

  mutating func open() -> SessionResult {
    let action: DRV2605LSession<Bridge>.Action = open()
    return result(action)
  }

  mutating func run(_ command: DRV2605LCommand) -> SessionResult {
    let action: DRV2605LSession<Bridge>.Action = run(command)
    return result(action)
  }

  private func result(_ action: DRV2605LSession<Bridge>.Action) -> SessionResult {
    switch action {
    case .finished(let outcome): .finished(outcome)
    case .failed(let failure):
      switch failure.cause {
      case .bus(let bus): .failed(cause: .bus(bus), outputIsOff: failure.outputIsOff)
      case .stuck(let register):
        .failed(cause: .stuck(register), outputIsOff: failure.outputIsOff)
      case .value(let error): .failed(cause: .value(error), outputIsOff: failure.outputIsOff)
      }
    case .exchange, .wait: .endless
    }
  }
}
