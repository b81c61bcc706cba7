// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import USBDevices
public import USBTransport

/// The HID interface of a DualSense on a bus in this process: shaken along z at a frequency, on its own clock.
///
/// A full-speed one here, asked each 2 ms for reports of each 4 ms.
public final class FakeDualSense: ControllerModel {
  private struct State: Sendable {
    var outputs: [[UInt8]] = []
    var strengths: [DrivenStrength] = []
    /// The next report, counted on the sensor's clock.
    var next = 0
    /// Reports that never come to the host.
    var lost: Set<Int> = []
    var isSilent = false
  }

  /// The address of its endpoint that takes reports.
  public static let output: UInt8 = 0x03
  /// The address of its endpoint that gives reports.
  public static let input: UInt8 = 0x84
  private static let interval = 0.004

  /// What the bus tells.
  public let record: USBDeviceRecord
  private let state = Guarded(State())
  private let drift: Double
  private let hertz: Double
  private let firstTicks: UInt32
  private let calibration: [UInt8]
  private let firmware: UInt16

  /// Gyroscope constants that do not matter, then +1 g and -1 g at 8192 and -8192 counts of each axis.
  public static let calibration: [UInt8] =
    [5] + [2, 0, 0xfe, 0xff, 0, 0] + [0x90, 0x22, 0x70, 0xdd, 0x90, 0x22, 0x70, 0xdd, 0x90, 0x22]
    + [0x70, 0xdd, 0x1c, 2, 0x1c, 2] + [0, 0x20, 0, 0xe0, 0, 0x20, 0, 0xe0, 0, 0x20, 0, 0xe0]
    + [0, 0, 0, 0, 0, 0]

  /// Makes a controller.
  ///
  /// - Parameters:
  ///   - drift: How much faster its clock is than the bus's, in parts per million.
  ///   - hertz: What it is shaken at.
  ///   - firstTicks: Where its counter begins.
  ///   - serial: Its serial number.
  ///   - lost: Reports that never come to the host.
  ///   - calibration: The feature report with its constants.
  ///   - firmware: The version that tells which form of rumble it takes.
  public init(
    drift: Double = 0, hertz: Double = 10, firstTicks: UInt32 = 4_294_000_000,
    serial: String? = "D-1", lost: Set<Int> = [], calibration: [UInt8] = FakeDualSense.calibration,
    firmware: UInt16 = 0x0224
  ) {
    self.drift = drift
    self.hertz = hertz
    self.firstTicks = firstTicks
    self.calibration = calibration
    self.firmware = firmware
    record = USBDeviceRecord(
      address: USBAddress(bus: 1, device: 1, ports: [1]), vendor: 0x054c, product: 0x0ce6,
      descriptorBytes: [
        18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x4c, 0x05, 0xe6, 0x0c, 0, 1, 1, 2, 3, 1,
        9, 2, 32, 0, 1, 1, 0, 0xc0, 250, 9, 4, 3, 0, 2, 3, 0, 0, 0,
        7, 5, 0x84, 3, 64, 0, 2, 7, 5, 0x03, 3, 64, 0, 2,
      ], productName: "DualSense Wireless Controller", serial: serial, megabits: 12)
    state.withLock { $0.lost = lost }
  }

  /// The output reports that came.
  public var outputs: [[UInt8]] { state.withLock { $0.outputs } }

  /// What it drove by rumble, change by change.
  public var strengths: [DrivenStrength] { state.withLock { $0.strengths } }

  /// Reports nothing from now on.
  public func fallSilent() { state.withLock { $0.isSilent = true } }

  /// The acceleration along z at a time of the bus, in counts.
  public func counts(at seconds: Double) -> Double { 4096 * sin(2 * .pi * hertz * seconds) }

  /// Answers the feature reports with the constants and the firmware.
  public func control(
    _ request: USBControlRequest, bytes: inout [UInt8], at nanoseconds: UInt64
  ) -> Int? {
    guard request.type == 0xa1, request.request == 1, request.index == 3 else { return nil }
    let report: [UInt8]
    switch request.value {
    case 0x0305: report = calibration
    case 0x0320:
      report =
        [0x20] + [UInt8](repeating: 0, count: 43) + [UInt8(firmware & 0xff), UInt8(firmware >> 8)]
        + [UInt8](repeating: 0, count: 18)
    default: return nil
    }
    for place in 0..<min(bytes.count, report.count) { bytes[place] = report[place] }
    return min(bytes.count, report.count)
  }

  /// Takes an output report, as the firmware's version takes rumble.
  public func accept(_ bytes: Span<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Bool {
    var copy: [UInt8] = []
    for index in 0..<bytes.count { copy.append(bytes[index]) }
    state.withLock { state in
      state.outputs.append(copy)
      guard copy.count == 63, copy[0] == 2, copy[1] & 0x02 != 0 else { return }
      guard firmware >= 0x0215 ? copy[39] & 0x04 != 0 : copy[1] & 0x01 != 0 else { return }
      let (left, right) = (Double(copy[4]) / 255, Double(copy[3]) / 255)
      let last = state.strengths.last
      guard left != (last?.left ?? 0) || right != (last?.right ?? 0) else { return }
      state.strengths.append(
        DrivenStrength(nanoseconds: nanoseconds, left: left, right: right))
    }
    return true
  }

  /// Gives the newest report.
  public func give(
    _ bytes: inout MutableSpan<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64
  ) -> Int? {
    let speed = 1 + drift * 1e-6
    let report = state.withLock { state -> (index: Int, seconds: Double)? in
      // The newest report is there to be fetched; an older one was written over.
      let newest = Int(Double(nanoseconds) * 1e-9 * speed / Self.interval)
      guard !state.isSilent, newest >= state.next else { return nil }
      state.next = newest + 1
      if state.lost.contains(newest) { return nil }
      return (newest, Double(newest) * Self.interval / speed)
    }
    guard let report else { return nil }
    for place in 0..<64 { bytes[place] = 0 }
    bytes[0] = 1
    bytes[7] = UInt8(truncatingIfNeeded: report.index)
    let value = UInt16(bitPattern: Int16(counts(at: report.seconds)))
    bytes[26] = UInt8(value & 0xff)
    bytes[27] = UInt8(value >> 8)
    let ticks = firstTicks &+ UInt32(truncatingIfNeeded: Int(Double(report.index) * 12_000))
    for place in 0..<4 {
      bytes[28 + place] = UInt8(truncatingIfNeeded: ticks >> (8 * UInt32(place)))
    }
    return 64
  }
}
