// SPDX-License-Identifier: Apache-2.0

import Actuators
import DeviceStreams
import Devices
import USBTransport

/// A DRV2605L behind a USB-I2C bridge, as a device that takes tones: real-time playback.
///
/// The chip holds its last amplitude as long as it has a supply, whatever becomes of the host. So every way out
/// of here ends with the write that turns its output off, where the bridge can be reached.
struct BridgedDRV2605L<Bridge: USBBridge>: ToneDevice, ~Copyable {
  private typealias Session = DRV2605LSession<Bridge>

  let settings: DRV2605LSettings
  private var link: BridgeLink
  private var session: DRV2605LSession<Bridge>
  /// Whether the output may be on: set before it is turned on, cleared when the chip acknowledged off.
  private(set) var mayDrive = false

  /// Opens a chip behind an open bridge and sets it up; its output is off.
  ///
  /// With `calibration: auto` the chip drives the actuator for about a second.
  static func open(
    _ device: consuming USBDeviceHandle, settings: DRV2605LSettings
  ) throws(DeviceError) -> BridgedDRV2605L {
    var chip = BridgedDRV2605L(try BridgeLink(device, Bridge.self), settings: settings)
    try chip.setUp()
    return chip
  }

  private init(_ link: consuming BridgeLink, settings: DRV2605LSettings) {
    session = DRV2605LSession(Bridge.make(input: link.inputEndpoint))
    self.settings = settings
    self.link = link
  }

  var now: UInt64 { link.now }

  var latency: (output: JitterHistogram, input: JitterHistogram) { link.latency }

  var polling: USBPolling { link.device.polling(of: link.inputEndpoint) }

  mutating func begin() throws(DeviceError) {
    mayDrive = true
    if let openLoop = settings.openLoop {
      _ = try run(.startOpenLoop(periodCode: openLoop.period, clampCode: openLoop.clamp))
    } else {
      _ = try run(.startClosedLoop)
    }
  }

  /// Sets the amplitude: the frequency is the chip's own, the resonance or the one of open loop.
  mutating func play(_ tone: DriveTone) throws(DeviceError) {
    _ = try run(.amplitude(settings.amplitude(tone.amplitude)))
  }

  mutating func rest(microseconds: Int) throws(DeviceError) {
    try link.device.rest(microseconds: microseconds)
  }

  mutating func end() throws(DeviceError) {
    _ = try run(.off)
    mayDrive = false
  }

  mutating func shutOff() -> Bool {
    guard mayDrive else { return true }
    // What failed is told already by the fault that leads here.
    try? end()
    return !mayDrive
  }

  private mutating func setUp() throws(DeviceError) {
    // What an earlier program left to be answered is nobody's.
    try link.empty()
    link.fault = nil
    _ = try finish(session.open())
    let outcome = try run(.initialise(settings.actuator))
    try check { () throws(CodecError) in _ = try outcome.status() }
    guard settings.openLoop == nil else { return }
    switch settings.calibration {
    case .none: break
    case .automatic:
      mayDrive = true
      let result = try run(.calibrate)
      mayDrive = false
      try check { () throws(CodecError) in _ = try result.calibration() }
    case .constants(let compensation, let backEMF, let gain):
      _ = try run(
        .restore(
          DRV2605LCalibration(compensation: compensation, backEMF: backEMF, gain: gain)))
    }
  }

  private func check(_ body: () throws(CodecError) -> Void) throws(DeviceError) {
    do throws(CodecError) {
      try body()
    } catch {
      throw DeviceError(
        error.code == .refused ? .refused : .garbled, device: link.device.rig,
        message: "the chip behind \(link.device.record.summary) is not ready: \(error)")
    }
  }

  private mutating func run(_ command: DRV2605LCommand) throws(DeviceError) -> DRV2605LOutcome {
    link.fault = nil
    return try finish(session.begin(command))
  }

  private mutating func finish(
    _ first: DRV2605LSession<Bridge>.Action
  ) throws(DeviceError) -> DRV2605LOutcome {
    var action = first
    while true {
      switch action {
      case .exchange(let transfers):
        if let packet = try exchange(transfers) {
          action = session.receive(packet)
        } else {
          action = session.timeOut()
        }
      case .wait(let seconds):
        try link.device.rest(microseconds: Int((seconds * 1e6).rounded(.up)))
        action = session.resume()
      case .finished(let outcome): return outcome
      case .failed(let failure): throw error(failure)
      }
    }
  }

  /// One exchange; without an answer the bridge is emptied, so that a late one is taken for no other.
  private mutating func exchange(
    _ transfers: [BridgeTransfer]
  ) throws(DeviceError) -> [UInt8]? {
    do throws(DeviceError) {
      let answer = try link.exchange(transfers, seconds: Session.answerTimeout)
      if answer == nil { try link.empty() }
      return answer
    } catch {
      // Only a bridge that is gone throws: the chip cannot be told any more.
      throw mayDrive ? DeviceError(error.code, device: error.device, message: warned(error)) : error
    }
  }

  private func warned(_ error: DeviceError) -> String {
    error.message
      + "; a DRV2605L with a supply of its own still holds its last amplitude: take it away"
  }

  private mutating func error(_ failure: DRV2605LSession<Bridge>.Failure) -> DeviceError {
    if failure.outputIsOff { mayDrive = false }
    let code: DeviceError.Code =
      switch failure.cause {
      case .bus(.noAcknowledge): .notFound
      case .bus(.garbled): .garbled
      case .bus: .stalled
      case .stuck: .garbled
      case .value: .refused
      }
    let rig = link.device.rig
    // The bus knows better why no answer came.
    if failure.cause == .bus(.silent), let fault = link.fault {
      let rest =
        failure.outputIsOff || !mayDrive
        ? "" : "; the output may still be driven: take its supply away"
      return DeviceError(fault.code, device: rig, message: fault.message + rest)
    }
    return DeviceError(
      code, device: rig, message: "\(link.device.record.summary): \(failure)")
  }
}

/// What a rig makes of a DRV2605L: its registers, and how many steps of amplitude a drive of 1 is.
struct DRV2605LSettings: Sendable, Hashable {
  struct OpenLoop: Sendable, Hashable {
    let period: UInt8
    let clamp: UInt8
  }

  let actuator: DRV2605LActuator
  /// `nil` for closed loop.
  let openLoop: OpenLoop?
  let calibration: DRV2605LDescription.Calibration
  /// Steps of amplitude of a drive of 1; beyond 127 it is cut off.
  let steps: Double
  let expressible: ExpressibleDrive

  /// Fits a chip to a rig, or says what does not fit.
  ///
  /// A drive of 1 is the rig file's full scale, at the peak of a tone. So full amplitude is that over
  /// sqrt(2), rms, in either loop; the clamp is the actuator's peak. Registers are rounded down, and
  /// `steps` makes up for that as far as 127 goes.
  init(_ chip: DRV2605LDescription, of rig: RigDescription) throws(DeviceError) {
    let rated = rig.drive.fullScaleVolts / 2.squareRoot()
    let peak = rig.actuators[0].limits.peakVolts
    let actuator = DRV2605LActuator(
      resonance: chip.resonance, ratedVoltage: rated, peakVoltage: peak)
    let full: Double
    do throws(CodecError) {
      try actuator.check()
      if let hertz = chip.openLoopFrequency {
        let code = Int((1 / (hertz * DRV2605LFacts.periodStep)).rounded())
        guard DRV2605LFacts.periodRange.contains(code) else {
          throw CodecError(
            .range, packet: "DRV2605L open loop", offset: 0,
            problem: "\(hertz) Hz needs a period of \(code) steps where 1 to 127 are possible")
        }
        let made = 1 / (Double(code) * DRV2605LFacts.periodStep)
        let clamp = actuator.openLoopCode(frequency: made)
        guard (1...255).contains(clamp) else {
          throw CodecError(
            .range, packet: "DRV2605L open loop", offset: 0,
            problem:
              "\(rated) V rms at \(made) Hz need the clamp \(clamp) where 1 to 255 are possible")
        }
        full = actuator.openLoopVolts(code: clamp, frequency: made)
        openLoop = OpenLoop(period: UInt8(code), clamp: UInt8(clamp))
        expressible = .drv2605LClosedLoop(resonance: made, updateInterval: chip.updateInterval)
      } else {
        full = actuator.ratedVolts(code: actuator.ratedVoltageCode)
        openLoop = nil
        expressible = .drv2605LClosedLoop(
          resonance: chip.resonance, updateInterval: chip.updateInterval)
      }
    } catch {
      throw rig.error(
        .refused,
        "the DRV2605L cannot be set up as the rig file asks (\(error)): correct "
          + "'resonance', 'open-loop', 'full-scale' or 'limits'")
    }
    self.actuator = actuator
    calibration = chip.calibration
    steps = Double(DRV2605LFacts.amplitudeSteps) * rated / full
  }

  func amplitude(_ share: Double) -> UInt8 {
    UInt8(min(Double(DRV2605LFacts.amplitudeSteps), max(0, (share * steps).rounded())))
  }
}
