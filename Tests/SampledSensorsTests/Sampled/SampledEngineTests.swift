// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import SeededRandom
import Testing
import Units

@testable import SampledSensors

/// A breakout in virtual time: each sample comes at its own instant plus a delay.
private struct Breakout {
  var rate = 1000.0
  /// Seconds of the host's clock at sample 0.
  var zero = 100.0
  var value: (Double) -> Double = { _ in 0 }

  func event(_ index: Int) -> SensorEvent {
    .sample(
      SensorSample(
        counter: UInt32(index), acceleration: [value(zero + Double(index) / rate), 0, 9.8]))
  }

  func arrival(_ index: Int, delay: Double) -> UInt64 {
    UInt64((zero + Double(index) / rate + delay) * 1e9)
  }
}

struct SampledEngineTests {
  private func setup(sampleRate: Double = 1000, timeout: Double = 1) -> SampledSetup {
    SampledSetup(
      rig: "bench", sensor: "'/dev/ttyACM0'", sampleRate: sampleRate,
      frameRate: SampleRate(hertz: 8000),
      fields: [.counter(bits: 32), .axis(0), .axis(1), .axis(2)], axes: [0, 2], scales: [1, 1],
      timeout: timeout)
  }

  /// Everything that becomes of samples, those of some numbers left out, laid at the drive's start.
  private func run(
    _ breakout: Breakout, samples: Range<Int>, without lost: Set<Int> = [], start: Double,
    jitter: Double = 0, limit: Int = 8000, seed: UInt64 = 7
  ) throws -> (frames: [Float], drops: [StreamEvent], engine: SampledEngine) {
    var random = SeededRandom(seed: seed)
    var engine = SampledEngine(
      setup(), at: breakout.arrival(samples.lowerBound, delay: 0))
    var frames: [Float] = []
    for index in samples where !lost.contains(index) {
      let delay = jitter * Double.random(in: 0..<1, using: &random)
      try engine.take([breakout.event(index)], at: breakout.arrival(index, delay: delay))
      if Double(index) / breakout.rate + breakout.zero > start + 0.3 {
        engine.lay(at: UInt64(start * 1e9))
      }
      frames += engine.frames(limit: limit)
    }
    return (frames, engine.takeDrops(), engine)
  }

  @Test func `frame 0 is the instant of the drive's frame 0, at every delay of the bus`() throws {
    // A chirp's time cannot be mistaken: 50 to 250 Hz.
    let start = 100.3137
    let breakout = Breakout { time in
      let t = time - start
      return t < 0 ? 0 : sin(2 * .pi * (50 * t + 100 * t * t))
    }
    let (frames, drops, _) = try run(
      breakout, samples: 0..<1100, start: start, jitter: 0.004)
    // Delays from 0 to 4 ms among hundreds of samples: one comes within some microseconds.
    var worst = 0.0
    for frame in 800..<(frames.count / 2 - 800) {
      let t = Double(frame) / 8000
      let truth = sin(2 * .pi * (50 * t + 100 * t * t))
      worst = max(worst, abs(Double(frames[2 * frame]) - truth))
    }
    // 15 us at 300 Hz are 0.03.
    #expect(worst < 0.03, "wrong by \(worst)")
    #expect(frames.count / 2 > 5000)
    #expect(drops.isEmpty)
    #expect(frames[1601] == 9.8)
  }

  @Test func `samples that are lost stand as zeros between the last and the next, and are told`()
    throws
  {
    let breakout = Breakout { _ in 5 }
    let lost: Set = [600, 601, 602]
    let (frames, drops, engine) = try run(
      breakout, samples: 0..<700, without: lost, start: 100.1)
    // Sample 100 is frame 0: between samples 599 and 603 lie frames 3993 to 4023.
    #expect(drops.count == 1)
    let drop = try #require(drops.first)
    #expect(drop.kind == .drop)
    #expect(abs(drop.frame - 3993) <= 1)
    #expect(abs(drop.length - 31) <= 2)
    for frame in drop.frames { #expect(frames[2 * frame] == 0) }
    #expect(abs(frames[2 * (drop.frame - 1)] - 5) < 1e-4)
    #expect(abs(frames[2 * drop.frames.upperBound] - 5) < 1e-4)
    #expect(engine.timeline.tally.lostCount == 3)
  }

  @Test func `a drive that began before the first sample has zeros until then`() throws {
    let (frames, drops, _) = try run(
      Breakout { _ in 5 }, samples: 0..<400, start: 99.95)
    #expect(drops.count == 1)
    #expect(abs((drops.first?.length ?? 0) - 400) <= 1)
    #expect(frames[0] == 0)
    #expect(abs(frames[1000] - 5) < 1e-4)
  }

  @Test func `the sensor's clock is observed`() throws {
    var breakout = Breakout()
    breakout.rate = 1000 * (1 + 150e-6)
    let (_, _, engine) = try run(
      breakout, samples: 0..<20_000, start: 100.1, jitter: 0.001, limit: 0)
    let rate = try #require(engine.rate)
    #expect(abs(rate.ppm - 150) < 3.squareRoot() * rate.uncertainty)
    #expect(rate.uncertainty < 80, "\(rate.uncertainty) ppm")
    #expect(engine.rateFault == nil)
  }

  @Test func `samples that come in bursts say the same of the clock`() throws {
    var breakout = Breakout()
    breakout.rate = 1000 * (1 - 300e-6)
    var engine = SampledEngine(setup(), at: breakout.arrival(0, delay: 0))
    // 32 samples at a time, as from a sensor's memory.
    for burst in 0..<600 {
      let events = (0..<32).map { breakout.event(32 * burst + $0) }
      try engine.take(events, at: breakout.arrival(32 * burst + 31, delay: 0.0002))
    }
    let rate = try #require(engine.rate)
    #expect(abs(rate.ppm + 300) < 3.squareRoot() * rate.uncertainty)
    #expect(rate.uncertainty < 80, "\(rate.uncertainty) ppm")
  }

  @Test func `a stream without a steady clock has no rate`() throws {
    let breakout = Breakout()
    var engine = SampledEngine(setup(), at: breakout.arrival(0, delay: 0))
    for index in 0..<5000 {
      // For two seconds everything comes 40 ms later than before.
      let delay = (2000..<4000).contains(index) ? 0.04 : 0
      try engine.take([breakout.event(index)], at: breakout.arrival(index, delay: delay))
    }
    #expect(engine.rate == nil)
    #expect(engine.rateFault == nil)
  }

  @Test func `a rate that is not the rig file's is an error with the one to write`() throws {
    var breakout = Breakout()
    breakout.rate = 1019
    let (_, _, engine) = try run(
      breakout, samples: 0..<10_000, start: 100.1, jitter: 0.001, limit: 0)
    let fault = try #require(engine.rateFault)
    #expect(fault.code == .refused)
    #expect(
      fault.message.contains("gives 1019.0") && fault.message.contains("'sample-rate: 1019.0"))
  }

  @Test func `nothing for the timeout is an error, a moment less is none`() throws {
    var engine = SampledEngine(setup(), at: 5_000_000_000)
    try engine.take([], at: 6_000_000_000)
    let error = #expect(throws: DeviceError.self) { try engine.take([], at: 6_000_000_001) }
    #expect(error?.code == .stalled)
    #expect(error?.message.contains("nothing came from '/dev/ttyACM0' for 1.0 s") == true)
  }

  @Test func `garbage alone is an error that says so`() throws {
    var engine = SampledEngine(setup(), at: 0)
    let error = #expect(throws: DeviceError.self) {
      for step in 1...12 {
        try engine.take([.skipped(100)], at: UInt64(step) * 100_000_000)
      }
    }
    #expect(error?.message.contains("holds no sample (0 damaged, 1100 bytes") == true)
  }

  @Test func `a jump beyond reason is another stream`() throws {
    let breakout = Breakout()
    var engine = SampledEngine(setup(), at: 0)
    try engine.take([breakout.event(0)], at: breakout.arrival(0, delay: 0))
    let error = #expect(throws: DeviceError.self) {
      try engine.take([breakout.event(6000)], at: breakout.arrival(1, delay: 0))
    }
    #expect(error?.code == .garbled)
  }

  @Test func `half a minute before the drive starts moves no frame`() throws {
    let breakout = Breakout { $0 - 100 }
    let (frames, _, _) = try run(breakout, samples: 0..<30_000, start: 129.5, limit: 8)
    #expect(abs(Double(frames[0]) - 29.5) < 1e-3)
  }
}
