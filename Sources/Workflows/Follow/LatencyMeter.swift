// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Devices
package import JSONText
package import SignalAnalysis
import Units

/// Finds, window by window, how much later than the sound the drive and the motion are.
///
/// What was heard stands at the drive's frames: exactly where the drive's clock paces it or the rig has captured
/// it itself, else where it was taken on the average of a window. Where the capture has a clock of its own its frames
/// drift away from the drive's, some 40 ms in an hour at 12 ppm: the wire that brings the drive back tells by how much, and
/// nothing of it counts as latency.
package final class LatencyMeter {
  /// What one window says.
  package struct Window: Sendable, Equatable {
    /// Where it begins, in seconds of the drive.
    package var start: Double
    package var heardToDrive: RiseDelay?
    package var driveToMotion: RiseDelay?
    package var heardToMotion: RiseDelay?
    /// From the sound at the rig's own microphone to the motion.
    package var soundToMotion: RiseDelay?
    /// What the samples waited for on the way, by their counts, in seconds.
    package var buffers: Double

    /// Whether it says anything.
    package var isEmpty: Bool {
      heardToDrive == nil && driveToMotion == nil && heardToMotion == nil && soundToMotion == nil
    }
  }

  /// The length of a window, in seconds, and the longest delay that is looked for.
  package static let window = 4.0
  private static let longest = 0.35
  /// How sure a delay must be to be told, in seconds.
  private static let sureness = 0.02
  /// How much the queues hold, in seconds.
  static let queueSeconds = 20.0

  private let rate: SampleRate
  private let isOwn: Bool
  private let isPaced: Bool
  private var heardQueue: CaptureReader
  private var markQueue: RealtimeQueue<HeardMark>.Consumer
  private var driveQueue: CaptureReader
  private var capturedQueue: CaptureReader
  private var heard = Lane()
  private var drive = Lane()
  /// Motion, sound and reference, as `FollowTap` passes them on.
  private var captured = Lane(width: FollowTap.capturedCount)
  private var marks: [HeardMark] = []
  private var next = 0
  /// How much later than at first the drive comes back by the wire, in seconds, and how late it was at first.
  private var drift = 0.0
  private var firstReturn: Double?
  /// How many samples of the sound were taken.
  package private(set) var takenCount = 0

  init(
    rate: SampleRate, isOwn: Bool, isPaced: Bool,
    heard: consuming CaptureReader, marks: consuming RealtimeQueue<HeardMark>.Consumer,
    drive: consuming CaptureReader, captured: consuming CaptureReader
  ) {
    self.rate = rate
    self.isOwn = isOwn
    self.isPaced = isPaced
    heardQueue = heard
    markQueue = marks
    driveQueue = drive
    capturedQueue = captured
  }

  /// The frames of one or more signals that are kept.
  private struct Lane {
    var width = 1
    var first = 0
    var samples: [Float] = []
    /// Frames that were sent and not played, or captured and not had.
    var lost: [Range<Int>] = []
    var end: Int { first + samples.count / width }

    mutating func take(_ queue: inout CaptureReader) {
      let (there, width) = (queue.available, width)
      var taken = [Float](repeating: 0, count: there * width)
      var span = taken.mutableSpan
      let count = queue.read(into: &span)
      samples += taken[..<(count * width)]
      lost += queue.takeEvents().map(\.frames)
    }

    mutating func forget(before frame: Int) {
      let count = min(samples.count / width, max(0, frame - first))
      samples.removeFirst(count * width)
      first += count
      lost.removeAll { $0.upperBound <= first }
    }

    func at(_ frames: some Sequence<Int>, _ signal: Int = 0) -> [Float] {
      frames.map { $0 >= first && $0 < end ? samples[($0 - first) * width + signal] : 0 }
    }

    /// Puts other values in the place of what was lost, by those on either side.
    func mend(
      _ samples: [Float], at frames: Range<Int>, _ value: (_ before: Float, _ after: Float) -> Float
    ) -> [Float] {
      var mended = samples
      for gap in lost.map({ $0.clamped(to: frames) }) where !gap.isEmpty {
        let own = (gap.lowerBound - frames.lowerBound)..<(gap.upperBound - frames.lowerBound)
        let before = own.lowerBound > 0 ? mended[own.lowerBound - 1] : nil
        let after = own.upperBound < samples.count ? samples[own.upperBound] : nil
        let filled = value(before ?? after ?? 0, after ?? before ?? 0)
        for place in own { mended[place] = filled }
      }
      return mended
    }

    /// How many of some frames were lost.
    func lostCount(in frames: Range<Int>) -> Int {
      lost.reduce(0) { $0 + $1.clamped(to: frames).count }
    }
  }

  /// Takes what was told, and gives the windows that are whole with it.
  package func look() -> [Window] {
    heard.take(&heardQueue)
    drive.take(&driveQueue)
    captured.take(&capturedQueue)
    for _ in 0..<markQueue.available { if let mark = markQueue.pop() { marks.append(mark) } }
    if let last = marks.last { takenCount = last.count }
    var windows: [Window] = []
    let length = rate.wholeFrames(Self.window)
    let reach = length + rate.wholeFrames(Self.longest)
    // A capture that has died is waited for no longer than the queues hold.
    let patience = rate.wholeFrames(Self.queueSeconds / 2)
    // A rig without sensors has a drive all the same.
    while drive.end >= next + reach,
      captured.end == 0 || captured.end >= next + reach + shift || drive.end >= next + patience
    {
      if let window = measure(next..<(next + length)) { windows.append(window) }
      next += length
      drive.forget(before: next)
      // The next window may lie a little earlier in the capture.
      captured.forget(before: next + shift - rate.wholeFrames(Self.window))
      marks.removeAll { $0.frame < next - length }
    }
    return windows
  }

  /// The whole frames by which the capture is ahead of the drive by now.
  private var shift: Int { Int((drift * rate.hertz).rounded()) }

  /// Begins a window anew from now on, as after a change.
  package func restart() { next = max(next, drive.end) }

  /// The line through counts of samples by frames: clocks differ, and a pipe may be in a hurry.
  private static func line(
    _ marks: [HeardMark]
  ) -> (frame: Double, count: Double, slope: Double) {
    let share = 1 / Double(marks.count)
    let frame = marks.reduce(0) { $0 + Double($1.frame) } * share
    let count = marks.reduce(0) { $0 + Double($1.count) } * share
    var (product, square) = (0.0, 0.0)
    for mark in marks {
      product += (Double(mark.frame) - frame) * (Double(mark.count) - count)
      square += (Double(mark.frame) - frame) * (Double(mark.frame) - frame)
    }
    return (frame, count, square > 0 ? product / square : 1)
  }

  private func measure(_ frames: Range<Int>) -> Window? {
    let own = marks.filter { frames.contains($0.frame) }
    guard let last = own.last, own.count > 1 else { return nil }
    let gaps = own.map { Double($0.frame - $0.count) }
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    let batch = Double(last.count - own[0].count) / Double(own.count - 1)
    let line =
      isOwn || isPaced
      ? (frame: 0.0, count: isOwn ? Double(shift) : -mean, slope: 1.0) : Self.line(own)
    /// The sample of the sound that belongs to a frame.
    func place(_ frame: Int) -> Int {
      Int((line.count + line.slope * (Double(frame) - line.frame)).rounded())
    }
    let late = frames.lowerBound..<(frames.upperBound + rate.wholeFrames(Self.longest))
    let there = (late.lowerBound + shift)..<(late.upperBound + shift)
    let first = heard.at(frames.lazy.map(place))
    heard.forget(before: place(frames.upperBound) - rate.wholeFrames(Self.window))
    let driven = drive.at(late)
    // What was played, where it was not all that was sent; what was felt, where it was not all had: a step into
    // zeros and out again would be a rise of its own.
    let played = drive.mend(driven, at: late) { _, _ in 0 }
    let isHad = captured.lostCount(in: there) < there.count / 10
    func had(_ signal: Int) -> [Float] {
      guard isHad else { return [Float](repeating: 0, count: there.count) }
      return captured.mend(captured.at(there, signal), at: there) { ($0 + $1) / 2 }
    }
    let (moved, sounded) = (had(0), had(1))
    func delay(
      _ second: [Float], _ first: [Float], _ from: Double, plus: Double = 0
    ) -> RiseDelay? {
      let found = try? RiseDelay.find(of: second, after: first, rate: rate, in: from...Self.longest)
      return found.flatMap {
        $0.delay.uncertainty < Self.sureness ? RiseDelay($0, later: plus) : nil
      }
    }
    let sent = Array(played[..<frames.count])
    // Frames that were lost move it by more than clocks do.
    if let wire = delay(had(2), sent, -Self.longest)?.delay, wire.uncertainty < 5e-4 {
      let total = wire.value + rate.seconds(Double(shift))
      let origin = firstReturn ?? total
      firstReturn = origin
      drift = total - origin
    }
    // What whole frames of the shift leave of the drift.
    let rest = drift - rate.seconds(Double(there.lowerBound - late.lowerBound))
    let buffers = isPaced ? 0 : batch + (isOwn ? mean + drift * rate.hertz : 0)
    let window = Window(
      start: rate.seconds(Double(frames.lowerBound)),
      heardToDrive: delay(driven, first, -0.02, plus: isOwn ? rest : 0),
      driveToMotion: delay(moved, sent, -0.02, plus: -rest),
      heardToMotion: delay(moved, first, -0.02, plus: isOwn ? 0 : -rest),
      soundToMotion: delay(moved, Array(sounded[..<frames.count]), -0.2),
      buffers: rate.seconds(buffers))
    return window.isEmpty ? nil : window
  }
}

extension RiseDelay {
  /// As records carry it.
  package var json: JSONValue {
    func short(_ seconds: Double) -> JSONValue {
      seconds.isFinite ? .number((seconds * 1e6).rounded() / 1e6) : .null
    }
    return [
      "seconds": short(delay.value), "uncertainty": short(delay.uncertainty),
      "correlation": .number((correlation * 1e3).rounded() / 1e3),
    ]
  }
}

extension LatencyMeter.Window {
  /// As records and lines carry it.
  package var json: JSONValue {
    var members = [
      JSONMember("at", .number((start * 1e3).rounded() / 1e3)),
      JSONMember("buffers", .number((buffers * 1e6).rounded() / 1e6)),
    ]
    for (key, value) in [
      ("heardToDrive", heardToDrive), ("driveToMotion", driveToMotion),
      ("heardToMotion", heardToMotion), ("soundToMotion", soundToMotion),
    ] {
      if let value { members.append(JSONMember(key, value.json)) }
    }
    return .object(members)
  }
}
