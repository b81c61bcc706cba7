// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import Synchronization

/// A game controller: takes tones, and reports by itself how it moves.
///
/// Noncopyable, for one thread. Reports come in while time passes (`rest`), and wait until they are taken. `begin`
/// drops what came before a take, `end` and `shutOff` take back what is on the bus.
protocol ControllerDevice: ToneDevice, ~Copyable {
  var rig: String { get }
  var summary: String { get }
  /// Ticks of the sensor's counter in a second, nominal.
  var tickRate: Double { get }
  /// Where the sensor's scale ends, in m/s2.
  var range: Double { get }
  /// Whether the actuators may be driven: set before they are, cleared when the device took neutral.
  var mayDrive: Bool { get }

  mutating func takeReports() -> [MotionReport]
}

/// Plays tones on a controller and records how it moves, or one of the two: one take after another.
///
/// The drive is on the host's clock, the motion on the sensor's own, laid on the host's.
struct ControllerEngine<Device: ControllerDevice & ~Copyable>: TakeEngine, ~Copyable {
  let rig: String
  let drives: Bool
  let shared: TakeShared

  private var player: TonePlayer<Device>
  private var recorder: MotionRecorder
  private let senses: Bool
  private let timeout: Double
  private var lastReport: UInt64 = 0

  init(
    _ player: consuming TonePlayer<Device>, halves: TakeHalves, timeout: Double,
    shared: TakeShared, recorder: consuming MotionRecorder
  ) {
    rig = player.device.rig
    self.player = player
    self.shared = shared
    self.recorder = recorder
    self.timeout = timeout
    drives = halves.contains(.drive)
    senses = halves.contains(.sensors)
  }

  var isRunning: Bool { player.isRunning }

  var latency: (output: JitterHistogram, input: JitterHistogram) { player.latency }

  var polling: USBPolling { player.polling }

  var clockRate: StreamStatistics.ClockRate? { recorder.clockRate }

  var start: StreamStatistics.Start? {
    .unlinked(
      offset: 0, uncertainty: recorder.startUncertainty,
      reason: "the sensor's samples were laid on the drive by when the earliest of them came")
  }

  mutating func begin() throws(DeviceError) {
    try player.begin()
    recorder.begin(at: player.origin)
    lastReport = player.origin
  }

  mutating func step(microseconds: Int) throws(DeviceError) {
    do throws(DeviceError) {
      if drives {
        try player.step(microseconds: microseconds)
      } else {
        try player.device.rest(microseconds: microseconds)
      }
    } catch {
      guard error.code == .unplugged, player.device.mayDrive else { throw error }
      throw DeviceError(
        error.code, device: error.device,
        message: error.message
          + "; it has a battery: switch it off where it goes on without the cable")
    }
    let reports = player.device.takeReports()
    guard senses else { return }
    for report in reports {
      lastReport = report.nanoseconds
      recorder.take(report)
    }
    recorder.flush()
    if let rate = recorder.foreignRate {
      throw DeviceError(
        .garbled, device: rig,
        message:
          "the counter of \(player.device.summary) makes \(Int(rate.rounded())) steps a second where "
          + "\(Int(player.device.tickRate)) were expected: its motion has no time that is known, let another "
          + "device capture")
    }
    guard player.device.now <= lastReport + UInt64(timeout * 1e9) else {
      throw DeviceError(
        .stalled, device: rig,
        message:
          "\(player.device.summary) reported no motion for \(timeout) s: plug it in again, or allow "
          + "more time with 'timeout'")
    }
  }

  mutating func end() throws(DeviceError) { try player.end() }

  mutating func shutOff() -> Bool { player.shutOff() }

  mutating func drainDrive() { player.drainDrive() }
}
