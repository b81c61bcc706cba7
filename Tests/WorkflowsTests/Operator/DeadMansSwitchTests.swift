// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import SeededRandom
import Synchronization
import Testing
import Units
import Workflows

/// A drive that somebody holds, on a clock that only the drive's own frames move.
struct DeadMansSwitchTests {
  enum End: CaseIterable {
    case silence
    case close
    case wrongByte
  }

  /// What is heard and what is driven, on one clock.
  final class Stage: Sendable {
    struct State: Sendable {
      var now = 0.0
      /// When the watcher looked last.
      var looked = 0.0
      var held = DeadMansSwitch(at: 0)
      var heard: [(at: Double, bytes: [UInt8])]
      var isSilenced = false
      /// When each block that was driven begins, and whether it is more than zeros.
      var blocks: [(at: Double, isDriven: Bool)] = []
      var read = 0
      var sent = 0
    }

    let format: StreamFormat
    let channels: [CaptureChannel]
    let stop = StopSignal()
    let state: Mutex<State>

    init(_ rig: RigDescription, hearing: [(at: Double, bytes: [UInt8])]) {
      format = rig.drive.format
      channels = rig.capture.channels.map(\.port)
      state = Mutex(State(heard: hearing))
    }

    /// Lets the watcher do what it does until a moment: wait for a byte or for its patience to end, and take it.
    private func watch(_ state: inout State) {
      while state.held.reason == nil {
        // poll waits for whole milliseconds.
        let deadline = state.looked + state.held.remaining(at: state.looked) + 0.001
        if let next = state.heard.first, next.at < deadline {
          guard next.at <= state.now else { return }
          state.looked = next.at
          state.held.take(next.bytes, at: next.at)
          state.heard.removeFirst()
        } else {
          guard deadline <= state.now else { return }
          state.looked = deadline
          state.held.take(nil, at: deadline)
        }
      }
      stop.request(1)
    }

    func write(_ isDriven: Bool, frames: Int) {
      state.withLock { state in
        state.blocks.append((state.now, isDriven && !state.isSilenced))
        state.now += Double(frames) / format.rate.hertz
        state.sent += frames
        watch(&state)
      }
    }
  }

  final class Drive: DriveOutput {
    let stage: Stage

    init(_ stage: Stage) { self.stage = stage }

    var format: StreamFormat { stage.format }

    func start() {}

    func write(_ frames: Span<Float>) -> Int {
      let count = frames.count / format.channelCount
      stage.write(frames[0] != 0, frames: count)
      return count
    }

    func silence() { stage.state.withLock { $0.isSilenced = true } }

    func stop() {}

    func takeEvents() -> [StreamEvent] { [] }
  }

  final class Sensors: SensorInput {
    let stage: Stage

    init(_ stage: Stage) { self.stage = stage }

    var format: StreamFormat {
      StreamFormat(
        rate: stage.format.rate, channelCount: stage.channels.count,
        periodFrames: stage.format.periodFrames)
    }
    var channels: [CaptureChannel] { stage.channels }

    func start() {}

    func read(into frames: inout MutableSpan<Float>) -> Int {
      let count = frames.count / channels.count
      return stage.state.withLock { state in
        let given = min(count, state.sent - state.read)
        state.read += given
        return given
      }
    }

    func stop() {}

    func takeEvents() -> [StreamEvent] { [] }

    func clockReading() -> ClockReading? { nil }
  }

  /// A rig of one drive channel, slow enough for a thousand trials.
  private static func rig() throws -> RigDescription {
    let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    var rig = try RigFolder(file: "/\(folder)/rigs/simulated-lra.yaml").read().rig
    rig.drive.rate = SampleRate(hertz: 8000)
    rig.drive.periodFrames = 80
    rig.drive.channels = [.haptic: 1]
    return rig
  }

  @Test func `a drive that nobody holds is at zero within 100 ms, and no sooner`() async throws {
    let rig = try Self.rig()
    var random = SeededRandom(seed: 0xdead)
    for trial in 0..<1000 {
      let end = End.allCases[trial % 3]
      let last = random.uniform(0.1...2.5)
      var heard: [(at: Double, bytes: [UInt8])] = []
      var time = 0.0
      while true {
        // Beats come in time, some of them together, as a pipe hands them over.
        time += random.uniform(0.005...0.45)
        guard time < last else { break }
        heard.append((time, [UInt8](repeating: 0x2E, count: random.integer(1...3))))
      }
      let lastBeat = heard.last?.at ?? 0
      let letGo: Double
      switch end {
      case .silence: letGo = lastBeat + DeadMansSwitch.patience
      case .close:
        letGo = min(last, lastBeat + DeadMansSwitch.patience)
        heard.append((last, []))
      case .wrongByte:
        letGo = min(last, lastBeat + DeadMansSwitch.patience)
        heard.append((last, [0x2E, UInt8.random(in: 0x2F...0xFF, using: &random)]))
      }
      let stage = Stage(rig, hearing: heard)
      let session = Session(
        rig: rig, output: Drive(stage), input: Sensors(stage), stop: stage.stop, isPaced: true)
      let frames = DriveFrames(
        channels: [.haptic: [Float](repeating: 0.5, count: 8000 * 5)], count: 8000 * 5,
        rate: rig.drive.rate)
      let recording = await session.play(frames)
      let place = "trial \(trial), \(end), \(random)"
      #expect(recording.fault?.code == .interrupted, "\(place)")
      let blocks = stage.state.withLock { $0.blocks }
      let block = 80 / rig.drive.rate.hertz
      for entry in blocks where entry.at + block <= letGo {
        #expect(entry.isDriven, "\(place): stopped at \(entry.at) of \(letGo)")
      }
      let driven = blocks.last { $0.isDriven }?.at ?? 0
      #expect(driven + block <= letGo + 0.1, "\(place): driven at \(driven), let go at \(letGo)")
    }
  }

  @Test func `what comes too late does not bring a drive back`() {
    var held = DeadMansSwitch(at: 10)
    #expect(held.remaining(at: 10.2) == 0.3 || abs(held.remaining(at: 10.2) - 0.3) < 1e-9)
    held.take([0x2E], at: 10.49)
    held.take(nil, at: 10.9)
    #expect(held.reason == nil)
    held.take([0x2E], at: 11.0)
    #expect(held.reason == .silence)
    held.take([0x2E], at: 11.1)
    #expect(held.reason == .silence)
  }
}
