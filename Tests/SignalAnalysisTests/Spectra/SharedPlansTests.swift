// SPDX-License-Identifier: Apache-2.0

import SignalAnalysis
import Testing

/// Plans of one length are shared by all transforms of the process.
struct SharedPlansTests {
  @Test func `many tasks with one length get the bits of one alone`() async {
    var noise = Noise(seed: 17)
    let samples = (0..<3_000).map { _ in noise.gaussian() }
    func transformed() -> [Complex] {
      var transform = FourierTransform(length: 3_000)
      return transform.forward(samples.span)
    }
    let alone = transformed()
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 {
        group.addTask { (0..<20).allSatisfy { _ in transformed() == alone } }
      }
      for await isSame in group { #expect(isSame) }
    }
  }

  @Test func `more lengths than are kept are transformed all the same`() {
    // Two rounds: the second finds the first lengths kept and makes the last ones anew.
    for _ in 0..<2 {
      for power in [18, 19, 20, 21] {
        var transform = FourierTransform(length: 1 << power)
        let impulse: [Double] = [2]
        let bins = transform.forward(impulse.span)
        #expect(bins[0] == Complex(2) && bins[1 << (power - 1)] == Complex(2))
      }
    }
  }
}
