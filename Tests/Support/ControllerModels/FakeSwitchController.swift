// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
public import USBDevices
public import USBTransport

/// A Switch Pro controller on a bus in this process, written from the public notes: it talks over USB once it was told
/// to, obeys subcommands, and reports each 15 ms; asked and told each 8 ms.
///
/// It is shaken along z at a frequency, on its own clock.
public final class FakeSwitchController: ControllerModel {
  /// How it differs from one that was just plugged in and is well.
  public struct Manner: Sendable {
    /// Does not answer hands shaken: the kernel's driver did that.
    public var isAwake = false
    /// What it says it is: 3 a Pro controller, 1 and 2 a left and a right Joy-Con.
    public var kind: UInt8 = 3
    /// Subcommands that it does not hear the first time, by number.
    public var deafOnceTo: Set<UInt8> = []
    /// Subcommands that it refuses.
    public var refuses: Set<UInt8> = []
    /// Reports that never come to the host.
    public var lost: Set<Int> = []
    /// The user's constants with their mark, where there are some.
    public var user: [UInt8]?
    /// The factory's constants.
    public var factory = FakeSwitchController.calibration

    /// Makes one that is well.
    public init() {}
  }

  private struct State: Sendable {
    var manner: Manner
    var outputs: [[UInt8]] = []
    var strengths: [DrivenStrength] = []
    var answers: [[UInt8]] = []
    var patterns: [SwitchRumble] = []
    var unsafePatterns = 0
    var staysOnUSB = false
    var reportsFully = false
    var feels = false
    var vibrates = false
    /// The next report, counted on the sensor's clock.
    var next = 0
    var isSilent = false
  }

  /// The address of its endpoint that takes reports.
  public static let output: UInt8 = 0x01
  /// The address of its endpoint that gives reports.
  public static let input: UInt8 = 0x81
  private static let interval = 0.015

  /// Nothing at rest, 4 g at 16384 counts; the gyroscope's do not matter.
  public static let calibration: [UInt8] =
    [0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0x40, 0, 0x40, 0, 0, 0, 0, 0, 0] + [
      0x3b, 0x34, 0x3b, 0x34, 0x3b, 0x34,
    ]

  /// What the bus tells.
  public let record: USBDeviceRecord
  private let state: Guarded<State>
  private let drift: Double
  private let hertz: Double
  private let firstTimer: UInt8

  /// Makes a controller.
  ///
  /// - Parameters:
  ///   - drift: How much faster its clock is than the bus's, in parts per million.
  ///   - hertz: What it is shaken at.
  ///   - firstTimer: Where its counter begins.
  ///   - serial: Its serial number: all of them have the same.
  ///   - manner: How it differs from one that is well.
  public init(
    drift: Double = 0, hertz: Double = 10, firstTimer: UInt8 = 250,
    serial: String? = "000000000001", manner: Manner = Manner()
  ) {
    self.drift = drift
    self.hertz = hertz
    self.firstTimer = firstTimer
    state = Guarded(State(manner: manner))
    record = USBDeviceRecord(
      address: USBAddress(bus: 1, device: 1, ports: [1]), vendor: 0x057e, product: 0x2009,
      descriptorBytes: [
        18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x7e, 0x05, 0x09, 0x20, 0, 2, 1, 2, 3, 1,
        9, 2, 41, 0, 1, 1, 0, 0xa0, 250, 9, 4, 0, 0, 2, 3, 0, 0, 0,
        9, 0x21, 0x11, 1, 0, 1, 0x22, 203, 0,
        7, 5, 0x81, 3, 64, 0, 8, 7, 5, 0x01, 3, 64, 0, 8,
      ], productName: "Pro Controller", serial: serial, megabits: 12)
  }

  /// The output reports that came.
  public var outputs: [[UInt8]] { state.withLock { $0.outputs } }

  /// What it drove, change by change.
  public var strengths: [DrivenStrength] { state.withLock { $0.strengths } }

  /// The left and right patterns that were more than neutral, in turn.
  public var patterns: [SwitchRumble] { state.withLock { $0.patterns } }

  /// Patterns that are above the safe amplitude, or none at all.
  public var unsafePatterns: Int { state.withLock { $0.unsafePatterns } }

  /// Reports nothing from now on.
  public func fallSilent() { state.withLock { $0.isSilent = true } }

  /// The acceleration along z at a time of the bus, in counts.
  public func counts(at seconds: Double) -> Double { 2048 * sin(2 * .pi * hertz * seconds) }

  /// Refuses: nothing is asked by control requests.
  public func control(
    _ request: USBControlRequest, bytes: inout [UInt8], at nanoseconds: UInt64
  ) -> Int? { nil }

  /// Takes an output report.
  public func accept(_ bytes: Span<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Bool {
    var copy: [UInt8] = []
    for index in 0..<bytes.count { copy.append(bytes[index]) }
    state.withLock { state in
      state.outputs.append(copy)
      switch copy.first {
      case 0x80: Self.talk(copy, &state)
      case 0x10: Self.rumble(copy, &state, at: nanoseconds)
      case 0x01:
        Self.rumble(copy, &state, at: nanoseconds)
        Self.obey(copy, &state)
      default: break
      }
    }
    return true
  }

  private static func talk(_ bytes: [UInt8], _ state: inout State) {
    if bytes[1] == 0x04 { state.staysOnUSB = true }
    if bytes[1] == 0x01 {
      state.answers.append([0x81, 0x01, 0, state.manner.kind] + [UInt8](repeating: 0, count: 60))
    }
    if (0x02...0x03).contains(bytes[1]), !state.manner.isAwake {
      state.answers.append([0x81, bytes[1]] + [UInt8](repeating: 0, count: 62))
    }
  }

  private static func rumble(_ bytes: [UInt8], _ state: inout State, at nanoseconds: UInt64) {
    guard let left = try? SwitchRumble(Array(bytes[2..<6])),
      let right = try? SwitchRumble(Array(bytes[6..<10]))
    else {
      state.unsafePatterns += 1
      return
    }
    guard state.vibrates else { return }
    for pattern in [left, right] where pattern != .off { state.patterns.append(pattern) }
    let moment = DrivenStrength(
      nanoseconds: nanoseconds, left: strength(left), right: strength(right))
    let last = state.strengths.last
    if moment.left != (last?.left ?? 0) || moment.right != (last?.right ?? 0) {
      state.strengths.append(moment)
    }
  }

  private static func strength(_ rumble: SwitchRumble) -> Double {
    SwitchRumble.amplitude(code: max(rumble.highAmplitudeCode, rumble.lowAmplitudeCode))
  }

  private static func obey(_ bytes: [UInt8], _ state: inout State) {
    let (number, argument) = (bytes[10], bytes[11])
    guard state.staysOnUSB, state.manner.deafOnceTo.remove(number) == nil else { return }
    var data: [UInt8] = []
    let isRefused = state.manner.refuses.contains(number)
    switch number {
    case 0x03: state.reportsFully = argument == 0x30
    case 0x10:
      let address = Int(bytes[11]) | Int(bytes[12]) << 8
      let erased = [UInt8](repeating: 0xff, count: 29)
      let memory = address == 0x8026 ? state.manner.user ?? erased : state.manner.factory + erased
      data = Array(bytes[11..<16]) + memory.prefix(Int(bytes[15]))
    case 0x40: state.feels = argument == 1
    case 0x48: state.vibrates = argument == 1
    default: break
    }
    let head: [UInt8] = [0x21, 0, 0x8e, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    let answer = head + [isRefused ? 0 : 0x80, number] + data
    state.answers.append(answer + [UInt8](repeating: 0, count: 64 - answer.count))
  }

  /// Gives the oldest answer, or the newest full report.
  public func give(
    _ bytes: inout MutableSpan<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64
  ) -> Int? {
    let speed = 1 + drift * 1e-6
    let report = state.withLock { state -> [UInt8]? in
      if state.isSilent { return nil }
      if !state.answers.isEmpty { return state.answers.removeFirst() }
      guard state.reportsFully else { return nil }
      let newest = Int(Double(nanoseconds) * 1e-9 * speed / Self.interval)
      guard newest >= state.next else { return nil }
      state.next = newest + 1
      if state.manner.lost.contains(newest) { return nil }
      return full(newest, feels: state.feels)
    }
    guard let report else { return nil }
    for place in 0..<64 { bytes[place] = report[place] }
    return 64
  }

  /// A report whose newest sample is as old as the report.
  private func full(_ index: Int, feels: Bool) -> [UInt8] {
    let speed = 1 + drift * 1e-6
    var report: [UInt8] = [
      0x30, UInt8(truncatingIfNeeded: Int(firstTimer) + 3 * index), 0x8e, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0x0b,
    ]
    for sample in 0..<3 {
      let seconds = Double(3 * index - 2 + sample) * 0.005 / speed
      let value = UInt16(bitPattern: Int16(feels ? counts(at: seconds) : 0))
      report += [0, 0, 0, 0, UInt8(value & 0xff), UInt8(value >> 8), 0, 0, 0, 0, 0, 0]
    }
    return report + [UInt8](repeating: 0, count: 64 - report.count)
  }
}
