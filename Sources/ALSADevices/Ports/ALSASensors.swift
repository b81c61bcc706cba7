// SPDX-License-Identifier: Apache-2.0

package import Devices
import Synchronization
import Units

/// The sensors at a sound card, in SI units.
///
/// `read` returns 0 while the drive has room for a period: the drive goes on first. Else it waits for
/// frames. It never delivers more frames than were driven.
package final class ALSASensors: SensorInput {
  package let format: StreamFormat
  package let channels: [CaptureChannel]

  private let halves: StreamHalves
  private var stream: any DuplexStream { halves.stream }
  /// How many drive frames wait for the card, at most.
  private let driveCapacity: Int
  /// By channel, SI units at full scale.
  private let scales: [Float]
  /// The largest sample that the converter has.
  private let largest: Float
  private let state: Mutex<State>

  private struct State: Sendable {
    var delivered = 0
    var log: OverloadLog
    /// What the engine told and nobody took yet.
    var told: [StreamEvent] = []
  }

  init(
    _ halves: StreamHalves, format: StreamFormat, channels: [CaptureChannel], scales: [Float],
    largest: Float, driveCapacity: Int
  ) {
    self.halves = halves
    self.format = format
    self.channels = channels
    self.scales = scales
    self.largest = largest
    self.driveCapacity = driveCapacity
    state = Mutex(State(log: OverloadLog(gap: format.rate.wholeFrames(0.01))))
  }

  /// Begins a take, or joins the one that the drive began.
  package func start() throws(DeviceError) {
    try halves.start(.sensors)
    state.withLock { $0 = State(log: OverloadLog(gap: $0.log.gap)) }
  }

  package func read(into frames: inout MutableSpan<Float>) throws(DeviceError) -> Int {
    let width = format.channelCount
    let room = format.frameCount(ofSamples: frames.count)
    guard halves.isRunning(.sensors) else { throw .notStarted(halves.device, "read") }
    let shared = stream.shared
    while true {
      if stream.isLockStep, shared.sent.load(ordering: .acquiring) > 0, stream.fault() == nil {
        _ = try stream.advance()
      }
      let delivered = state.withLock { $0.delivered }
      let due = shared.sent.load(ordering: .acquiring) - delivered
      let wanted = min(room, due)
      guard wanted > 0 else { return 0 }
      var part = frames._mutatingExtracting(0..<(wanted * width))
      let count = shared.capture.withLock { $0.read(into: &part) }
      if count > 0 {
        scale(&frames, count, from: delivered)
        return count
      }
      if let fault = stream.fault() { throw fault }
      if shared.hasEnded.load(ordering: .acquiring) { return 0 }
      if try driveGoesFirst() { return 0 }
      StreamHalves.sleep(periods: 0.25, of: format)
    }
  }

  /// Ends the capture; frames that were not read are gone.
  package func stop() throws(DeviceError) { halves.stop(.sensors) }

  package func takeEvents() -> [StreamEvent] {
    let gaps = stream.shared.capture.withLock { $0.takeEvents() }
    let events = state.withLock { state in
      defer { state.told = [] }
      return state.told + gaps + state.log.take()
    }
    return events.sorted { $0.frame < $1.frame }
  }

  package func seenEvents() -> [StreamEvent] {
    let gaps = stream.shared.capture.withLock { $0.seenEvents() }
    return state.withLock { $0.told + gaps + $0.log.events }
  }

  /// Reads the frame that the card captured last, and when; `nil` in lock-step.
  package func clockReading() -> ClockReading? { stream.shared.captureClock.load() }

  /// Whether a read with nothing there shall leave it to the drive.
  private func driveGoesFirst() throws(DeviceError) -> Bool {
    let shared = stream.shared
    let isEnded = shared.isDriveEnded.load(ordering: .acquiring)
    if stream.isLockStep {
      guard isEnded else { return true }
      throw DeviceError(
        .stalled, device: halves.device,
        message: "the card takes silence and gives no frames for it")
    }
    if isEnded { return false }
    let waiting =
      shared.sent.load(ordering: .acquiring) - shared.driven.load(ordering: .acquiring)
    return driveCapacity - waiting >= format.periodFrames
  }

  /// Makes SI units of full scales, and notes what was clipped.
  private func scale(_ frames: inout MutableSpan<Float>, _ count: Int, from first: Int) {
    let width = format.channelCount
    let gaps = stream.shared.capture.withLock { $0.takeEvents() }
    state.withLock { state in
      for frame in 0..<count {
        for channel in 0..<width {
          let sample = frames[frame * width + channel]
          if !(sample < largest && sample > -1) {
            state.log.note(frame: first + frame, channel: channel, name: channels[channel].name)
          }
          frames[frame * width + channel] = sample * scales[channel]
        }
      }
      state.delivered += count
      state.told += gaps
    }
  }
}

/// Overloads joined into as few events as say them: clipped peaks of one tone are one overload.
struct OverloadLog: Sendable {
  /// The frames between two clipped ones that still belong together.
  let gap: Int
  /// What was noted since the last `take`, in the order of noting.
  private(set) var events: [StreamEvent] = []
  private var latest: [Int: Int] = [:]

  init(gap: Int) { self.gap = gap }

  mutating func note(frame: Int, channel: Int, name: String?) {
    if let place = latest[channel], frame <= events[place].frames.upperBound + gap {
      let first = events[place].frame
      guard frame >= events[place].frames.upperBound else { return }
      events[place] = StreamEvent(
        kind: .overload, frame: first, length: frame + 1 - first, channel: name)
    } else {
      latest[channel] = events.count
      events.append(StreamEvent(kind: .overload, frame: frame, length: 1, channel: name))
    }
  }

  mutating func take() -> [StreamEvent] {
    defer { (events, latest) = ([], [:]) }
    return events
  }
}
