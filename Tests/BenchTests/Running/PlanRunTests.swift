// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Perception
import ScratchFolder
import SoundFiles
import Synchronization
import Testing
import Units
import VirtualDevices

/// Whole plans on the simulated rig, at half the usual rate to be quick.
struct PlanRunTests {
  /// A run that is over, with the recordings that it kept.
  private struct Finished {
    let recordings: [String: [UInt8]]
    let outcome: PlanRun.Outcome
    let progress: [String]

    func recording(_ file: String?) throws -> SoundFile {
      let name = try #require(file)
      return try SoundFile.read(bytes: try #require(recordings[name]), name: name)
    }
  }

  private static func run(
    _ names: [String] = ["a", "b"], repeats: Int = 1, seed: UInt64 = 7,
    faults: [SimulationDescription.Fault] = [], stop: StopSignal? = nil
  ) async throws -> Finished {
    let plant = try #require(PlantParameters.named("linX-170"))
    let rig = Rigs.described(
      rate: SampleRate(hertz: 24_000),
      device: .simulated(
        SimulationDescription(
          seed: seed, plant: plant, drive: .init(latency: 4e-3, jitter: 20e-6),
          capture: .init(latency: 2e-3), transportDelay: 0.4e-3, faults: faults)))
    let devices = try SimulatedRig(rig)
    let session = Session(
      rig: rig, output: devices.drive, input: devices.sensors, stop: stop ?? StopSignal(),
      isPaced: false)
    let scratch = try ScratchFolder()
    let patterns = try names.enumerated().map { place, name in
      try Rigs.pattern([AHAPText.tap(at: 0, sharpness: Double(place) / 4)], name: name)
    }
    let run = PlanRun(
      plan: Plan(name: "test", repeats: repeats), patterns: patterns,
      builder: TakeBuilder(rig: rig, hasProbe: false), target: IntensityTarget(),
      folder: scratch.path)
    let progress = Mutex<[String]>([])
    let outcome = try await run.execute(session) { step in
      switch step {
      case .began(let pattern, let take, let done, let total, _):
        progress.withLock { $0.append("began \(pattern) \(take), \(done) of \(total)") }
      case .measured(let pattern, let take, _):
        progress.withLock { $0.append("measured \(pattern) \(take)") }
      case .playing, .control: break
      }
    }
    let kept = ScratchFolder.names(in: scratch.path).map {
      ($0, ScratchFolder.bytes(scratch.path + "/" + $0))
    }
    return Finished(
      recordings: Dictionary(uniqueKeysWithValues: kept).compactMapValues(\.self), outcome: outcome,
      progress: progress.withLock { $0 })
  }

  /// A run on a rig that captures what it is sent.
  private static func runOnFake(
    _ names: [String], repeats: Int = 1, keepsFiles: Bool = true
  ) async throws -> (outcome: PlanRun.Outcome, files: [String]) {
    let rig = Rigs.described()
    let fake = FakeRig(rig)
    let session = Session(
      rig: rig, output: fake.drive, input: fake.sensors, stop: fake.stop, isPaced: false)
    let scratch = try ScratchFolder()
    let run = PlanRun(
      plan: Plan(name: "test", repeats: repeats),
      patterns: try names.map { try Rigs.pattern([AHAPText.tap(at: 0)], name: $0) },
      builder: TakeBuilder(rig: rig, hasProbe: false), target: IntensityTarget(),
      folder: keepsFiles ? scratch.path : nil)
    return (try await run.execute(session), ScratchFolder.names(in: scratch.path))
  }

  private static let four = Task { try await run(repeats: 2) }

  @Test func `every pattern is played as often as asked, in order`() async throws {
    let run = try await Self.four.value
    #expect(run.outcome.fault == nil)
    #expect(run.outcome.patterns.map(\.name) == ["a", "b"])
    #expect(run.outcome.patterns.map { $0.takes.map(\.number) } == [[1, 2], [1, 2]])
    #expect(run.outcome.patterns.allSatisfy { $0.events == 1 })
    #expect(run.outcome.figures.map { "\($0.pattern) \($0.take)" } == ["a 1", "a 2", "b 1", "b 2"])
    let began = run.progress.filter { $0.hasPrefix("began") }
    #expect(
      began == [
        "began a 1, 0 of 4", "began a 2, 1 of 4", "began b 1, 2 of 4", "began b 2, 3 of 4",
      ])
    let measured = run.progress.filter { $0.hasPrefix("measured") }
    #expect(measured == ["measured a 1", "measured a 2", "measured b 1", "measured b 2"])
  }

  @Test
  func `readings stand in the order of takes, then come those of the run and of each pattern`()
    async throws
  {
    let readings = try await Self.four.value.outcome.readings
    var places: [String] = []
    for reading in readings where reading.pattern != nil {
      let place = "\(reading.pattern ?? "none") \(reading.take ?? 0)"
      if places.last != place { places.append(place) }
    }
    #expect(places == ["a 1", "a 2", "b 1", "b 2", "a 0", "b 0"])
    let last = try #require(readings.firstIndex { $0.pattern == nil })
    #expect(
      readings[last...].map(\.name.kind)
        == [
          .latencyJitter, .latencyJitterStream, .latencyJitterRestarts, .xrunsPerHour, .harmony,
          .harmony,
        ])
    for take in [1, 2] {
      let delay = readings.first {
        $0.name == ReadingName(.latencyElectrical) && $0.pattern == "b" && $0.take == take
      }
      // 6 ms as described, give or take the jitter of a start.
      #expect(abs(try #require(delay?.value) - 6e-3) < 0.1e-3)
    }
  }

  @Test func `jitter is the spread of the electrical delays of all takes`() async throws {
    let readings = try await Self.four.value.outcome.readings
    let delays = readings.filter { $0.name == ReadingName(.latencyElectrical) }.compactMap(\.value)
    #expect(delays.count == 4)
    let mean = delays.reduce(0, +) / 4
    let spread = (delays.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 3).squareRoot()
    let jitter = try #require(readings.first { $0.name.kind == .latencyJitter })
    // The estimates' own noise is taken off, which hardly shows beside a start's.
    let value = try #require(jitter.value)
    #expect(value <= spread && value > 0.98 * spread, "\(value), \(spread)")
    #expect(spread > 1e-6)
    #expect(jitter.count == 4)
  }

  @Test func `two takes are too few for a jitter`() async throws {
    let (outcome, files) = try await Self.runOnFake(["a"], repeats: 2, keepsFiles: false)
    #expect(outcome.readings.filter { $0.name == ReadingName(.latencyElectrical) }.count == 2)
    let jitter = try #require(outcome.readings.first { $0.name.kind == .latencyJitter })
    #expect(jitter.value == nil)
    #expect(jitter.verdict == .notMeasured)
    #expect(jitter.note?.contains("2 takes") == true)
    #expect(files.isEmpty)
    #expect(outcome.patterns[0].takes.allSatisfy { $0.drive == nil && $0.response == nil })
  }

  @Test func `recordings are kept as the record names them, channel by channel`() async throws {
    let run = try await Self.four.value
    let takes = run.outcome.patterns.flatMap(\.takes)
    #expect(
      Set(run.recordings.keys) == Set(takes.flatMap { [$0.drive, $0.response].compactMap(\.self) }))
    #expect(run.recordings.count == 8)
    let take = try #require(takes.first)
    #expect(take.driveChannels.map(\.name) == ["haptic", "audio", "reference"])
    #expect(take.responseChannels.map(\.unit) == [.metrePerSecondSquared, .volt, .volt])
    let drive = try run.recording(take.drive)
    let response = try run.recording(take.response)
    // The patterns have no sound: that channel is told and not kept.
    #expect(take.driveChannels.map(\.isSilent) == [false, true, false])
    #expect(drive.info.channelCount == 2)
    #expect(response.info.channelCount == 3)
    #expect(drive.info.frameCount == response.info.frameCount)
    #expect(drive.info.rate.hertz == 24_000)
    // Nothing of the haptic channel comes before the frame that the record names.
    let first = try #require(drive.channels[0].samples.firstIndex { $0 != 0 })
    #expect((take.patternFrame...(take.patternFrame + 1)).contains(first))
  }

  @Test func `equal seeds give equal recordings and readings, others do not`() async throws {
    // The first take of the longer run is the take of a shorter one.
    let runs = try await [Self.four.value, Self.run(["a"]), Self.run(["a"], seed: 8)]
    let file = "a-1-response.flac"
    let bytes = try runs.map { try #require($0.recordings[file]) }
    #expect(bytes[0] == bytes[1])
    #expect(bytes[0] != bytes[2])
    let readings = runs.map { run in
      run.outcome.readings.filter { $0.pattern == "a" && $0.take == 1 }
    }
    #expect(readings[0] == readings[1])
    #expect(readings[0] != readings[2])
    #expect(runs[0].outcome.figures[0] == runs[1].outcome.figures[0])
    #expect(runs[0].recordings["a-1-drive.flac"] == runs[2].recordings["a-1-drive.flac"])
  }

  @Test func `a device that is unplugged ends the run and leaves what came before`() async throws {
    // A take lasts 1.2 s: the plug is pulled in the second.
    let run = try await Self.run(
      repeats: 2, faults: [.init(kind: .unplug, time: 1.9)])
    #expect(run.outcome.fault?.code == .unplugged)
    #expect(run.outcome.patterns.map(\.name) == ["a"])
    let takes = run.outcome.patterns[0].takes
    #expect(takes.map(\.number) == [1, 2])
    #expect(run.outcome.figures.map(\.take) == [1])
    #expect(run.outcome.readings.contains { $0.take == 1 && $0.value != nil })
    // What was cut short is kept, and not measured.
    #expect(!run.outcome.readings.contains { $0.take == 2 })
    let whole = try run.recording(takes[0].response)
    let cut = try run.recording(takes[1].response)
    #expect(cut.info.frameCount < whole.info.frameCount)
    #expect(cut.info.frameCount > 12_000)
  }

  @Test func `a run that is stopped before it begins keeps no reading`() async throws {
    let stop = StopSignal()
    stop.request(2)
    let run = try await Self.run(stop: stop)
    #expect(run.outcome.fault?.code == .interrupted)
    #expect(run.outcome.patterns.map(\.name) == ["a"])
    #expect(run.outcome.readings.allSatisfy { $0.value == nil })
    #expect(run.outcome.patterns[0].takes.allSatisfy { $0.response == nil })
  }

  @Test func `patterns whose names differ only in what files cannot hold keep their own files`()
    async throws
  {
    let (outcome, kept) = try await Self.runOnFake(["a b", "a-b", ".hidden"])
    let takes = outcome.patterns.flatMap(\.takes)
    let files = takes.flatMap { [$0.drive, $0.response].compactMap(\.self) }
    #expect(Set(files).count == 6)
    #expect(Set(files) == Set(kept))
    #expect(files.allSatisfy { $0.allSatisfy { $0.isASCII && $0 != " " && $0 != "/" } })
    #expect(files.allSatisfy { !$0.hasPrefix(".") })
  }

  @Test func `a folder that cannot be written ends the run with an error`() async throws {
    let rig = Rigs.described()
    let fake = FakeRig(rig)
    let session = Session(
      rig: rig, output: fake.drive, input: fake.sensors, stop: fake.stop, isPaced: false)
    let run = PlanRun(
      plan: Plan(name: "test"), patterns: [try Rigs.pattern([AHAPText.tap(at: 0)])],
      builder: TakeBuilder(rig: rig, hasProbe: false), target: IntensityTarget(),
      folder: "/proc/nowhere")
    await #expect(throws: SoundFileError.self) { try await run.execute(session) }
  }
}
