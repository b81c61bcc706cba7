// SPDX-License-Identifier: Apache-2.0

import Actuators
import DeviceStreams
import Devices
import Synchronization
import USBTransport
import Units

/// A device that takes tones: an amplitude and a frequency, held until the next.
///
/// Noncopyable, for one thread. Every call ends in bounded time whatever the device does. After a call that throws
/// `shutOff` brings the output to zero, where the fault leaves the device reachable.
protocol ToneDevice: ~Copyable, SendableMetatype {
  var now: UInt64 { get }
  var latency: (output: JitterHistogram, input: JitterHistogram) { get }
  var polling: USBPolling { get }

  /// Makes the output ready, at zero.
  mutating func begin() throws(DeviceError)

  mutating func play(_ tone: DriveTone) throws(DeviceError)

  mutating func rest(microseconds: Int) throws(DeviceError)

  mutating func end() throws(DeviceError)

  /// Brings the output to zero after a fault; true where the device took it.
  mutating func shutOff() -> Bool
}

extension DriveTone {
  static let silent = DriveTone(frequency: 0, amplitude: 0)
}

/// Cuts frames of drive into slots, and gives a device of its own the tone of each: one take after another.
///
/// Slots are of the device's own update interval, on the host's clock. At the beginning of a slot the device is
/// given the tone of the slot's frames, which it holds to the slot's end. A slot whose time was over before it
/// could be sent is an underrun: the tone before it was held.
///
/// The engine of a device that feels nothing.
struct TonePlayer<Device: ToneDevice & ~Copyable>: TakeEngine, ~Copyable {
  let rig: String
  let shared: TakeShared
  var device: Device
  private(set) var isRunning = false
  /// The engine's end of the queue, samples of a frame, and which of them the actuator hangs on.
  private var drive: DriveReader
  private let width: Int
  private let channel: Int
  private let tracker: ToneTracker
  private let rate: Double
  private let interval: Double

  /// The host's clock at frame 0, in nanoseconds.
  private(set) var origin: UInt64 = 0
  private var slot = 0
  /// The actuator's samples from frame `first` on, as far as they were taken.
  private var window: [Float] = []
  private var first = 0
  private var held = DriveTone.silent

  init(
    _ device: consuming Device, of rig: RigDescription, interval: Double, shared: TakeShared,
    drive: consuming DriveReader
  ) {
    self.device = device
    self.rig = rig.name
    self.interval = interval
    self.shared = shared
    self.drive = drive
    width = rig.drive.channelCount
    channel = (rig.drive.channels[.haptic] ?? 1) - 1
    rate = rig.drive.rate.hertz
    let isMotor = rig.actuators.contains { $0.kind == .erm }
    tracker = ToneTracker(rate: rig.drive.rate, form: isMotor ? .level : .wave)
  }

  var drives: Bool { true }

  var latency: (output: JitterHistogram, input: JitterHistogram) { device.latency }

  var polling: USBPolling { device.polling }

  var clockRate: StreamStatistics.ClockRate? { nil }

  /// Frames that wait for the device at most.
  ///
  /// Nothing holds up a virtual bus: what it keeps for later would only make takes longer.
  static func queueDepth(
    _ rig: RigDescription, interval: Double, _ slack: DriveSlack, on backend: any USBBackend
  ) -> Int {
    let rate = rig.drive.rate
    let slots = rate.wholeFrames(2 * interval + 2e-3)
    return backend.isVirtual
      ? max(8 * rig.drive.periodFrames, slots) : max(rate.wholeFrames(slack.seconds), slots)
  }

  mutating func begin() throws(DeviceError) {
    try device.begin()
    origin = device.now
    slot = 0
    first = -tracker.lag
    window = [Float](repeating: 0, count: tracker.lag)
    held = .silent
    isRunning = true
  }

  mutating func end() throws(DeviceError) {
    guard isRunning else { return }
    isRunning = false
    drainDrive()
    try device.end()
  }

  mutating func shutOff() -> Bool {
    isRunning = false
    drainDrive()
    return device.shutOff()
  }

  /// Gives the device what is due, then lets time pass until the next slot, at most so long.
  mutating func step(microseconds: Int) throws(DeviceError) {
    let end = device.now + UInt64(microseconds) * 1000
    try hushIfAsked()
    let due = time(ofSlot: slot)
    if device.now < due {
      // To turn the output off took its time.
      try device.rest(microseconds: device.now.microseconds(until: min(due, end)))
      notePlayed(at: device.now)
      guard device.now >= due else { return }
      try hushIfAsked()
    }
    passOver(at: device.now)
    try play()
    notePlayed(at: device.now)
  }

  mutating func drainDrive() { drive.clear() }

  private func frame(ofSlot slot: Int) -> Int {
    Int((Double(slot) * interval * rate).rounded())
  }

  private func time(ofSlot slot: Int) -> UInt64 {
    origin + UInt64((Double(slot) * interval * 1e9).rounded())
  }

  private func notePlayed(at now: UInt64) {
    let frame = Int(Double(now - origin) * 1e-9 * rate)
    shared.played.store(frame, ordering: .releasing)
    shared.clock.store(frame: frame, nanoseconds: now)
  }

  private mutating func hushIfAsked() throws(DeviceError) {
    guard shared.isSilenced.load(ordering: .acquiring) || shared.stop.flag.isSet,
      !shared.isHushed.load(ordering: .relaxed)
    else { return }
    try send(.silent)
    shared.isHushed.store(true, ordering: .releasing)
  }

  private mutating func passOver(at now: UInt64) {
    let current = Int(Double(now - origin) * 1e-9 / interval)
    guard current > slot else { return }
    noteUnderrun(frame(ofSlot: slot)..<frame(ofSlot: current))
    slot = current
  }

  private mutating func play() throws(DeviceError) {
    let stretch = frame(ofSlot: slot)..<frame(ofSlot: slot + 1)
    let samples = fetch(stretch)
    slot += 1
    if shared.isHushed.load(ordering: .relaxed) { return }
    try send(tracker.tone(of: samples.span))
  }

  private mutating func send(_ tone: DriveTone) throws(DeviceError) {
    // Silence after silence: nothing is driven that could be lost.
    guard tone.amplitude > 0 || held.amplitude > 0 else { return }
    try device.play(tone)
    held = tone
  }

  /// The samples of a stretch with what the tracker wants around it; what is not there is zero.
  ///
  /// Frames that come after their time are passed over: a frame's index is its time.
  private mutating func fetch(_ stretch: Range<Int>) -> [Float] {
    let wanted = (stretch.lowerBound - tracker.lag)..<(stretch.upperBound + tracker.lag)
    var taken = first + window.count
    var block = [Float](repeating: 0, count: width * 512)
    while taken < wanted.upperBound {
      var span = block.mutableSpan
      var part = span._mutatingExtracting(0..<(width * min(wanted.upperBound - taken, 512)))
      let count = drive.read(into: &part)
      guard count > 0 else { break }
      for frame in 0..<count { window.append(block[frame * width + channel]) }
      taken += count
    }
    shared.driven.store(max(0, taken), ordering: .releasing)
    if taken < stretch.upperBound {
      noteUnderrun(max(taken, stretch.lowerBound)..<stretch.upperBound)
    }
    let passed = min(window.count, wanted.lowerBound - first)
    window.removeFirst(passed)
    first += passed
    return window + [Float](repeating: 0, count: wanted.count - window.count)
  }

  /// Tells frames that the caller sent, or should have, and that were not played.
  private mutating func noteUnderrun(_ frames: Range<Int>) {
    let isEnded = shared.isDriveEnded.load(ordering: .acquiring)
    let end =
      isEnded ? min(frames.upperBound, shared.sent.load(ordering: .acquiring)) : frames.upperBound
    drive.note(.underrun, frame: frames.lowerBound, length: end - frames.lowerBound)
  }
}
