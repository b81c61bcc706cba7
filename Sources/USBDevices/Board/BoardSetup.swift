// SPDX-License-Identifier: Apache-2.0

import Actuators
import DeviceStreams
import Devices
import Units

struct BoardSetup: Sendable {
  /// How far the rig file's full scale may lie from the board's own: what a measurement of it may differ by,
  /// resistors and references of 1 % and 2 % together.
  private static let fullScaleTolerance = 0.05

  let rig: String
  /// Frames a second of the drive, and of both ports.
  let rate: SampleRate
  /// Frames a second of the board's sensors: the ports' rate where the board has it.
  let sensorRate: UInt32
  /// Channels of a frame at the drive's port; 0 where the board does not drive.
  let driveWidth: Int
  /// By channel of the sensors' port the board's input, from 0; none where the board does not feel.
  let inputs: [Int]
  /// By channel of the sensors' port, SI units of one step.
  let scales: [Float]
  /// The highest drive that the board lets through, of 65535.
  let peak: UInt16
  let fullScaleVolts: Double
  /// Seconds without a packet before the board is given up.
  let timeout: Double

  var drives: Bool { driveWidth > 0 }
  var senses: Bool { !inputs.isEmpty }
  var isResampled: Bool { senses && Double(sensorRate) != rate.hertz }

  init(
    _ rig: RigDescription, _ identity: BoardIdentity, drives: Bool, senses: Bool, timeout: Double
  ) throws(DeviceError) {
    func refusal(_ message: String) -> DeviceError {
      rig.error(.refused, message)
    }
    let hertz = UInt32(rig.drive.rate.hertz)
    self.rig = rig.name
    rate = rig.drive.rate
    self.timeout = timeout
    fullScaleVolts = rig.drive.fullScaleVolts
    if drives {
      let stated = identity.fullScaleVolts
      guard stated == 0 || abs(fullScaleVolts / stated - 1) <= Self.fullScaleTolerance else {
        throw refusal(
          "the board says that a drive of 1 is \(stated) V, and the rig file's 'full-scale' is "
            + "\(fullScaleVolts) V: write 'full-scale: \(stated) V' in the drive, or, where an "
            + "amplifier behind the board makes it another, let its firmware say that, or 0")
      }
      guard identity.driveRates.contains(hertz) else {
        throw refusal(
          "the board does not drive at \(hertz) Hz: \(Self.choice(of: identity.driveRates))")
      }
      guard rig.drive.channelCount <= identity.driveChannelCount else {
        throw refusal(
          "drive channel \(rig.drive.channelCount) is beyond the board's last, "
            + "\(identity.driveChannelCount): correct 'channels' of the drive")
      }
    }
    if senses {
      guard !identity.sensorRates.isEmpty else {
        throw refusal("the board names no sensor rate: let another device capture")
      }
      if let beyond = rig.capture.channels.first(where: { $0.input > identity.sensorChannelCount })
      {
        throw refusal(
          "input \(beyond.input) of channel '\(beyond.name)' is beyond the board's last, "
            + "\(identity.sensorChannelCount): correct 'input'")
      }
    }
    sensorRate = senses ? Self.sensorRate(for: hertz, of: identity.sensorRates) : 0
    driveWidth = drives ? rig.drive.channelCount : 0
    inputs = senses ? rig.capture.channels.map { $0.input - 1 } : []
    scales = senses ? rig.capture.channels.map { Self.scale($0, identity) } : []
    peak = Self.peak(rig)
  }

  private static func scale(
    _ channel: CaptureChannelDescription, _ identity: BoardIdentity
  ) -> Float {
    let end = Double(identity.sensorFormat.fullScale)
    guard let volts = channel.fullScaleVolts else {
      // A sensor file corrects what the board says by a factor.
      return Float(identity.sensorScale / (channel.sensor?.sensitivity ?? 1))
    }
    return Float(volts / (channel.sensor?.sensitivity ?? 1) / end)
  }

  /// The peak that the rig file allows; full scale where other channels than actuators' are driven,
  /// since a board has one limit for all.
  private static func peak(_ rig: RigDescription) -> UInt16 {
    guard rig.drive.channels.keys.allSatisfy({ $0 == .haptic }) else { return .max }
    let volts = rig.actuators.map(\.limits.peakVolts).max() ?? rig.drive.fullScaleVolts
    let share = volts / rig.drive.fullScaleVolts * 65_535
    return share >= 65_535 ? .max : UInt16(share.rounded(.up))
  }

  /// The rate itself, else the lowest above it, else the highest; 0 of none.
  private static func sensorRate(for hertz: UInt32, of rates: [UInt32]) -> UInt32 {
    rates.filter { $0 >= hertz }.min() ?? rates.max() ?? 0
  }

  /// What to write instead, as the end of a sentence: a rig file has 8 to 192 kHz.
  private static func choice(of rates: [UInt32]) -> String {
    guard !rates.isEmpty else { return "it has no drive rate, so let another device drive" }
    let list = { (rates: [UInt32]) in rates.map { "\($0) Hz" }.joined(separator: ", ") }
    let fitting = rates.filter { (8000...192_000).contains($0) }
    return fitting.isEmpty
      ? "it has \(list(rates)), and a rig file's 'rate' is 8 to 192 kHz: let its firmware name one"
      : "write 'rate' as one of \(list(fitting))"
  }
}

/// What the host knows of a board's clock during a take: where it is now, at the least.
///
/// A packet says where the clock was some time before it arrived. The one with the least delay so far,
/// carried on at the nominal rate, is the best lower bound; it is renewed after a second, in which a
/// drift of 100 ppm makes 0.1 ms.
struct BoardClock: Sendable {
  private static let renewal: UInt64 = 1_000_000_000

  private let tickRate: Double
  private var unwrapper = CounterUnwrapper(bits: 32)
  private var tick: Int64 = 0
  private var nanoseconds: UInt64 = 0
  private var isSet = false
  private(set) var startTick: Int64?

  init(tickRate: UInt32) { self.tickRate = Double(tickRate) }

  mutating func note(ticks: UInt32, later: Int64 = 0, at nanoseconds: UInt64) {
    let whole = unwrapper.unwrap(ticks) + later
    guard isSet, whole < now(at: nanoseconds), nanoseconds < self.nanoseconds + Self.renewal else {
      (tick, self.nanoseconds, isSet) = (whole, nanoseconds, true)
      return
    }
  }

  mutating func unwrap(_ ticks: UInt32) -> Int64 { unwrapper.unwrap(ticks) }

  mutating func start(ticks: UInt32) { startTick = unwrapper.unwrap(ticks) }

  mutating func stop() { startTick = nil }

  /// The clock's least value at a time.
  func now(at nanoseconds: UInt64) -> Int64 {
    let passed = nanoseconds > self.nanoseconds ? nanoseconds - self.nanoseconds : 0
    return tick + Int64(Double(passed) * 1e-9 * tickRate)
  }

  /// The frame whose time it is at the least, negative before the start; `nil` outside a take.
  func frame(at nanoseconds: UInt64, rate: Int) -> Int? {
    startTick.map { start in
      let ticks = now(at: nanoseconds) - start
      return ticks < 0 ? -1 : Int(Double(ticks) * Double(rate) / tickRate)
    }
  }

  func ticks(ofFrame frame: Int, rate: Int) -> UInt32 {
    let whole = (startTick ?? 0) + Int64(UInt64(frame) * UInt64(tickRate) / UInt64(rate))
    return UInt32(truncatingIfNeeded: whole)
  }
}
