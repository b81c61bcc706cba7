// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

/// Whether two stated standard uncertainties hold the truth, over 200 seeds at each noise.
struct ModalFitCoverageTests {
  private let rate = SampleRate(hertz: 2_400)

  @Test(arguments: [20.0, 40, 60])
  func `two uncertainties cover the truth in 95 percent`(ratio: Double) throws {
    let sweep = SynchronizedSweep(band: 30...700, duration: 1)
    let drive = padded(sweep.samples(at: rate), after: 0.5, rate: rate)
    let names = ["f0", "Q", "gain", "delay"]
    var covered = [0, 0, 0, 0]
    let trials = 200
    for seed in 0..<trials {
      var noise = Noise(seed: UInt64(seed))
      let (f0, q) = (noise.uniform(60...250), noise.uniform(3...15))
      let (gain, delay) = (noise.uniform(3...40), noise.uniform(0...10e-3))
      let clean = Modes(delay: delay, modes: [(f0, q, gain)]).respond(to: drive, rate: rate)
      let output = noise.added(to: clean, sigma: pow(10, -ratio / 20) * rms(clean))
      let model = try ModalFit().fit(
        try SweepResponse.measure(
          sweep, input: floats(drive), output: output, rate: rate, tail: 0.2))
      let pairs = [
        (model.mode.frequency, f0), (model.mode.q, q), (model.mode.gain, gain),
        (model.delay, delay),
      ]
      for (index, pair) in pairs.enumerated()
      where abs(pair.0.value - pair.1) <= 2 * pair.0.uncertainty { covered[index] += 1 }
      #expect(model.modes.count == 1, "seed \(seed), \(ratio) dB: \(model)")
    }
    // Of 2,000 seeds 95.2 to 95.9 % were; of 200 the counts of single parameters scatter by 3.
    #expect(
      covered.reduce(0, +) >= 760 && covered.allSatisfy { $0 >= 186 },
      "seeds 0 to 199 at \(ratio) dB: \(zip(names, covered).map { "\($0) \($1)" }) of \(trials)")
  }
}
