// SPDX-License-Identifier: Apache-2.0

import Actuators
import Bench
import Composing
import CoreHaptics
import Devices
import Glibc
import JSONText
import SeededRandom
import SignalAnalysis
import Synchronization
import Testing
import Units
import Workflows

/// A rig that follows a sound on a clock that only the test moves.
struct FollowTests {
  /// A rig, the sound that it is given, and what it says.
  final class Bench {
    let director: FollowDirector
    let feed = SoundFeed()
    let stop = StopSignal()
    let tape: StageDirectorTests.DriveTape
    private var samples: RealtimeQueue<Float>.Producer
    private(set) var frame = 0
    var lines: [JSONValue] = []

    init(
      _ method: ComposeMethod = .envelope, input: FollowInput = .file("a sound"),
      gain: Double? = 0, aligns: Bool = false, transport: Double? = nil,
      limits: DriveLimits? = nil
    ) throws {
      var rig = RigDescription.standard
      rig.capture.channels.append(
        CaptureChannelDescription(
          name: "microphone", role: .audio, unit: .volt, input: 3, fullScaleVolts: 2))
      if let limits { rig.actuators[0].limits = limits }
      if let transport, case .simulated(var simulation) = rig.drive.device {
        simulation.transportDelay = transport
        rig.drive.device = .simulated(simulation)
      }
      let builder = TakeBuilder(rig: rig, hasProbe: false)
      let queue = RealtimeQueue<Float>(capacity: 1 << 21)
      samples = queue.producer
      var request = FollowRequest(input, settings: ComposeSettings(method))
      request.gain = gain
      request.aligns = aligns
      tape = StageDirectorTests.DriveTape(width: rig.drive.channelCount)
      director = try FollowWorkflow.open(
        request, builder, isStepped: true, samples: queue.consumer, feed: feed, watcher: tape,
        by: RigOperator(version: "test", stop: stop))
    }

    var rate: Double { director.stage.rate.hertz }
    var time: Double { Double(frame) / rate }

    func give(_ sound: [Float]) {
      let written = samples.write(sound.span)
      #expect(written == sound.count)
      feed.delivered.add(sound.count, ordering: .releasing)
    }

    /// Moves on, and looks every 10 ms; the sound comes in step where it is given.
    func advance(_ seconds: Double, giving sound: ArraySlice<Float>? = nil, period: Int = 256) {
      let end = frame + Int((seconds * rate).rounded())
      var rest = sound ?? []
      while frame < end {
        let count = min(end - frame, 480)
        var left = count
        while left > 0 {
          let part = min(left, period)
          if sound != nil {
            give(Array(rest.prefix(part)))
            rest = rest.dropFirst(part)
          }
          guard director.stage.advance(frames: part) else { return }
          left -= part
        }
        frame += count
        lines += director.look(at: time)
      }
    }

    func send(_ line: String) { director.take(.line(Array(line.utf8), at: time, isHeld: true)) }

    var drive: [Float] { tape.samples.withLock { $0 } }

    /// Of the last tenth of a second.
    var rms: Double {
      let last = drive.suffix(Int(rate / 10))
      return (last.reduce(0) { $0 + Double($1 * $1) } / Double(max(1, last.count))).squareRoot()
    }

    func forget() { tape.samples.withLock { $0 = [] } }

    func found(_ key: String) -> Double? { director.summary[key]?["seconds"]?.number }
  }

  /// Bursts of noise, none like the one before.
  static func bursts(seconds: Double, seed: UInt64, rate: Double = 48_000) -> [Float] {
    var random = SeededRandom(seed: seed)
    var sound: [Float] = []
    while Double(sound.count) < seconds * rate {
      // Below full intensity, where the vibration goes with the sound.
      let level = random.uniform(0.03...0.2)
      let (length, pause) = (random.uniform(0.06...0.15), random.uniform(0.15...0.4))
      for _ in 0..<Int(length * rate) { sound.append(Float(random.uniform(-level...level))) }
      sound += [Float](repeating: 0, count: Int(pause * rate))
    }
    return Array(sound.prefix(Int(seconds * rate)))
  }

  @Test(arguments: [ComposeMethod.envelope, .bands, .onsets])
  func `the drive follows a file as late as the method states`(method: ComposeMethod) throws {
    let bench = try Bench(method)
    bench.give(Self.bursts(seconds: 22, seed: 0xf011))
    bench.advance(21)
    let found = try #require(bench.found("heardToDrive"), "\(bench.lines)")
    let stated = bench.director.delay.typical
    // A tap is over when the burst that began it may still go on: its rise is shorter than that of the sound.
    let most = [ComposeMethod.envelope: 1e-4, .bands: 3e-4][method] ?? 2e-3
    #expect(abs(found - stated) < most, "\(method): \(found) s, stated \(stated) s")
  }

  @Test func `what the rig adds is found: a longer way to the sensor is a later motion`() throws {
    var delays: [Double] = []
    for transport in [0.4e-3, 5.4e-3] {
      let bench = try Bench(transport: transport)
      bench.give(Self.bursts(seconds: 22, seed: 0xf012))
      bench.advance(21)
      let (whole, first, second) = (
        try #require(bench.found("heardToMotion")), try #require(bench.found("heardToDrive")),
        try #require(bench.found("driveToMotion"))
      )
      #expect(abs(whole - first - second) < 1e-3, "\(whole) \(first) \(second)")
      delays.append(whole)
    }
    #expect(abs(delays[1] - delays[0] - 5e-3) < 1e-4, "\(delays)")
  }

  @Test(arguments: [64, 256, 480])
  func `a card's sound is late by the method and by a period`(period: Int) throws {
    let bench = try Bench(input: .pcm("a card"))
    let sound = Self.bursts(seconds: 22, seed: 0xf013)
    bench.advance(21, giving: sound[...], period: period)
    let found = try #require(bench.found("heardToDrive"))
    let buffers =
      bench.director.windows.map(\.buffers).reduce(0, +)
      / Double(bench.director.windows.count)
    let stated = bench.director.delay.typical + buffers
    #expect(abs(found - stated) < 2e-4, "\(found) s, stated \(stated) s, of it \(buffers) s")
  }

  @Test func `silence drives nothing, and a sound ends in silence`() throws {
    let bench = try Bench()
    bench.give([Float](repeating: 0, count: 48_000))
    bench.advance(1)
    #expect(bench.drive.allSatisfy { $0 == 0 })
    bench.give(Self.bursts(seconds: 1, seed: 3))
    bench.feed.finish(.over)
    bench.advance(1.8)
    #expect(bench.director.end == .over)
    #expect(bench.drive.contains { abs($0) > 0.05 })
    #expect(bench.drive.suffix(4_800).allSatisfy { abs($0) < 1e-6 })
  }

  @Test(arguments: [FollowInput.pcm("a card"), .pipe])
  func `a source that is killed leaves silence within two periods, and its sentence`(
    input: FollowInput
  )
    throws
  {
    let bench = try Bench(input: input)
    var random = SeededRandom(seed: 8)
    let noise = (0..<48_000).map { _ in Float(random.uniform(-0.3...0.3)) }
    bench.advance(1, giving: noise[...])
    #expect(bench.drive.suffix(480).contains { abs($0) > 0.05 })
    let error = DeviceError(.unplugged, device: "a card", message: "it went away")
    bench.feed.finish(.failed(error))
    bench.advance(0.2)
    #expect(bench.director.end == .failed(error))
    let after = bench.drive.dropFirst(48_000 + 960)
    #expect(after.allSatisfy { abs($0) < 1e-6 })
  }

  @Test func `commands change what is done, and what is wrong is told`() throws {
    let bench = try Bench()
    var random = SeededRandom(seed: 9)
    bench.give((0..<240_000).map { _ in Float(random.uniform(-0.1...0.1)) })
    bench.advance(0.5)
    let loud = bench.rms
    bench.send(#"{"do":"gain","dB":-12}"#)
    bench.advance(0.8)
    #expect(abs(20 * log10(bench.rms / loud) + 12) < 1)
    bench.send(#"{"do":"bypass","on":true}"#)
    bench.advance(0.3)
    #expect(bench.rms < 1e-6)
    bench.send(#"{"do":"bypass","on":false}"#)
    bench.send(#"{"do":"method","method":"bands"}"#)
    bench.send(#"{"do":"bands","dB":[0,-40,-40,-40]}"#)
    bench.advance(0.5)
    #expect(bench.rms > 1e-3)
    #expect(bench.director.settings.method == .bands)
    for line in [
      #"{"do":"method","method":"pitch"}"#, #"{"do":"gain","dB":100}"#, "{",
      #"{"do":"bands","dB":[1]}"#,
    ] {
      bench.lines = []
      bench.send(line)
      bench.advance(0.02)
      #expect(bench.lines.contains { $0["fault"] != nil }, "\(line)")
    }
    bench.send(#"{"do":"stop"}"#)
    #expect(bench.director.end == .stopped)
  }

  @Test func `the limits of the actuator hold, however loud the sound`() throws {
    let limits = DriveLimits(continuousVolts: 0.4, peakVolts: 0.6)
    let bench = try Bench(gain: 40, limits: limits)
    var random = SeededRandom(seed: 10)
    bench.give((0..<96_000).map { _ in Float(random.uniform(-1...1)) })
    bench.advance(1.9)
    #expect((bench.drive.map { abs($0) }.max() ?? 1) <= Float(0.6 / 3.6) * 1.0001)
    #expect(bench.drive.contains { abs($0) > 0.05 })
  }

  @Test func `aligned, the sound comes with the touch`() throws {
    let bench = try Bench(aligns: true)
    bench.give(Self.bursts(seconds: 40, seed: 0xa119))
    bench.advance(39)
    let alignment = bench.director.alignment
    let (before, after) = (try #require(alignment.before), try #require(alignment.after))
    #expect(before.value > 2e-3, "\(alignment)")
    #expect(abs(after.value) < 1e-3, "\(alignment)")
  }

  @Test func `a stop leaves the drive at zero at once`() throws {
    let bench = try Bench()
    var random = SeededRandom(seed: 11)
    bench.give((0..<48_000).map { _ in Float(random.uniform(-0.3...0.3)) })
    bench.advance(0.5)
    bench.stop.request(15)
    let sent = bench.drive.count
    #expect(!bench.director.stage.advance(frames: 480))
    #expect(bench.drive.count == sent)
    #expect(throws: DeviceError.self) { try bench.director.stage.isOver() }
  }

  @Test(.enabled(if: ProcessEnvironment.hasFollowHour, "HAPRIG_FOLLOW_HOUR=1 follows for an hour"))
  func `an hour is followed without a sample lost`() throws { try follow(minutes: 60) }

  @Test func `a minute is followed without a sample lost`() throws { try follow(minutes: 1) }

  private func follow(minutes: Int) throws {
    let bench = try Bench(input: .pcm("a card"), gain: nil)
    let sound = Self.bursts(seconds: 10, seed: 0x40a)
    for _ in 0..<(6 * minutes) {
      bench.advance(10, giving: sound[...], period: 128)
      bench.forget()
    }
    #expect(bench.director.stage.underrunFrames == 0)
    #expect(bench.director.droppedCount == 0)
    #expect(bench.director.windows.count > 12 * minutes)
  }
}

private enum ProcessEnvironment {
  static var hasFollowHour: Bool { getenv("HAPRIG_FOLLOW_HOUR") != nil }
}
