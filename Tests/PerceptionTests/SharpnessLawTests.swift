// SPDX-License-Identifier: Apache-2.0

import Glibc
import Perception
import Testing

struct SharpnessLawTests {
  // 80 (230/80)^0.5 = 135.647, 80 + 0.5 150 = 155, 65 + 0.5 235 = 182.5 Hz.
  @Test(
    arguments: [
      (SharpnessLaw.log80To230, 80, 135.6465997, 230), (.linear80To230, 80, 155, 230),
      (.mpeg65To300, 65, 182.5, 300),
    ])
  func `a law has its published frequencies`(
    law: SharpnessLaw, low: Double, middle: Double, high: Double
  ) {
    #expect(abs(law.frequency(of: 0) - low) < 1e-9)
    #expect(abs(law.frequency(of: 0.5) - middle) < 1e-6)
    #expect(abs(law.frequency(of: 1) - high) < 1e-9)
  }

  @Test(arguments: SharpnessLaw.named.map(\.law))
  func `sharpness is limited to its range`(law: SharpnessLaw) {
    #expect(law.frequency(of: -3) == law.frequency(of: 0))
    #expect(law.frequency(of: 2234) == law.frequency(of: 1))
  }

  @Test(arguments: SharpnessLaw.named.map(\.law))
  func `sharper is always higher`(law: SharpnessLaw) {
    let frequencies = (0...1000).map { law.frequency(of: Double($0) / 1000) }
    #expect(zip(frequencies, frequencies.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `equal steps of the logarithmic law are equal intervals`() {
    let law = SharpnessLaw.log80To230
    let step = pow(230 / 80.0, 0.1)
    for index in 0..<10 {
      let s = Double(index) / 10
      #expect(abs(law.frequency(of: s + 0.1) / law.frequency(of: s) - step) < 1e-12)
    }
  }

  // The values of AOSP's own test of its pinned mapping: 100, 150 and 200 Hz.
  @Test(arguments: [(0, 100), (0.35, 125), (0.7, 150), (0.85, 175), (1, 200)])
  func `a pinned law puts the resonance at sharpness 0_7`(sharpness: Double, hertz: Double) {
    let law = SharpnessLaw.pinned(low: 100, resonance: 150, high: 200)
    #expect(abs(law.frequency(of: sharpness) - hertz) < 1e-9)
  }

  @Test func `names are those that records carry and lead back to the law`() {
    #expect(SharpnessLaw.named.map(\.name) == ["log80-230", "linear80-230", "mpeg65-300", "aosp"])
    for (name, law) in SharpnessLaw.named {
      #expect(law.name == name)
      #expect(SharpnessLaw.named(name) == law)
    }
    #expect(SharpnessLaw.named("guess") == nil)
    #expect(SharpnessLaw.linear(low: 55, high: 200).name == "linear55.0-200.0")
    #expect(
      SharpnessLaw.pinned(low: 100, resonance: 150, high: 200).name == "aosp100.0-150.0-200.0")
  }
}
