// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import Glibc
import SeededRandom
import SignalAnalysis
import Synchronization
import Units

/// What a wire from the reference output to the reference input does to a sweep.
struct Loop: Sendable {
  /// The delay of drive frame 0 in capture frames, one a start; the last goes on.
  var delays: [Double]
  /// How much faster the capture counts than the drive, in ppm.
  var drift = 0.0
  /// What a drive of 1 comes back as; negative where the polarity is turned.
  var gain = 1.0
  /// White noise RMS.
  var noise = 0.0
  var seed: UInt64 = 1
  /// A second way: so many frames after the first, so strong beside it.
  var echo: (distance: Double, share: Double)?
  /// Where the input ends.
  var ceiling = Double.infinity
  /// Capture frames of every stream that are lost, as zeros.
  var gaps: [Range<Int>] = []
  /// How they are lost: an overrun starts the device anew, a drop does not.
  var gapKind = StreamEvent.Kind.drop
  /// How much the delay is another one, in frames, for sweeps that begin after the first gap.
  var jump = 0.0
  /// Whether the device tells of its gaps and of its clipping.
  var isTold = true
  /// The frame of the capture at which a stream fails, and which stream does.
  var fault: (stream: Int, frame: Int)?
}

/// A device that is nothing but a wire between two clocks, computed from the sweep's own formula.
///
/// It listens for sweeps in what is really sent: their first frame is the last of a silence.
final class LoopRig: Sendable {
  struct State {
    var stream = -1
    var sent = 0
    var read = 0
    var silentFrames = 0
    /// The strongest sample that was sent on another channel than the reference.
    var strayPeak: Float = 0
    var starts: [Int] = []
    var events: [StreamEvent] = []
    var random: SeededRandom
  }

  let loop: Loop
  let rig: RigDescription
  private let place: Int
  fileprivate let state: Mutex<State>

  init(_ loop: Loop, rig: RigDescription) {
    self.loop = loop
    self.rig = rig
    place = (rig.drive.channels[.reference] ?? 1) - 1
    state = Mutex(State(random: SeededRandom(seed: loop.seed)))
  }

  /// The strongest sample that was sent on another channel than the reference.
  var strayPeak: Float { state.withLock { $0.strayPeak } }

  /// Measures this loop as haprig would.
  func measured(_ plan: LatencyPlan) async throws -> LatencyMeasurement {
    let session = Session(
      rig: rig, output: LoopDrive(rig: self), input: LoopSensors(rig: self), stop: StopSignal(),
      isPaced: false)
    return try await LatencyMeasurement.measure(plan, on: rig, session: session)
  }

  fileprivate func take(_ frames: Span<Float>) -> Int {
    let width = rig.drive.channelCount
    let count = frames.count / width
    state.withLock { state in
      for frame in 0..<count {
        for channel in 0..<width where channel != place {
          state.strayPeak = max(state.strayPeak, abs(frames[frame * width + channel]))
        }
        if frames[frame * width + place] == 0 {
          state.silentFrames += 1
        } else {
          if state.silentFrames > 100 { state.starts.append(state.sent + frame - 1) }
          state.silentFrames = 0
        }
      }
      state.sent += count
    }
    return count
  }

  fileprivate func give(_ frames: inout MutableSpan<Float>) throws(DeviceError) -> Int {
    let width = rig.capture.channels.count
    let wanted = frames.count / width
    let block = try state.withLock { (state) throws(DeviceError) -> [Float] in
      let range = state.read..<min(state.sent, state.read + wanted)
      if let fault = loop.fault, fault.stream == state.stream, range.upperBound > fault.frame {
        throw DeviceError(.unplugged, device: "loop", message: "gone as scripted")
      }
      state.read = range.upperBound
      return heard(range, &state)
    }
    for (index, sample) in block.enumerated() {
      for channel in 0..<width { frames[index * width + channel] = sample }
    }
    return block.count
  }

  /// The reference input over a range of frames.
  private func heard(_ range: Range<Int>, _ state: inout State) -> [Float] {
    var block = range.map { _ in loop.noise * state.random.gaussian() }
    let delay = loop.delays[min(max(0, state.stream), loop.delays.count - 1)]
    add(loop.gain, delay: delay, state.starts, range, to: &block)
    if let echo = loop.echo {
      add(loop.gain * echo.share, delay: delay + echo.distance, state.starts, range, to: &block)
    }
    for index in block.indices where abs(block[index]) > loop.ceiling {
      block[index] = block[index] > 0 ? loop.ceiling : -loop.ceiling
      note(.overload, (range.lowerBound + index)..<(range.lowerBound + index + 1), &state)
    }
    for gap in loop.gaps where gap.overlaps(range) {
      let lost = gap.clamped(to: range)
      for frame in lost { block[frame - range.lowerBound] = 0 }
      note(loop.gapKind, lost, &state)
    }
    return block.map { Float($0) }
  }

  private func note(_ kind: StreamEvent.Kind, _ frames: Range<Int>, _ state: inout State) {
    guard loop.isTold else { return }
    state.events.append(StreamEvent(kind: kind, frame: frames.lowerBound, length: frames.count))
  }

  /// Capture frame n shows the drive at (n - delay) / (1 + drift), in drive frames.
  private func add(
    _ gain: Double, delay: Double, _ starts: [Int], _ range: Range<Int>, to block: inout [Double]
  ) {
    let pace = 1 + loop.drift * 1e-6
    let rate = rig.drive.rate.hertz
    let sweep = Sweep.marker
    for start in starts {
      let delay = delay + (start > loop.gaps.first?.lowerBound ?? Int.max ? loop.jump : 0)
      let first = Int((Double(start) * pace + delay).rounded(.down))
      let last = first + Int(sweep.duration * rate) + 4
      guard first < range.upperBound, last > range.lowerBound else { continue }
      for frame in (first..<last).clamped(to: range) {
        let time = ((Double(frame) - delay) / pace - Double(start)) / rate
        block[frame - range.lowerBound] += gain * sweep.value(at: time)
      }
    }
  }

  fileprivate func begin() {
    state.withLock { state in
      state.stream += 1
      (state.sent, state.read, state.silentFrames) = (0, 0, 0)
      state.starts = []
    }
  }
}

private final class LoopDrive: DriveOutput {
  private let rig: LoopRig

  init(rig: LoopRig) { self.rig = rig }

  var format: StreamFormat { rig.rig.drive.format }
  func start() throws(DeviceError) { rig.begin() }
  func write(_ frames: Span<Float>) throws(DeviceError) -> Int { rig.take(frames) }
  func silence() {}
  func stop() throws(DeviceError) {}
  func takeEvents() -> [StreamEvent] { [] }
  func clockReading() -> ClockReading? { nil }
}

private final class LoopSensors: SensorInput {
  private let rig: LoopRig

  init(rig: LoopRig) { self.rig = rig }

  var format: StreamFormat { rig.rig.drive.format }
  var channels: [CaptureChannel] { rig.rig.capture.channels.map(\.port) }
  func start() throws(DeviceError) {}
  func read(into frames: inout MutableSpan<Float>) throws(DeviceError) -> Int {
    try rig.give(&frames)
  }
  func stop() throws(DeviceError) {}
  func takeEvents() -> [StreamEvent] {
    rig.state.withLock { state in
      defer { state.events = [] }
      return state.events
    }
  }
  func clockReading() -> ClockReading? { nil }
}
