// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc

@testable import ALSADevices

/// A duplex card that plays into its own capture, on a time of its own, with a script of what goes wrong.
///
/// 50,000 frames a second, so that a frame is 20 us and every time a whole number of nanoseconds. What the
/// world hears is kept by the frame of the world's time, silence where nothing is played; the capture
/// hears the world. So drive frame k comes back as capture frame k wherever the engine places both right.
struct ScriptedCard: ~Copyable, DuplexPCM {
  /// What goes wrong, by the number of the wait.
  enum Trouble: Equatable {
    /// The program does not run for so many frames.
    case stall(frames: Int)
    case interrupted
    /// News without anything to do.
    case spurious
    /// No news for the whole wait, and no time for the card either.
    case silence
    case suspend(resumes: Int32)
    case unplug
    /// Every call from here on moves nothing.
    case freeze
  }

  /// What the card says of its own time.
  enum Stamps {
    case faithful
    case zero
    case backwards
    /// Triggers keep the value of the first start.
    case stale
  }

  static let frameTime: Int64 = 20_000
  static let rate = 50_000.0

  let period: Int
  let buffer: Int
  let channels: Int
  var isLinked = false
  var troubles: [Int: Trouble] = [:]
  var stamps = Stamps.faithful
  /// At most so many frames are moved by a call.
  var most = Int.max
  var canRewind = true
  /// How long after the capture the playback starts, where they are not linked.
  var skew = 7
  /// Whether frames move only as both sides do, without any time.
  var isLockStep = false
  /// Time stands still until this is true: what a thread of its own does can then be foretold.
  var gate: (@Sendable () -> Bool)?
  /// A request to stop that is made as the card plays a frame of the world's time; it ends one wait.
  var stopping: (signal: StopSignal, frame: Int)?
  private var hasWoken = false
  /// Frames that the capture gains in a million.
  var capturePPM = 0.0

  private(set) var time: Int64 = 1_000_000_000
  private(set) var waits = 0
  private(set) var starts = 0
  private(set) var pauses = 0
  private(set) var isDropped = true
  /// By the frame of the world's time since the first start.
  private(set) var world: [Float] = []

  private var state: (playback: PCMState, capture: PCMState) = (.ready, .ready)
  private var trigger: (playback: Int64, capture: Int64) = (0, 0)
  private var firstTrigger: Int64 = 0
  private var origin: Int64 = -1
  /// Frames of the ring that were written, played, captured and read since the start.
  private var ring: [Float] = []
  private var played = 0
  private var heard = 0
  private var taken = 0
  private var isGone = false
  private var isFrozen = false
  private var resumeAnswer: Int32 = 0
  private let playStage: UnsafeMutablePointer<Float>
  private let captureStage: UnsafeMutablePointer<Float>

  init(period: Int = 64, buffer: Int = 256, channels: Int = 1) {
    self.period = period
    self.buffer = buffer
    self.channels = channels
    playStage = .allocate(capacity: buffer * channels)
    captureStage = .allocate(capacity: buffer * channels)
    playStage.initialize(repeating: 0, count: buffer * channels)
    captureStage.initialize(repeating: 0, count: buffer * channels)
  }

  deinit {
    playStage.deallocate()
    captureStage.deallocate()
  }

  private var written: Int { ring.count / channels }

  /// The frame of the world's time.
  private func frame(at time: Int64) -> Int { Int((time - origin) / Self.frameTime) }

  private func captureFrame(at time: Int64) -> Int {
    let frames = Double(time - trigger.capture) / Double(Self.frameTime)
    return Int(frames * (1 + capturePPM * 1e-6))
  }

  /// Lets time pass, frame by frame: the card plays, hears and breaks at its own moments.
  private mutating func pass(to end: Int64) {
    while time < end {
      let next = min(end, time + Self.frameTime)
      time = next
      guard !isFrozen else { continue }
      if state.playback == .running {
        let due = Int((time - trigger.playback) / Self.frameTime)
        while played < due {
          guard played < written else {
            breakOff(at: trigger.playback + Int64(played) * Self.frameTime)
            break
          }
          hear(ring[played * channels], at: frame(at: trigger.playback) + played)
          played += 1
        }
      }
      if state.capture == .running {
        heard = captureFrame(at: time)
        if heard - taken >= buffer { breakOff(at: time) }
      }
    }
  }

  private mutating func hear(_ sample: Float, at frame: Int) {
    while world.count <= frame { world.append(0) }
    world[frame] = sample
    if let stopping, frame == stopping.frame { stopping.signal.request(15) }
  }

  private mutating func breakOff(at moment: Int64) {
    if state.playback == .running, isLinked || played >= written {
      (state.playback, trigger.playback) = (.broken, moment)
    }
    if state.capture == .running, isLinked || heard - taken >= buffer {
      (state.capture, trigger.capture) = (.broken, moment)
      brokenCaptureStart = startOfCapture
    }
  }

  /// The capture's start, which its trigger no longer says after a break.
  private var startOfCapture: Int64 = 0
  private var brokenCaptureStart: Int64 = 0

  mutating func prepare() -> Int32 {
    guard !isGone else { return -19 }
    ring = []
    (played, heard, taken) = (0, 0, 0)
    state = (.ready, .ready)
    return 0
  }

  mutating func start() -> PCMStart {
    guard !isGone else { return PCMStart(code: -19) }
    starts += 1
    isDropped = false
    let captureTime = time
    if origin < 0 { (origin, firstTrigger) = (time, time) }
    state.capture = .running
    (trigger.capture, startOfCapture) = (time, time)
    if !isLinked, !isLockStep { pass(to: time + Int64(skew) * Self.frameTime) }
    state.playback = .running
    trigger.playback = time
    return PCMStart(
      code: 0, captureFrom: captureTime, captureTo: captureTime, playbackFrom: time,
      playbackTo: time)
  }

  mutating func drop() {
    isDropped = true
    state = (.ready, .ready)
  }

  mutating func wait(milliseconds: Int32) -> Int32 {
    while let gate, !gate() { usleep(50) }
    waits += 1
    switch troubles[waits] {
    case .stall(let frames): pass(to: time + Int64(frames) * Self.frameTime)
    case .interrupted: return -4
    case .spurious: return 1
    case .silence:
      time += Int64(milliseconds) * 1_000_000
      return 0
    case .suspend(let resumes):
      resumeAnswer = resumes
      pass(to: time + 11 * Self.frameTime)
      state = (.suspended, .suspended)
      time += 5000 * Self.frameTime
    case .unplug: isGone = true
    case .freeze: isFrozen = true
    case nil: break
    }
    if isGone { return -19 }
    if state.playback == .suspended || state.capture == .suspended { return -86 }
    let limit = time + Int64(milliseconds) * 1_000_000
    while time < limit {
      if stopping?.signal.requested != nil, !hasWoken {
        hasWoken = true
        return 1
      }
      if state.playback == .broken || state.capture == .broken { return -32 }
      if state.capture == .running, heard - taken >= period { return 1 }
      if state.playback == .running, buffer - (written - played) >= period { return 1 }
      pass(to: time + Self.frameTime)
    }
    return 0
  }

  mutating func pause(nanoseconds: Int64) {
    pauses += 1
    pass(to: time + nanoseconds / Self.frameTime * Self.frameTime)
  }

  mutating func look(_ direction: Direction) -> PCMLook {
    if isGone { return PCMLook(available: -19) }
    switch direction == .playback ? state.playback : state.capture {
    case .broken: return PCMLook(available: -32)
    case .suspended: return PCMLook(available: -86)
    default:
      if isLockStep { step() }
      return PCMLook(available: available(direction), time: stamp())
    }
  }

  /// Plays what was written but its last frame, as far as the capture has room.
  private mutating func step() {
    while state.playback == .running, played < min(written - 1, taken + buffer - 1) {
      hear(ring[played * channels], at: played)
      played += 1
    }
    heard = played
  }

  mutating func captureDelay() -> Int { heard - taken }

  private func available(_ direction: Direction) -> Int {
    direction == .playback ? buffer - (written - played) : heard - taken
  }

  private func stamp() -> Int64 {
    switch stamps {
    case .faithful, .stale: time
    case .zero: 0
    case .backwards: 1_000_000_000 - Int64(waits)
    }
  }

  mutating func status(_ direction: Direction) -> PCMStatus {
    let time =
      switch stamps {
      case .faithful: direction == .playback ? trigger.playback : trigger.capture
      case .zero: Int64(0)
      case .backwards: Int64(12)
      case .stale: firstTrigger
      }
    return PCMStatus(
      state: isGone ? .gone : direction == .playback ? state.playback : state.capture,
      available: available(direction), triggerTime: time)
  }

  mutating func resume(_ direction: Direction) -> Int32 { resumeAnswer }

  mutating func begin(_ direction: Direction, frames: Int) -> PCMArea {
    if isGone { return PCMArea(bytes: nil, frames: -19) }
    let count = min(frames, buffer)
    guard direction == .capture else {
      return PCMArea(bytes: UnsafeMutableRawPointer(playStage), frames: count)
    }
    let first = Int((startOfCapture - origin) / Self.frameTime)
    for place in 0..<count {
      let frame = first + Int(Double(taken + place) / (1 + capturePPM * 1e-6))
      for channel in 0..<channels {
        captureStage[place * channels + channel] = world.indices.contains(frame) ? world[frame] : 0
      }
    }
    return PCMArea(bytes: UnsafeMutableRawPointer(captureStage), frames: count)
  }

  mutating func commit(_ direction: Direction, frames: Int) -> Int {
    let count = min(frames, most)
    if direction == .capture {
      taken += count
    } else {
      for place in 0..<(count * channels) { ring.append(playStage[place]) }
    }
    return count
  }

  mutating func rewind(frames: Int) -> Int {
    guard canRewind else { return 0 }
    let count = min(frames, written - played)
    ring.removeLast(count * channels)
    return count
  }

  mutating func now() -> Int64 { time }
  mutating func threadTime() -> Int64 { time / 100 }
}
