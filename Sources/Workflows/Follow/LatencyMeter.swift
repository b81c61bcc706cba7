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
  private var heardQueue: RealtimeQueue<Float>.Consumer
  private var markQueue: RealtimeQueue<HeardMark>.Consumer
  private var driveQueue: RealtimeQueue<Float>.Consumer
  private var motionQueue: RealtimeQueue<Float>.Consumer
  private var soundQueue: RealtimeQueue<Float>.Consumer
  private var referenceQueue: RealtimeQueue<Float>.Consumer
  private var heard = Lane()
  private var drive = Lane()
  private var motion = Lane()
  private var sound = Lane()
  private var reference = Lane()
  private var marks: [HeardMark] = []
  private var next = 0
  /// How much later than at first the drive comes back by the wire, in seconds, and how late it was at first.
  private var drift = 0.0
  private var firstReturn: Double?
  /// How many samples of the sound were taken.
  package private(set) var takenCount = 0

  init(
    rate: SampleRate, isOwn: Bool, isPaced: Bool,
    heard: consuming RealtimeQueue<Float>.Consumer,
    marks: consuming RealtimeQueue<HeardMark>.Consumer,
    drive: consuming RealtimeQueue<Float>.Consumer,
    motion: consuming RealtimeQueue<Float>.Consumer,
    sound: consuming RealtimeQueue<Float>.Consumer,
    reference: consuming RealtimeQueue<Float>.Consumer
  ) {
    self.rate = rate
    self.isOwn = isOwn
    self.isPaced = isPaced
    heardQueue = heard
    markQueue = marks
    driveQueue = drive
    motionQueue = motion
    soundQueue = sound
    referenceQueue = reference
  }

  /// The samples of a signal that are kept, by their frames.
  private struct Lane {
    var first = 0
    var samples: [Float] = []
    var end: Int { first + samples.count }

    mutating func take(_ queue: inout RealtimeQueue<Float>.Consumer) {
      let count = queue.available
      for _ in 0..<count { if let sample = queue.pop() { samples.append(sample) } }
    }

    mutating func forget(before frame: Int) {
      let count = min(samples.count, max(0, frame - first))
      samples.removeFirst(count)
      first += count
    }

    func at(_ frames: some Sequence<Int>) -> [Float] {
      frames.map { $0 >= first && $0 < end ? samples[$0 - first] : 0 }
    }
  }

  /// Takes what was told, and gives the windows that are whole with it.
  package func look() -> [Window] {
    heard.take(&heardQueue)
    drive.take(&driveQueue)
    motion.take(&motionQueue)
    sound.take(&soundQueue)
    reference.take(&referenceQueue)
    for _ in 0..<markQueue.available { if let mark = markQueue.pop() { marks.append(mark) } }
    if let last = marks.last { takenCount = last.count }
    var windows: [Window] = []
    let length = rate.wholeFrames(Self.window)
    let reach = length + rate.wholeFrames(Self.longest)
    // A capture that has died is waited for no longer than the queues hold.
    let patience = rate.wholeFrames(Self.queueSeconds / 2)
    // A rig without an accelerometer has a drive all the same.
    while drive.end >= next + reach,
      motion.end == 0 || motion.end >= next + reach + shift || drive.end >= next + patience
    {
      if let window = measure(next..<(next + length)) { windows.append(window) }
      next += length
      drive.forget(before: next)
      // The next window may lie a little earlier in the capture.
      let kept = next + shift - rate.wholeFrames(Self.window)
      motion.forget(before: kept)
      sound.forget(before: kept)
      reference.forget(before: kept)
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
    let captured = (late.lowerBound + shift)..<(late.upperBound + shift)
    let first = heard.at(frames.lazy.map(place))
    heard.forget(before: place(frames.upperBound) - rate.wholeFrames(Self.window))
    let (driven, moved, sounded) = (drive.at(late), motion.at(captured), sound.at(captured))
    func delay(
      _ second: [Float], _ first: [Float], _ from: Double, plus: Double = 0
    ) -> RiseDelay? {
      let found = try? RiseDelay.find(of: second, after: first, rate: rate, in: from...Self.longest)
      return found.flatMap {
        $0.delay.uncertainty < Self.sureness ? RiseDelay($0, later: plus) : nil
      }
    }
    let sent = Array(driven[..<frames.count])
    // Frames that were lost move it by more than clocks do.
    if let wire = delay(reference.at(captured), sent, -Self.longest)?.delay, wire.uncertainty < 5e-4
    {
      let total = wire.value + rate.seconds(Double(shift))
      let origin = firstReturn ?? total
      firstReturn = origin
      drift = total - origin
    }
    // What whole frames of the shift leave of the drift.
    let rest = drift - rate.seconds(Double(captured.lowerBound - late.lowerBound))
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
