// SPDX-License-Identifier: Apache-2.0

import Glibc
import HapticRendering
import SeededRandom
import Testing

struct MixingLawTests {
  @Test func `up to the knee a sum is left as it is`() {
    var random = SeededRandom(seed: 0x31)
    for _ in 0..<1000 {
      let sum = random.uniform(-1...1)
      #expect(MixingLaw.standard.limited(sum) == sum, "\(random)")
    }
    #expect(MixingLaw.standard.limited(1) == 1)
    #expect(MixingLaw.standard.limited(-1) == -1)
  }

  // knee 1, ceiling 1.5: 1 + 0.5 t / (t + 0.5).
  @Test(arguments: [(1.5, 1.25), (2.5, 1.375), (-2.5, -1.375), (5.5, 1.45)])
  func `above the knee it bends towards the ceiling`(sum: Double, limited: Double) {
    #expect(abs(MixingLaw.standard.limited(sum) - limited) < 1e-12)
  }

  @Test func `more stays more and never reaches the ceiling`() {
    let law = MixingLaw(limit: .soft(knee: 1.2, ceiling: 2))
    let values = (0...4000).map { law.limited(Double($0) * 0.01) }
    #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
    #expect(values.allSatisfy { $0 < 2 })
    #expect(law.limited(1e6) > 1.999)
  }

  @Test func `the slope has no jump at the knee`() {
    let law = MixingLaw.standard
    for step in [1e-3, 1e-4, 1e-5] {
      let above = (law.limited(1 + step) - law.limited(1)) / step
      #expect(abs(above - 1) < 3 * step)
    }
  }

  @Test func `the plain sum has no limit`() {
    #expect(MixingLaw.sum.limited(100) == 100)
  }

  @Test func `names tell knee, ceiling and ducking`() {
    #expect(MixingLaw.standard.name == "soft limit 1.0 to 1.5")
    #expect(MixingLaw.sum.name == "sum")
    #expect(MixingLaw.ducked.name == "soft limit 1.0 to 1.5, ducking 0.8")
    #expect(MixingLaw.sum.ducking(0.5).name == "sum, ducking 0.5")
  }

  @Test(arguments: [(0.9, 1.5), (1.0, 1.0), (2.0, 1.5)])
  func `a knee below full scale or above the ceiling is a programmer's error`(
    knee: Double, ceiling: Double
  ) async {
    await #expect(processExitsWith: .failure) { [knee, ceiling] in
      _ = MixingLaw(limit: .soft(knee: knee, ceiling: ceiling))
    }
  }

  @Test func `ducking beyond 0 and 1 is a programmer's error`() async {
    await #expect(processExitsWith: .failure) { _ = MixingLaw.standard.ducking(1.1) }
  }
}
