// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

struct SynchronizedSweepTests {
  private let sweep = SynchronizedSweep(band: 100...400, duration: 1)

  @Test(arguments: [0.3, 1, 2.5, 10])
  func `the start frequency times L is an integer and the length nearly as asked`(
    duration: Double
  ) {
    for band in [20.0...1_000, 50...500, 100...400] {
      let sweep = SynchronizedSweep(band: band, duration: duration)
      let cycles = sweep.guardedBand.lowerBound * sweep.growthTime
      #expect(abs(cycles - cycles.rounded()) < 1e-9 && cycles > 0.5)
      let span = log(sweep.guardedBand.upperBound / sweep.guardedBand.lowerBound)
      #expect(
        abs(sweep.duration - duration) <= 0.5001 * span / sweep.guardedBand.lowerBound,
        "\(band), \(duration): \(sweep.duration)")
    }
  }

  @Test(arguments: SynchronizedSweep.Direction.allCases)
  func `its third harmonic is the sweep itself, earlier by the lead`(
    direction: SynchronizedSweep.Direction
  ) {
    let sweep = SynchronizedSweep(band: 100...400, duration: 1, direction: direction)
    // sin 3p = 3 sin p - 4 sin^3 p, and 100 Hz to 133 Hz have their third harmonic in the band.
    for frequency in [101.0, 115, 133] {
      let time = sweep.time(of: frequency)
      let sine = sweep.value(at: time)
      let lead = sweep.harmonicLead(3)
      #expect(abs(3 * sine - 4 * sine * sine * sine - sweep.value(at: time + lead)) < 1e-9)
      #expect((lead > 0) == (direction == .up))
    }
  }

  @Test func `it begins and ends at zero and is silent outside`() {
    let samples = sweep.samples(at: .standard)
    #expect(samples[0] == 0)
    #expect(abs(samples[samples.count - 1]) < 1e-3)
    #expect(sweep.value(at: -1e-9) == 0 && sweep.value(at: sweep.duration + 1e-9) == 0)
    #expect(samples.count == Int((48_000 * sweep.duration).rounded(.up)))
  }

  @Test func `inside its band it is that of SciPy`() {
    // start = 100 / 1.3; end = 400 * 1.15; L = round(start / log(end / start)) / start
    // scipy.signal.chirp(0.5, start, L * log(end / start), end, method="logarithmic", phi=-90)
    #expect(abs(sweep.value(at: 0.5) - 0.8995050502053472) < 1e-9)
  }

  @Test func `the band is at full amplitude and the guard bands fade`() {
    let loud = SynchronizedSweep(band: 100...400, duration: 1, amplitude: 2.5)
    var (inside, outside) = (0.0, 0.0)
    for step in 0..<200_000 {
      let time = Double(step) / 200_000 * loud.duration
      let value = abs(loud.value(at: time))
      if loud.band.contains(loud.frequency(at: time)) {
        inside = max(inside, value)
      } else if loud.frequency(at: time) < 80 {
        outside = max(outside, value)
      }
    }
    #expect(abs(inside - 2.5) < 1e-3)
    #expect(outside < 0.5)
  }

  @Test func `down is up turned round in time`() {
    let down = SynchronizedSweep(band: 100...400, duration: 1, direction: .down)
    for time in [0.1, 0.33, 0.8] {
      #expect(abs(down.value(at: time) - sweep.value(at: sweep.duration - time)) < 1e-12)
      #expect(abs(down.frequency(at: down.time(of: 250)) - 250) < 1e-9)
    }
  }
}
