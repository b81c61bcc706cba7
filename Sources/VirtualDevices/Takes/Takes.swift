// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Units

extension DeviceError {
  static func lateCapture(_ device: String, after sent: Int) -> DeviceError {
    DeviceError(
      .refused, device: device,
      message:
        "the capture has to start before the first drive frame is written, not after \(sent)")
  }
}

extension DriveDescription {
  /// The role of each channel, `nil` where none uses it.
  var roles: [DriveRole?] {
    (1...channelCount).map { channel in DriveRole.allCases.first { channels[$0] == channel } }
  }
}

/// Interleaved frames on their way from a device to a reader, and how many have left.
struct FrameQueue: Sendable {
  private(set) var readFrames = 0

  private let channelCount: Int
  private var samples: [Float] = []
  private var next = 0

  init(channelCount: Int) { self.channelCount = channelCount }

  mutating func append(_ sample: Float) { samples.append(sample) }

  /// Moves frames out, up to a frame counted from the start, and returns how many.
  mutating func move(into frames: inout MutableSpan<Float>, upTo limit: Int) -> Int {
    let there = (samples.count - next) / channelCount
    let count = max(0, min(frames.count / channelCount, there, limit - readFrames))
    for place in 0..<(count * channelCount) { frames[place] = samples[next + place] }
    next += count * channelCount
    readFrames += count
    if next >= 16_384 {
      samples.removeFirst(next)
      next = 0
    }
    return count
  }
}

/// What a device did besides carrying frames, joined into as few events as say it.
struct EventLog: Sendable {
  /// What was noted since the last `take`, in the order of noting.
  private(set) var events: [StreamEvent] = []

  /// Notes that something touched a range of frames.
  ///
  /// It prolongs the last event of the same kind and channel where that ended no more than `gap`
  /// frames before.
  mutating func note(
    _ kind: StreamEvent.Kind, _ frames: Range<Int>, channel: String? = nil, gap: Int = 0
  ) {
    guard !frames.isEmpty else { return }
    let last = events.lastIndex { $0.kind == kind && $0.channel == channel }
    if let last, frames.lowerBound <= events[last].frames.upperBound + gap {
      let first = events[last].frame
      let end = max(frames.upperBound, events[last].frames.upperBound)
      events[last] = StreamEvent(kind: kind, frame: first, length: end - first, channel: channel)
    } else {
      events.append(
        StreamEvent(kind: kind, frame: frames.lowerBound, length: frames.count, channel: channel))
    }
  }

  /// A drive's sample within full scale, -1...1, and 0 for no number; any other is an overload.
  @inline(__always)
  mutating func limited(
    _ value: Float, at frame: Int, of role: DriveRole?, _ format: StreamFormat
  ) -> Float {
    guard !(abs(value) <= 1) else { return value }
    note(.overload, frame..<(frame + 1), channel: role?.rawValue, gap: format.overloadGap)
    return value.isNaN ? 0 : value > 0 ? 1 : -1
  }

  /// Hands over everything noted since the last call, in the order of frames.
  ///
  /// What goes on after this call becomes an event of its own.
  mutating func take() -> [StreamEvent] {
    defer { events = [] }
    return events.sorted {
      ($0.frame, $0.kind.rawValue, $0.channel ?? "") < (
        $1.frame, $1.kind.rawValue, $1.channel ?? ""
      )
    }
  }
}

extension StreamFormat {
  /// Clipped peaks of one tone are one overload: frames less than 10 ms apart are joined.
  var overloadGap: Int { Int(0.01 * rate.hertz) }
}

/// The clock that a device in real time goes by.
///
/// A device that paces itself takes it as a parameter, so that tests can move time by hand.
public protocol DeviceClock: Sendable {
  /// The time now, in nanoseconds since some fixed moment. Any thread.
  func now() -> UInt64

  /// Returns when the time has come; at once if it has passed. Any thread.
  func sleep(until nanoseconds: UInt64)
}

/// The host's monotonic clock.
///
/// Corresponds to `CLOCK_MONOTONIC`, since Linux cannot sleep on `CLOCK_MONOTONIC_RAW`.
public struct MonotonicClock: DeviceClock {
  /// Makes the clock.
  public init() {}

  /// Reads the clock.
  public func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Sleeps, and goes on sleeping where a signal woke it.
  public func sleep(until nanoseconds: UInt64) {
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
  }
}
