// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import SignalAnalysis
import Synchronization
import Testing
import Units
import VirtualDevices

/// A wire of known delay and drift is measured as what it is, with an uncertainty that covers.
struct LatencyTests {
  @Test(
    arguments: [
      (0, 0), (1, 12), (48, -50), (398.4, 0), (398.4, 400), (398.5, 12), (1234.567, -50),
      (12_000.25, 400),
    ] as [(Double, Double)])
  func `a set delay and drift are found to a microsecond and a tenth of a ppm`(
    delay: Double, drift: Double
  ) async throws {
    let found = try await Loops.measured(Loop(delays: [delay], drift: drift), seconds: 1.3)
    #expect(abs(found.delay.value - delay) < Loops.microsecond, "\(found.delay)")
    #expect(abs(found.drift.value - drift) < 0.1, "\(found.drift)")
    #expect(found.restartSpread == nil)
    #expect(found.streams.map(\.sweepCount) == [3])
    #expect(found.streams[0].rejected == [])
    #expect(abs(found.streams[0].gain - 1) < 0.02, "\(found.streams[0].gain)")
  }

  @Test func `in a minute at 20 dB the drift is known to a tenth of a ppm`() async throws {
    let drift = -50.0
    let loop = Loop(delays: [398.4], drift: drift, noise: Loops.noise(decibels: 20), seed: 60)
    let found = try await Loops.measured(loop, seconds: 60)
    #expect(found.streams.map(\.sweepCount) == [149])
    #expect(abs(found.drift.value - drift) < 0.1, "\(found.drift)")
    #expect(found.drift.uncertainty < 0.1)
    #expect(abs(found.drift.value - drift) < 5 * found.drift.uncertainty, "\(found.drift)")
    #expect(abs(found.delay.value - 398.4) < Loops.microsecond, "\(found.delay)")
    #expect(abs(found.streams[0].signalToNoise - 20) < 1, "\(found.streams[0].signalToNoise)")
  }

  @Test func `at 20 dB one sigma is within a microsecond and is what the errors scatter`()
    async throws
  {
    var errors: [Double] = []
    var drifts: [Double] = []
    for seed in 1...30 as ClosedRange<UInt64> {
      let loop = Loop(
        delays: [398 + Double(seed) / 31], drift: 12, noise: Loops.noise(decibels: 20), seed: seed)
      let found = try await Loops.measured(loop, seconds: 1.3)
      let error = found.delay.value - loop.delays[0]
      #expect(abs(error) < Loops.microsecond, "seed \(seed): \(found.delay)")
      #expect(found.delay.uncertainty < Loops.microsecond, "seed \(seed): \(found.delay)")
      errors.append(error / found.delay.uncertainty)
      drifts.append((found.drift.value - 12) / found.drift.uncertainty)
    }
    // 30 numbers of sigma 1 have a mean of sigma 0.18 and a sigma of 1 +- 0.13. Three sweeps make a
    // sigma that is a guess of its own, never below what each sweep is known to.
    for (name, scores) in [("delay", errors), ("drift", drifts)] {
      let (mean, sigma) = Statistics.moments(scores)
      #expect(abs(mean) < 0.6, "\(name): \(mean)")
      #expect((0.5...1.35).contains(sigma), "\(name): \(sigma)")
      #expect(scores.allSatisfy { abs($0) < 4 }, "\(name): \(scores)")
    }
  }

  @Test func `a single sweep scatters by its Cramer-Rao bound`() async throws {
    let loop = Loop(delays: [500.3], noise: Loops.noise(decibels: 20), seed: 7)
    let found = try await Loops.measured(loop, restarts: 3, seconds: 4.2)
    #expect(found.streams.map(\.sweepCount) == [10, 10, 10])
    // The scatter of 24 free sweeps is known to 14 %.
    let ratio = found.withinSpread / found.cramerRaoBound
    #expect((0.6...1.4).contains(ratio), "\(found.withinSpread), \(found.cramerRaoBound)")
  }

  @Test func `more noise is a larger uncertainty, and still the truth`() async throws {
    var uncertainties: [Double] = []
    for decibels in [40.0, 20, 6] {
      let loop = Loop(delays: [250.75], noise: Loops.noise(decibels: decibels), seed: 3)
      let found = try await Loops.measured(loop)
      #expect(abs(found.delay.value - 250.75) < 4 * found.delay.uncertainty, "\(decibels) dB")
      uncertainties.append(found.delay.uncertainty)
    }
    #expect(uncertainties == uncertainties.sorted())
    #expect(uncertainties[2] > 10 * uncertainties[0])
  }

  @Test func `a turned polarity is a negative gain and no other delay`() async throws {
    let loop = Loop(delays: [398.4], gain: -0.8, noise: 1e-4)
    let found = try await Loops.measured(loop)
    #expect(abs(found.delay.value - 398.4) < Loops.microsecond, "\(found.delay)")
    #expect(abs(found.streams[0].gain + 0.8) < 0.01, "\(found.streams[0].gain)")
  }

  @Test func `what differs from restart to restart is told as such`() async throws {
    let offsets = [-1.5, 0.25, 1.0, -0.5, 0.75]
    let loop = Loop(delays: offsets.map { 398.4 + $0 }, noise: 1e-4)
    let found = try await Loops.measured(loop, restarts: 5, seconds: 1.3)
    for (stream, offset) in zip(found.streams, offsets) {
      #expect(abs(stream.delay.value - 398.4 - offset) < Loops.microsecond, "\(stream.delay)")
    }
    // statistics.stdev([-1.5, 0.25, 1.0, -0.5, 0.75])
    let spread = try #require(found.restartSpread)
    #expect(abs(spread - 1.015_504_8) < 0.01, "\(spread)")
    #expect(abs(found.delay.value - 398.4) < Loops.microsecond)
    #expect(abs(found.delay.uncertainty - spread / 5.0.squareRoot()) < 1e-6)
    #expect(found.withinSpread < Loops.microsecond)
  }

  @Test func `sweeps that frames were lost on are left out and told`() async throws {
    // The sweeps begin at 4800 + 19200 k, every second one 2400 later, and come back 398 frames later.
    let loop = Loop(
      delays: [398.4], drift: 12, noise: 1e-4, gaps: [26_900..<26_964, 44_000..<44_064])
    let found = try await Loops.measured(loop, seconds: 4)
    let stream = found.streams[0]
    #expect(stream.sweepCount == 7)
    #expect(
      stream.rejected == [
        "frame 26400: frames were lost on it", "frame 43200: frames were lost on it",
      ])
    #expect(abs(found.delay.value - 398.4) < Loops.microsecond, "\(found.delay)")
    #expect(abs(found.drift.value - 12) < 0.1, "\(found.drift)")
  }

  @Test func `what comes after an xrun has the delay of another start, and is left out`()
    async throws
  {
    // After the fifth of nine sweeps, in silence.
    var loop = Loop(delays: [398.4], drift: 12, noise: 1e-4)
    loop.gaps = [90_000..<90_480]
    loop.gapKind = .overrun
    loop.jump = 1.25
    let found = try await Loops.measured(loop, seconds: 4)
    #expect(found.streams[0].sweepCount == 5)
    #expect(found.streams[0].rejected.count == 4)
    #expect(
      found.streams[0].rejected.allSatisfy {
        $0.hasSuffix("the stream broke before it, at frame 90000")
      }, "\(found.streams[0].rejected)")
    #expect(abs(found.delay.value - 398.4) < Loops.microsecond, "\(found.delay)")
    #expect(abs(found.drift.value - 12) < 0.1, "\(found.drift)")
  }

  @Test func `frames that were lost between sweeps cost nothing`() async throws {
    let whole = try await Loops.measured(Loop(delays: [398.4]))
    let holed = try await Loops.measured(Loop(delays: [398.4], gaps: [15_000..<16_000]))
    #expect(holed == whole)
  }

  @Test func `only the reference is driven`() async throws {
    let loop = LoopRig(Loop(delays: [0]), rig: Loops.rig())
    let found = try await loop.measured(LatencyPlan(restarts: 1, duration: 1.3))
    #expect(loop.strayPeak == 0)
    #expect(found.streams[0].sweepCount == 3)
  }

  @Test func `a plan has whole streams of three sweeps or more`() {
    #expect(LatencyPlan(restarts: 0, duration: 0) == LatencyPlan(restarts: 1, duration: 1.3))
    #expect(LatencyPlan().restarts == 5)
  }
}

/// The measurement on the simulated rig, whose delays come from a converter with an interpolation.
struct SimulatedLatencyTests {
  @Test(arguments: [-50.0, 0, 12, 400])
  func `the simulated rig's delay and drift are found again`(ppm: Double) async throws {
    let plant = try #require(PlantParameters.named("coinZ-170"))
    let simulation = SimulationDescription(
      seed: 11, plant: plant, drive: .init(latency: 5.2e-3, bits: 0),
      capture: .init(latency: 3.1e-3, clockOffset: ppm * 1e-6, bits: 0, noiseVolts: 4 * 0.0178))
    let description = Loops.rig(.simulated(simulation))
    let (found, truths) = try await Self.measured(description, restarts: 1)
    // 8.3 ms in frames of the capture's own clock.
    let delay = 398.4 * (1 + ppm * 1e-6)
    #expect(abs(found.delay.value - delay) < Loops.microsecond, "\(found.delay)")
    #expect(found.delay.uncertainty < Loops.microsecond)
    #expect(abs(found.drift.value - ppm) < 5 * found.drift.uncertainty, "\(found.drift)")
    #expect(abs(found.streams[0].gain - 4) < 0.1)
    // A sweep that the clocks stretch by a frame leaves a residual of its own.
    #expect(abs(found.streams[0].signalToNoise - 20) < (ppm > 100 ? 4 : 1))
    #expect(abs(truths[0].driftPPM - ppm) < 1e-6)
  }

  @Test func `a jitter from start to start is found in each stream`() async throws {
    let plant = try #require(PlantParameters.named("coinZ-170"))
    let simulation = SimulationDescription(
      seed: 5, plant: plant, drive: .init(latency: 5.2e-3, jitter: 20e-6),
      capture: .init(latency: 3.1e-3, jitter: 20e-6, noiseVolts: 1e-4))
    let (found, truths) = try await Self.measured(
      Loops.rig(.simulated(simulation)), restarts: 4, seconds: 1.3)
    for (stream, truth) in zip(found.streams, truths) {
      let frames = truth.electricalDelay * 48_000
      #expect(abs(stream.delay.value - frames) < Loops.microsecond, "\(stream.delay), \(frames)")
    }
    let spread = Statistics.moments(truths.map { $0.electricalDelay * 48_000 }).sigma
    let told = try #require(found.restartSpread)
    #expect(abs(told - spread) < Loops.microsecond, "\(told), \(spread)")
  }

  /// Measures stream by stream on one simulated rig, and what it injected in each.
  private static func measured(
    _ description: RigDescription, restarts: Int, seconds: Double = 2
  ) async throws -> (LatencyMeasurement, [SimulationTruth]) {
    let rig = try SimulatedRig(description)
    let session = Session(
      rig: description, output: rig.drive, input: rig.sensors, stop: StopSignal(),
      isPaced: false)
    let truths = Mutex<[SimulationTruth]>([])
    let found = try await LatencyMeasurement.measure(
      LatencyPlan(restarts: restarts, duration: seconds), on: description, session: session
    ) { _ in
      truths.withLock { list in
        if list.last != rig.truth { list.append(rig.truth) }
      }
    }
    return (found, truths.withLock { $0 })
  }
}
