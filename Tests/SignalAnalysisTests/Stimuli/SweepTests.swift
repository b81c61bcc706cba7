// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

struct SweepTests {
  @Test func `marker and probe have the lengths and levels of their definition`() {
    let marker = Sweep.marker.samples(at: .standard)
    let probe = Sweep.probe.samples(at: .standard)
    #expect(marker.count == 2_400)
    #expect(probe.count == 9_600)
    let top = marker.map(abs).max() ?? 0
    #expect(abs(Decibels.of(amplitude: top) + 12) < 0.1)
    #expect(marker[0] == 0 && abs(marker[2_399]) < 1e-3)
  }

  @Test func `the frequency runs from one end to the other`() {
    let sweep = Sweep(duration: 1, from: 100, to: 1_000, ramp: 0)
    // Zero crossings per second, counted at a fine grid, are twice the mean frequency.
    var crossings = 0
    let fine = (0...1_000_000).map { sweep.value(at: Double($0) * 1e-6) }
    for index in 1..<fine.count where fine[index] * fine[index - 1] < 0 { crossings += 1 }
    // The mean of a linear run.
    #expect(abs(Double(crossings) / 2 - 550) < 1)
  }

  @Test func `a sweep is that of SciPy`() {
    // scipy.signal.chirp(0.123, 50, 0.2, 500, method="linear", phi=-90)
    let linear = Sweep(duration: 0.2, from: 50, to: 500, ramp: 0)
    #expect(abs(linear.value(at: 0.123) - 0.8766847781808164) < 1e-10)
  }

  @Test func `outside its time a sweep is silent`() {
    #expect(Sweep.probe.value(at: -0.001) == 0)
    #expect(Sweep.probe.value(at: 0.2001) == 0)
  }

  @Test func `the energy of the marker lies in its band`() {
    let samples = Sweep.marker.samples(at: .standard)
    var transform = FourierTransform(length: FourierTransform.fastLength(atLeast: 4_800))
    let powers = transform.forward(samples.span).map(\.power)
    let inside = powers.indices.filter { (150.0...8_100).contains(Double($0) * 10) }
    let share = inside.reduce(0) { $0 + powers[$1] } / powers.reduce(0, +)
    #expect(share > 0.98, "\(share)")
  }
}
