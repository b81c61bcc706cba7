// SPDX-License-Identifier: Apache-2.0

import AllocationCounter
import Glibc
import Profiles
import SeededRandom
import Testing

struct FeedForwardFilterTests {
  /// The steady response to a tone: magnitude and phase by projection over whole periods.
  private func response(
    _ inverse: FeedForward, at frequency: Double, rate: Double
  ) -> (magnitude: Double, phase: Double) {
    var filter = FeedForwardFilter(inverse, rate: rate, peakVolts: 1e12)
    // Ten times the slowest decay, then periods.
    let settle = Int(rate * 0.5)
    let count = Int((40 * rate / frequency).rounded())
    let w = 2 * Double.pi * frequency / rate
    var (real, imaginary, norm) = (0.0, 0.0, 0.0)
    for frame in 0..<settle + count {
      let output = Double(filter.advance(Float(sin(w * Double(frame)))))
      guard frame >= settle else { continue }
      let window = 0.5 - 0.5 * cos(2 * .pi * Double(frame - settle) / Double(count))
      real += window * output * sin(w * Double(frame))
      imaginary += window * output * cos(w * Double(frame))
      norm += window / 2
    }
    return (hypot(real, imaginary) / norm, atan2(imaginary, real))
  }

  @Test(arguments: [(150, 10, 4.0), (65, 2.5, -9), (240, 15, 2)])
  func `behind its inverse an actuator does what is asked within 2 percent`(
    f0: Double, q: Double, gain: Double
  ) throws {
    let modes = [SampleProfiles.mode(f0, q, gain: gain)]
    let inverse = try #require(FeedForward(inverting: SampleProfiles.model(modes)))
    for frequency in [60, 80, 120, 150, 200, 300, 500.0] {
      let found = response(inverse, at: frequency, rate: 48_000)
      let product = found.magnitude * SampleProfiles.magnitude(modes, at: frequency)
      let kept = product / inverse.leakFactor(at: frequency)
      #expect(abs(kept - 1) < 0.02, "\(kept) at \(frequency) Hz")
      let phase = remainder(found.phase - inverse.response(at: frequency).phase, 2 * .pi)
      #expect(abs(phase) < 0.02, "\(phase) rad at \(frequency) Hz")
    }
  }

  @Test func `two modes are undone within 2 percent`() throws {
    let modes = [
      SampleProfiles.mode(160, 8, gain: 3.3), SampleProfiles.mode(320, 8, gain: 2.8),
    ]
    let inverse = try #require(FeedForward(inverting: SampleProfiles.model(modes)))
    for frequency in [60, 120, 160, 220, 320, 500.0] {
      let found = response(inverse, at: frequency, rate: 48_000)
      let kept =
        found.magnitude * SampleProfiles.magnitude(modes, at: frequency)
        / inverse.leakFactor(at: frequency)
      #expect(abs(kept - 1) < 0.02, "\(kept) at \(frequency) Hz")
    }
  }

  @Test func `an impulse dies away for any resonance and rate`() throws {
    var random = SeededRandom(seed: 0xf1)
    for _ in 0..<40 {
      let rates: [Double] = [8000, 48_000, 192_000]
      let rate = rates[random.integer(0...2)]
      let f0 = 20 * pow(100, random.uniform())
      let q = 0.5 * pow(100, random.uniform())
      var modes = [SampleProfiles.mode(f0, q, gain: random.uniform(0.1...20))]
      if random.chance(0.5) {
        modes.append(
          SampleProfiles.mode(
            20 * pow(100, random.uniform()), 0.5 * pow(100, random.uniform()),
            gain: random.uniform(-20...20)))
      }
      let inverse = try #require(FeedForward(inverting: SampleProfiles.model(modes)))
      var filter = FeedForwardFilter(inverse, rate: rate, peakVolts: 1e30)
      // The slowest of all, the zeros of two modes with Q 50 at 20 Hz, fall to a third in 0.9 s.
      let window = Int(0.05 * rate)
      var (early, late): (Float, Float) = (0, 0)
      for frame in 0..<window {
        early = max(early, abs(filter.advance(frame == 0 ? 1 : 0)))
      }
      for _ in 0..<Int(0.9 * rate) { _ = filter.advance(0) }
      for _ in 0..<window { late = max(late, abs(filter.advance(0))) }
      #expect(late <= 0.4 * early, "\(late) of \(early), f0 \(f0), Q \(q) at \(rate) Hz, \(random)")
    }
  }

  @Test func `the drive never passes the peak and the count says how often it met it`() throws {
    var random = SeededRandom(seed: 0xf2)
    let inverse = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(150, 10, gain: 4)])))
    var filter = FeedForwardFilter(inverse, rate: 48_000, peakVolts: 3, fullScaleVolts: 6)
    var meeting = 0
    for _ in 0..<20_000 {
      let drive = filter.advance(Float(20 * random.gaussian()))
      #expect(abs(drive) <= 0.5)
      if abs(drive) == 0.5 { meeting += 1 }
    }
    #expect(meeting > 1000)
    #expect(filter.limitedCount == meeting)
  }

  @Test func `after any overload the drive comes to rest`() throws {
    var random = SeededRandom(seed: 0xf4)
    for _ in 0..<30 {
      let rate = random.chance(0.5) ? 8000.0 : 48_000
      var modes = [
        SampleProfiles.mode(
          random.uniform(50...400), random.uniform(0.7...30), gain: random.uniform(0.5...20))
      ]
      if random.chance(0.5) {
        modes.append(
          SampleProfiles.mode(
            random.uniform(50...400), random.uniform(2...20), gain: random.uniform(-9...9)))
      }
      let isMotor = random.chance(0.1)
      let inverse =
        isMotor
        ? FeedForward(spinUpTime: 0.06)
        : try #require(FeedForward(inverting: SampleProfiles.model(modes)))
      var filter = FeedForwardFilter(inverse, rate: rate, peakVolts: 2)
      for frame in 0..<Int(0.05 * rate) {
        _ = filter.advance(Float(500 * sin(0.1 * Double(frame)) + 100 * random.gaussian()))
      }
      let limited = filter.limitedCount
      #expect(limited > 0)
      // What rings longest are the zeros of two modes: Q 20 at 50 Hz, 0.13 s.
      for _ in 0..<Int(2.5 * rate) { _ = filter.advance(0) }
      #expect(abs(filter.advance(0)) < 1e-3, "\(modes.map(\.f0.value)) Hz, \(random)")
    }
  }

  @Test func `any block size gives the same samples`() throws {
    var random = SeededRandom(seed: 0xf3)
    let inverse = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(150, 10, gain: 4)])))
    let wanted = (0..<5000).map { $0 < 2000 ? Float(random.gaussian()) : 0 }
    var whole = wanted
    var filter = FeedForwardFilter(inverse, rate: 48_000, peakVolts: 3)
    do {
      var span = whole.mutableSpan
      filter.process(&span)
    }
    var blocks = FeedForwardFilter(inverse, rate: 48_000, peakVolts: 3)
    var chunked: [Float] = []
    while chunked.count < wanted.count {
      let end = min(wanted.count, chunked.count + random.integer(1...700))
      var block = Array(wanted[chunked.count..<end])
      do {
        var span = block.mutableSpan
        blocks.process(&span)
      }
      chunked += block
    }
    #expect(chunked == whole)
  }

  @Test(
    .enabled(if: allocationCounterIsAvailable() == 1, "a sanitizer's heap is not counted"),
    arguments: [nil, 3e8] as [Double?])
  func `a block allocates nothing`(spring: Double?) throws {
    var inverse = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(150, 10, gain: 4)])))
    inverse.spring = spring.map { SampleProfiles.quantity($0, .perSquareMetre) }
    var filter = FeedForwardFilter(inverse, rate: 48_000, peakVolts: 3)
    var block = [Float](repeating: 1, count: 480)
    var span = block.mutableSpan
    allocationCounterStart()
    filter.process(&span)
    let counts = allocationCounterStop()
    #expect(counts.allocations == 0 && counts.releases == 0)
  }

  @Test func `what is no number is silence and does no harm later`() throws {
    let inverse = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(150, 10, gain: 4)])))
    var filter = FeedForwardFilter(inverse, rate: 48_000, peakVolts: 3)
    for bad in [Float.nan, .infinity, -.infinity] { #expect(filter.advance(bad).isFinite) }
    for _ in 0..<48_000 { #expect(filter.advance(0) == 0) }
  }

  @Test func `a rotating mass is overdriven at the start and braked at the end`() {
    var filter = FeedForwardFilter(FeedForward(spinUpTime: 0.06), rate: 8000, peakVolts: 100)
    let first = filter.advance(2)
    for _ in 0..<8000 { _ = filter.advance(2) }
    let steady = filter.advance(2)
    let last = filter.advance(0)
    #expect(first > 15 && first < 16.1, "\(first) V")
    #expect(abs(steady - 2) < 1e-4, "\(steady) V")
    #expect(last < -13, "\(last) V")
  }
}
