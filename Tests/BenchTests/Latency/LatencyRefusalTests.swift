// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import Glibc
import SignalAnalysis
import Testing
import Units

/// A number that cannot be trusted is not given, and the sentence says why.
struct LatencyRefusalTests {
  private let connected = Loop(delays: [398.4], noise: 1e-4)

  @Test(arguments: [0.0, 1e-3, 1])
  func `a wire that is not connected has no latency`(noise: Double) async throws {
    let loop = Loop(delays: [398.4], gain: 0, noise: noise, seed: 9)
    let sentence = try await Loops.refusal(of: loop)
    #expect(sentence.contains("the sweeps were not found on the reference input"), "\(sentence)")
    #expect(sentence.contains("check the wire"), "\(sentence)")
  }

  @Test func `the sentence tells what the input hears instead`() async throws {
    let loop = Loop(delays: [398.4], gain: 0, noise: 0.25, seed: 9)
    let sentence = try await Loops.refusal(of: loop)
    let level = try #require(sentence.firstMatch(of: /hears ([0-9.]+) V RMS/)?.output.1)
    #expect(abs((Double(level) ?? 0) - 0.25) < 0.002, "\(sentence)")
  }

  @Test(arguments: [true, false])
  func `a clipped input has no latency, whether the device tells or not`(
    isTold: Bool
  ) async throws {
    var loop = Loop(delays: [398.4])
    loop.ceiling = 0.1
    loop.isTold = isTold
    let sentence = try await Loops.refusal(of: loop)
    #expect(sentence.contains("the reference input was clipped in 3 of 3 sweeps"), "\(sentence)")
    #expect(sentence.contains("lower the level"), "\(sentence)")
  }

  @Test(arguments: [100.0, 100.5, 1_000])
  func `an echo at -12 dB is a second path`(distance: Double) async throws {
    var loop = connected
    loop.echo = (distance, Decibels.amplitude(-12))
    let sentence = try await Loops.refusal(of: loop)
    #expect(sentence.contains("by two paths"), "\(sentence)")
    let told = try #require(sentence.firstMatch(of: /([0-9.]+) frames apart/)?.output.1)
    #expect(abs((Double(told) ?? 0) - distance) < 0.2, "\(sentence)")
    #expect(sentence.contains("at 25 % of the first"), "\(sentence)")
  }

  @Test(arguments: [2.5, 3, 5.5, 8, 10], [-20.0, -12, -6])
  func `an echo a few frames after is a second path`(distance: Double, decibels: Double)
    async throws
  {
    var loop = Loop(delays: [398.4], drift: 50, noise: Loops.noise(decibels: 40), seed: 4)
    loop.echo = (distance, Decibels.amplitude(decibels))
    let sentence = try await Loops.refusal(of: loop, seconds: 4)
    #expect(sentence.contains("by two paths"), "\(sentence)")
    let told = try #require(sentence.firstMatch(of: /([0-9.]+) frames apart/)?.output.1)
    #expect(abs((Double(told) ?? 0) - distance) < 0.3, "\(sentence)")
  }

  @Test func `an echo of -20 dB three frames after is told at 20 dB by three sweeps`() async throws
  {
    for seed in 1...20 as ClosedRange<UInt64> {
      var loop = Loop(
        delays: [398 + Double(seed) / 21], noise: Loops.noise(decibels: 20), seed: seed)
      loop.echo = (3, Decibels.amplitude(-20))
      let sentence = try await Loops.refusal(of: loop)
      #expect(sentence.contains("by two paths"), "seed \(seed): \(sentence)")
    }
  }

  @Test func `one path on clocks that differ is one path at any noise`() async throws {
    for (decibels, drift) in [(100.0, 400.0), (100, -12), (60, 50), (20, 400), (6, 0)] {
      let loop = Loop(
        delays: [398.3], drift: drift, noise: Loops.noise(decibels: decibels), seed: 8)
      let found = try await Loops.measured(loop, seconds: 4)
      #expect(found.streams.count == 1, "\(decibels) dB, \(drift) ppm")
    }
  }

  @Test func `a trace of crosstalk is no second path`() async throws {
    var loop = connected
    loop.echo = (100, Decibels.amplitude(-40))
    let found = try await Loops.measured(loop)
    #expect(abs(found.delay.value - 398.4) < Loops.microsecond, "\(found.delay)")
  }

  @Test func `lost frames on most sweeps leave no latency`() async throws {
    var loop = connected
    loop.gaps = (0..<2).map { 5_500 + 19_200 * $0..<5_600 + 19_200 * $0 }
    let sentence = try await Loops.refusal(of: loop)
    #expect(sentence.contains("frame 4800: frames were lost on it"), "\(sentence)")
  }

  @Test func `an xrun before the third sweep leaves no latency`() async throws {
    var loop = connected
    loop.gaps = [40_000..<40_480]
    loop.gapKind = .overrun
    let sentence = try await Loops.refusal(of: loop)
    #expect(
      sentence.contains("the stream broke at frame 40000 (an xrun), and only 2 sweeps came before"),
      "\(sentence)")
  }

  @Test func `a rig without a reference output is refused before anything plays`() async throws {
    let rig = Rigs.described(drive: [.haptic: 1, .audio: 2], capture: [.acceleration, .reference])
    try await expectRefusal(of: rig, saying: "the rig's drive has no reference channel")
  }

  @Test func `a rig without a reference input is refused before anything plays`() async throws {
    let rig = Rigs.described(drive: [.haptic: 1, .reference: 2], capture: [.acceleration, .audio])
    try await expectRefusal(of: rig, saying: "the rig's capture has no reference channel")
  }

  private func expectRefusal(
    of rig: RigDescription, saying words: String,
    at location: SourceLocation = #_sourceLocation
  ) async throws {
    let fake = FakeRig(rig)
    let session = Session(
      rig: rig, output: fake.drive, input: fake.sensors, stop: fake.stop, isPaced: false)
    let refusal = await #expect(throws: LatencyRefusal.self, sourceLocation: location) {
      _ = try await LatencyMeasurement.measure(LatencyPlan(), on: rig, session: session)
    }
    #expect(refusal?.description.contains(words) == true, sourceLocation: location)
    #expect(fake.trace == [], sourceLocation: location)
  }

  @Test(arguments: [0, 2])
  func `a device that goes away is its own fault`(stream: Int) async throws {
    var loop = connected
    loop.fault = (stream, 30_000)
    let fault = await #expect(throws: DeviceError.self) {
      _ = try await Loops.measured(loop, restarts: 3, seconds: 1.3)
    }
    #expect(fault?.code == .unplugged)
    #expect(fault?.message == "gone as scripted")
  }

  @Test func `a request to stop is passed on as one`() async throws {
    let rig = Rigs.described(drive: [.haptic: 1, .reference: 2], capture: [.voltage, .reference])
    let fake = FakeRig(rig, FakeScript(interruption: 10_000))
    let session = Session(
      rig: rig, output: fake.drive, input: fake.sensors, stop: fake.stop, isPaced: false)
    let fault = await #expect(throws: DeviceError.self) {
      _ = try await LatencyMeasurement.measure(LatencyPlan(), on: rig, session: session)
    }
    #expect(fault?.code == .interrupted)
    #expect(fault?.errno == SIGINT)
    #expect(fake.trace.contains("silence"))
    #expect(fake.playedFrames < 20_000)
  }
}
