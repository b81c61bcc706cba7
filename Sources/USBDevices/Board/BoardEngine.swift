// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import Synchronization
import USBTransport
import Units

/// Moves frames between queues and a board, and keeps the board fed: one take after another.
///
/// Noncopyable, for one thread. `step` does what can be done and waits for the bus at most as long as it
/// is told; whatever goes wrong is thrown, and `shutOff` then brings the output to zero.
struct BoardEngine: TakeEngine, ~Copyable {
  /// From a start to frame 0, in seconds: time to hear where frame 0 is and to send what comes first.
  static let lead = 0.015
  /// The same of a board that only feels: nothing has to come first.
  static let sensorLead = 0.001
  /// A packet with a frame in it goes at least so often, in seconds: half the board's watchdog.
  static let keepAlive = 0.008
  /// The board is asked for its clock so often, in nanoseconds.
  static let clockInterval: UInt64 = 100_000_000

  var link: BoardLink
  let identity: BoardIdentity
  let setup: BoardSetup
  let shared: TakeShared
  var drive: DriveReader
  var capture: CaptureWriter
  var block: [Float] = []

  var clock: BoardClock
  var isRunning = false
  var status = BoardStatus()
  var nextFrame = 0
  /// The samples of the frame before it.
  var lastSamples: [Int32]
  var lastDrive: UInt64 = 0
  /// Frames of the ports' rate, where the sensors run at another.
  var grid: HoledGrid?
  var sensed = 0
  var captured = 0
  var frameCounter = CounterUnwrapper(bits: 32)
  var underruns = 0
  /// The board's clock against the host's: one model for all takes of an opening.
  private(set) var clockModel: DeviceClockModel
  /// The latest question for the board's clock, and when it was asked.
  private var question: (token: UInt64, asked: UInt64) = (0, 0)

  /// Frames of one packet at the most, and at the least while there is enough.
  let packetFrames: Int
  let leastFrames: Int
  let aheadFrames: Int

  /// Greets an open board and waits until it says who it is.
  ///
  /// `setup` is made when the identity is known.
  init(
    _ device: consuming USBDeviceHandle, transfers: Int, timeout: Double, shared: TakeShared,
    drive: consuming DriveReader, capture: consuming CaptureWriter,
    makeSetup: (BoardIdentity) throws(DeviceError) -> BoardSetup
  ) throws(DeviceError) {
    var link = try BoardLink(device, transfers: transfers)
    let identity = try Self.greet(&link, timeout: timeout)
    let setup = try makeSetup(identity)
    let width = max(1, identity.driveChannelCount)
    let capacity = BoardFrames.capacity(channelCount: width, format: .s16)
    let rate = setup.rate.hertz
    packetFrames = max(1, min(capacity, Int(identity.bufferFrames) / 4))
    leastFrames = max(1, min(packetFrames, Int(rate / 500)))
    aheadFrames = max(leastFrames, Int(identity.bufferFrames) * 3 / 4)
    clock = BoardClock(tickRate: identity.tickRate)
    clockModel = DeviceClockModel(tickRate: Double(identity.tickRate))
    lastSamples = Array(repeating: 0, count: width)
    self.link = link
    self.identity = identity
    self.setup = setup
    self.shared = shared
    self.drive = drive
    self.capture = capture
  }

  private static func greet(
    _ link: inout BoardLink, timeout: Double
  ) throws(DeviceError) -> BoardIdentity {
    let session = UInt32(truncatingIfNeeded: link.now / 1000) | 1
    let end = link.now + UInt64(timeout * 1e9)
    _ = try link.greet(session: session)
    while link.now < end {
      for arrival in try link.serve(microseconds: 10_000) {
        if case .identity(let identity) = arrival.report, identity.session == session {
          return identity
        }
      }
    }
    throw link.device.error(
      .stalled,
      "did not answer a hello within \(timeout) s: plug it "
        + "in again, check its firmware against docs/PROTOCOL-BOARD.md")
  }

  mutating func begin() throws(DeviceError) {
    (nextFrame, sensed, captured, underruns) = (0, 0, 0, 0)
    capture.reset()
    grid =
      setup.isResampled
      ? HoledGrid(
        sampleRate: Double(setup.sensorRate), frameRate: setup.rate.hertz,
        channelCount: setup.inputs.count) : nil
    frameCounter = CounterUnwrapper(bits: 32)
    clock.stop()
    let start = BoardStart(
      driveRate: setup.drives ? UInt32(setup.rate.hertz) : 0, sensorRate: setup.sensorRate,
      lead: UInt32((setup.drives ? Self.lead : Self.sensorLead) * Double(identity.tickRate)),
      peak: setup.peak)
    // A board that still runs, or was silenced by a fault, is brought to rest first.
    try send(.stop)
    try send(.start(start))
    let end = link.now + UInt64(setup.timeout * 1e9)
    while clock.startTick == nil {
      guard link.now < end else { throw silent("a start") }
      for arrival in try link.serve(microseconds: 1000) { try take(arrival) }
    }
    isRunning = true
    lastDrive = link.now
  }

  mutating func step(microseconds: Int) throws(DeviceError) {
    if shared.isSilenced.load(ordering: .acquiring) || shared.stop.flag.isSet { try hush() }
    try fill()
    try askForClock()
    for arrival in try link.serve(microseconds: microseconds) { try take(arrival) }
    if let frame = clock.frame(at: link.now, rate: Int(setup.rate.hertz)) {
      shared.played.store(max(0, frame), ordering: .releasing)
      // Sensors of the board tell the clock better: by what they sensed.
      if !setup.senses, frame >= 0 { shared.clock.store(frame: frame, nanoseconds: link.now) }
    }
    if link.now > link.lastTraffic + UInt64(setup.timeout * 1e9) {
      throw silent("anything")
    }
  }

  mutating func end() throws(DeviceError) {
    guard isRunning else { return }
    isRunning = false
    clock.stop()
    guard link.sendAtOnce(.stop, microseconds: 8000) else {
      throw DeviceError(
        .stalled, device: setup.rig,
        message: "the board did not take a stop; its watchdog ends the drive within 20 ms")
    }
    link.rest()
    drainDrive()
  }

  /// Brings the output to zero after a fault, as far as the device can be reached.
  ///
  /// True where the board took the request; where not, its watchdog does it 20 ms after the last packet.
  mutating func shutOff() -> Bool {
    isRunning = false
    clock.stop()
    let isOff = link.sendAtOnce(.silence, microseconds: 8000)
    if isOff { _ = link.sendAtOnce(.stop, microseconds: 8000) }
    link.rest()
    drainDrive()
    return isOff
  }

  private mutating func send(_ command: BoardCommand) throws(DeviceError) {
    let end = link.now + UInt64(setup.timeout * 1e9)
    while try !link.send(command) {
      guard link.now < end else { throw silent("packets") }
      for arrival in try link.serve(microseconds: 1000) { try take(arrival) }
    }
  }

  private mutating func askForClock() throws(DeviceError) {
    let now = link.now
    guard isRunning, link.room > 1, now >= question.asked + Self.clockInterval else { return }
    if try link.send(.clock(token: question.token + 1)) {
      question = (question.token + 1, now)
    }
  }

  /// Takes the answer to the latest question; an older one says nothing any more.
  mutating func take(clock token: UInt64, received: UInt32, _ arrival: BoardLink.Arrival) {
    let came = clock.unwrap(received)
    let went = clock.unwrap(arrival.ticks)
    guard token == question.token else { return }
    clockModel.note(
      .exchange(
        submitted: Double(question.asked) * 1e-9, completed: Double(arrival.nanoseconds) * 1e-9,
        received: came, sent: went, tickRate: Double(identity.tickRate)))
  }

  private mutating func hush() throws(DeviceError) {
    guard !shared.isHushed.load(ordering: .relaxed) else { return }
    guard link.sendAtOnce(.silence, microseconds: 8000) else {
      throw DeviceError(
        .stalled, device: setup.rig,
        message: "the board did not take a silence; its watchdog ends the drive within 20 ms")
    }
    shared.isHushed.store(true, ordering: .releasing)
  }

  mutating func drainDrive() { drive.clear() }

  var rig: String { setup.rig }

  var drives: Bool { setup.drives }

  var latency: (output: JitterHistogram, input: JitterHistogram) { link.latency }

  var polling: USBPolling { link.device.polling(of: nil) }

  var clockRate: StreamStatistics.ClockRate? { clockModel.rate }

  var statement: StreamStatistics.Statement? {
    let isKnown = identity.fullScaleMicrovolts > 0
    return StreamStatistics.Statement(
      device: identity.serial.isEmpty ? link.device.record.identity : identity.serial,
      fullScaleVolts: drives
        ? (isKnown ? identity.fullScaleVolts : setup.fullScaleVolts) : nil,
      knowsFullScale: isKnown,
      driveDelay: drives ? Double(identity.driveDelay) * 1e-9 : nil,
      sensorDelay: setup.senses ? Double(identity.sensorDelay) * 1e-9 : nil,
      sensorRate: setup.senses ? Double(setup.sensorRate) : nil)
  }

  func silent(_ what: String) -> DeviceError {
    link.device.error(
      .stalled,
      "did not answer \(what) for \(setup.timeout) s: plug "
        + "it in again, or allow more time with 'timeout'")
  }
}
