// SPDX-License-Identifier: Apache-2.0

import Glibc
import SeededRandom
import SignalAnalysis
import Testing

@testable import Calibration

@Suite struct CoherenceTests {
  /// Responses of one flat size with independent noise of a standard deviation on either part.
  private func responses(_ count: Int, noise: Double, seed: UInt64) -> [TransferFunction] {
    var random = SeededRandom(seed: seed)
    // Even numbers of variance 1.
    func scatter() -> Double { random.uniform(-1...1) * 3.0.squareRoot() * noise }
    let frequencies = (25...500).map { 2 * Double($0) }
    return (0..<count).map { _ in
      TransferFunction(
        spacing: 2, frequencies: frequencies,
        response: frequencies.map { _ in Complex(2 + scatter(), scatter()) },
        uncertainty: frequencies.map { _ in noise })
    }
  }

  @Test func `equal responses have a coherence of 1, one alone has none`() throws {
    let found = try #require(RepeatCoherence(responses(2, noise: 0, seed: 1)))
    #expect(found.values.allSatisfy { $0 == 1 } && found.values.count >= 12)
    #expect(found.frequencies.allSatisfy { 50 < $0 && $0 < 1_000 })
    #expect(RepeatCoherence(responses(1, noise: 0, seed: 1)) == nil)
  }

  @Test(arguments: [2, 6])
  func `noise lowers it to the signal's share of the power`(count: Int) throws {
    // 4 of signal, 2 noise^2 of noise: 1 / (1 + 0.02), whatever the count.
    let found = try #require(RepeatCoherence(responses(count, noise: 0.2, seed: 7)))
    let mean = found.values.reduce(0, +) / Double(found.values.count)
    #expect(abs(mean - 1 / 1.02) < 0.004, "\(found.values)")
  }
}
