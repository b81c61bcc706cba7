// SPDX-License-Identifier: Apache-2.0

package import Devices
import Glibc
import Units

/// Sensors that sample by a clock of their own, beside another device's drive.
///
/// A thread of their own listens from `start` on, or whoever reads where the source is its own time. Frame 0 is
/// laid where the drive says that its own frame 0 was (`follow`). `read` never waits while the drive goes on, and
/// never delivers more frames than were driven.
package final class SampledSensors: SensorInput {
  package let format: StreamFormat
  package let channels: [CaptureChannel]

  private let setup: SampledSetup
  private let source: any SampleSource
  private let state: Guarded<State>
  private let thread = Guarded<RealtimeThread?>(nil)
  private let capacity: Int

  private struct State: Sendable {
    var engine: SampledEngine
    /// Frames that nobody read yet, interleaved, from `delivered` on.
    var waiting: [Float] = []
    var delivered = 0
    /// Drive frames so far, and where frame 0 of the drive was.
    var driven = 0
    var driveStart: UInt64?
    var isDriveEnded = false
    var isEndWanted = false
    var events: [StreamEvent] = []
    var clock: ClockReading?
    var fault: DeviceError?
  }

  init(
    _ source: any SampleSource, setup: SampledSetup, channels: [CaptureChannel], periodFrames: Int
  ) {
    self.source = source
    self.setup = setup
    self.channels = channels
    format = StreamFormat(
      rate: setup.frameRate, channelCount: channels.count, periodFrames: periodFrames)
    capacity = setup.frameRate.wholeFrames(5)
    state = Guarded(State(engine: SampledEngine(setup, at: source.now)))
  }

  deinit { end() }

  package func start() throws(DeviceError) {
    end()
    try source.restart()
    state.withLock { $0 = State(engine: SampledEngine(setup, at: source.now)) }
    if source.isVirtual { return }
    try thread.withLock { (slot) throws(DeviceError) in
      slot = try RealtimeThread(name: "haprig-sensor", priority: 70) { [weak self] in
        while self?.serve(milliseconds: 20) == true {}
      }
    }
  }

  package func follow(frames: Int, clock: ClockReading?) {
    state.withLock { state in
      state.driven += frames
      guard state.driveStart == nil, let clock else { return }
      let passed = UInt64(setup.frameRate.seconds(Double(clock.frame)) * 1e9)
      state.driveStart = clock.nanoseconds > passed ? clock.nanoseconds - passed : 0
    }
  }

  package func endDrive() {
    state.withLock { state in
      state.isDriveEnded = true
      // A drive that told no time has none to be laid on.
      if state.driveStart == nil { state.driveStart = source.now }
    }
  }

  package var clockRate: StreamStatistics.ClockRate? { state.withLock { $0.engine.rate } }

  /// Delivers frames in SI units; 0 where the drive has to go on first.
  package func read(into frames: inout MutableSpan<Float>) throws(DeviceError) -> Int {
    let width = format.channelCount
    let room = format.frameCount(ofSamples: frames.count)
    if source.isVirtual { _ = serve(milliseconds: 0) }
    while true {
      var taken: [Float] = []
      let (isDone, fault) = state.withLock { state -> (Bool, DeviceError?) in
        let wanted = min(room, state.driven - state.delivered)
        let count = min(wanted, state.waiting.count / width)
        taken = Array(state.waiting.prefix(count * width))
        state.waiting.removeFirst(count * width)
        state.delivered += count
        let waits = wanted > 0 && count == 0 && state.isDriveEnded
        return (!waits, count == 0 ? state.fault : nil)
      }
      if let fault { throw fault }
      if isDone {
        for place in taken.indices { frames[place] = taken[place] }
        return taken.count / width
      }
      if source.isVirtual { _ = serve(milliseconds: 1) } else { usleep(1000) }
    }
  }

  /// Ends the capture; refuses a rate that is for certain not that of the rig file.
  package func stop() throws(DeviceError) {
    end()
    let fault = state.withLock { $0.fault == nil ? $0.engine.rateFault : nil }
    if let fault { throw fault }
  }

  package func takeEvents() -> [StreamEvent] {
    state.withLock { state in
      defer { state.events = [] }
      return (state.events + state.engine.takeDrops()).sorted { $0.frame < $1.frame }
    }
  }

  package func seenEvents() -> [StreamEvent] {
    state.withLock { state in
      state.events += state.engine.takeDrops()
      return state.events
    }
  }

  package func clockReading() -> ClockReading? { state.withLock { $0.clock } }

  private func end() {
    state.withLock { $0.isEndWanted = true }
    let running = thread.withLock { $0.take() }
    _ = consume running
    source.stop()
  }

  private func serve(milliseconds: Int32) -> Bool {
    if state.withLock({ $0.isEndWanted || $0.fault != nil }) { return false }
    do throws(DeviceError) {
      let events = try source.read(milliseconds: milliseconds)
      let now = source.now
      try state.withLock { (state) throws(DeviceError) in
        try state.engine.take(events, at: now)
        makeFrames(&state, at: now)
      }
      return true
    } catch {
      source.stop()
      state.withLock { $0.fault = error }
      return false
    }
  }

  private func makeFrames(_ state: inout State, at nanoseconds: UInt64) {
    if let start = state.driveStart { state.engine.lay(at: start) }
    let width = format.channelCount
    let made = state.engine.frames(limit: format.rate.wholeFrames(1))
    guard !made.isEmpty else { return }
    let end = state.delivered + state.waiting.count / width
    let count = made.count / width
    state.waiting += made
    state.clock = ClockReading(frame: end + count, nanoseconds: nanoseconds)
    let over = state.waiting.count / width - capacity
    guard over > 0 else { return }
    // Nobody read for seconds: what is newest stands as zeros.
    let first = max(0, state.waiting.count / width - over)
    for place in (first * width)..<state.waiting.count { state.waiting[place] = 0 }
    let event = StreamEvent(
      kind: .overrun, frame: end + count - min(over, count), length: min(over, count))
    state.events.append(event)
  }
}
