// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignalAnalysis
import Units

/// Sweep analysis and the fit of a resonance, beside SciPy doing the same on the same samples.
struct SweepBenchmark {
  let corpus: Corpus
  private let sweep = SynchronizedSweep(duration: 2, amplitude: 1)

  /// Prints the processor time of both, best of several rounds, and how far their answers are apart.
  func report() {
    print(
      "a sweep of 2 s in a record of 3 s at 48 kHz: deconvolution, gate, fit of f0, Q, gain and delay"
    )
    let (input, output) = record()
    var model: ModalModel?
    let analysis = leastWork(of: 40) { _ = measure(input, output) }
    let both = leastWork(of: 40) {
      model = measure(input, output).flatMap { try? ModalFit().fit($0) }
    }
    guard let model else {
      print("  not measured: the fit failed\n")
      return
    }
    let found = String(
      format: "%.3f Hz, Q %.3f", model.mode.frequency.value, model.mode.q.value)
    row("deconvolution alone", String(format: "%.2f ms", 1e3 * analysis), "")
    row("deconvolution and fit", String(format: "%.2f ms", 1e3 * both), found)
    guard let peer = peer(input, output) else {
      print("  not measured: the peer needs python3 with SciPy\n")
      return
    }
    row("SciPy: the same", String(format: "%.2f ms", peer.milliseconds), peer.found)
    row("times faster", String(format: "%.1f", peer.milliseconds / (1e3 * both)), "aim: 5")
    print("")
  }

  private func measure(_ input: [Float], _ output: [Float]) -> SweepResponse? {
    try? SweepResponse.measure(sweep, input: input, output: output, rate: .standard)
  }

  /// The sweep after 0.2 s, and the answer of a resonator at 170 Hz, Q 9, 1 ms later.
  private func record() -> (input: [Float], output: [Float]) {
    var input = [Float](repeating: 0, count: 3 * 48_000)
    for (index, value) in sweep.samples(at: .standard).enumerated() {
      input[9_600 + index] = Float(value)
    }
    let known = ResonatorModel(
      delay: Estimate(1e-3, uncertainty: 0), frequency: Estimate(170, uncertainty: 0),
      q: Estimate(9, uncertainty: 0), gain: Estimate(20, uncertainty: 0))
    // A noise that repeats, 60 dB below: a linear congruence is random enough here.
    var state: UInt32 = 1
    let output = known.predict(input, rate: .standard).map { value in
      state = state &* 1_664_525 &+ 1_013_904_223
      return Float(value + 0.02 * (Double(state >> 8) / Double(1 << 24) - 0.5))
    }
    return (input, output)
  }

  private func peer(
    _ input: [Float], _ output: [Float]
  ) -> (milliseconds: Double, found: String)? {
    let numbers = (input + output).withUnsafeBytes { Data($0) }
    guard let text = PythonPeer(corpus: corpus, script: "sweep_peer.py").output(for: numbers) else {
      return nil
    }
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let time = Double(parts[0]) else {
      return nil
    }
    return (time, parts[1].trimmingCharacters(in: .newlines))
  }
}
