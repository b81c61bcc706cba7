// SPDX-License-Identifier: Apache-2.0

import Glibc
import Perception
import SeededRandom
import Testing

struct IntensityLawTests {
  @Test func `the square law gives a quarter at one half and the linear law a half`() {
    #expect(IntensityLaw.square.share(of: 0.5) == 0.25)
    #expect(IntensityLaw.linear.share(of: 0.5) == 0.5)
  }

  // Half the intensity: square -12.04 dB, linear -6.02, sone 6.02/0.6 = -10.03, aosp half of 30 dB.
  @Test(
    arguments: [
      (IntensityLaw.square, -12.0412), (.linear, -6.0206), (.sone, -10.0343), (.aosp, -15),
    ])
  func `half the intensity is so many dB below full`(law: IntensityLaw, level: Double) {
    #expect(abs(20 * log10(law.share(of: 0.5)) - level) < 1e-4)
  }

  @Test func `doubling the intensity doubles what is felt under the sone law`() {
    for i in [0.05, 0.1, 0.3, 0.5] {
      let ratio = IntensityLaw.sone.share(of: 2 * i) / IntensityLaw.sone.share(of: i)
      #expect(abs(pow(ratio, 0.6) - 2) < 1e-9)
    }
  }

  @Test(arguments: IntensityLaw.allCases)
  func `a law goes from 0 to 1 and rises between`(law: IntensityLaw) {
    #expect(law.share(of: 0) == 0)
    #expect(law.share(of: 1) == 1)
    #expect(law.share(of: -1) == 0)
    #expect(law.share(of: 4.64) == 1)
    let shares = (0...1000).map { law.share(of: Double($0) / 1000) }
    #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 < $1 })
  }
}

struct IntensityTargetTests {
  private let frequencies = [65, 80, 115.2, 155, 230, 300]

  @Test func `the weakest intensity stands 10 dB above threshold`() {
    let target = IntensityTarget()
    for frequency in frequencies {
      let floor = target.acceleration(intensity: 1e-9, frequency: frequency)
      let level = target.contour.sensationLevel(acceleration: floor, at: frequency)
      #expect(abs(level - 10) < 1e-6, "\(level) dB at \(frequency) Hz")
    }
  }

  @Test(arguments: [24, 30, 36.0])
  func `intensity 1 stands at the reference level`(reference: Double) {
    let target = IntensityTarget(referenceLevel: reference)
    for frequency in frequencies {
      let full = target.acceleration(intensity: 1, frequency: frequency)
      let level = target.contour.sensationLevel(acceleration: full, at: frequency)
      #expect(abs(level - reference) < 1e-9, "\(level) dB at \(frequency) Hz")
    }
  }

  @Test func `intensity 0 is off`() {
    #expect(IntensityTarget().acceleration(intensity: 0, frequency: 150) == 0)
    #expect(IntensityTarget().acceleration(intensity: -1, frequency: 150) == 0)
  }

  @Test(arguments: IntensityLaw.allCases)
  func `more intensity is always more acceleration`(law: IntensityLaw) {
    var random = SeededRandom(seed: 0xa1)
    let target = IntensityTarget(law: law)
    for _ in 0..<2000 {
      let (a, b) = (random.uniform(), random.uniform())
      guard abs(a - b) > 1e-9 else { continue }
      let frequency = random.uniform(65...300)
      let weak = target.acceleration(intensity: min(a, b), frequency: frequency)
      let strong = target.acceleration(intensity: max(a, b), frequency: frequency)
      #expect(weak < strong, "\(a), \(b) at \(frequency) Hz, \(random)")
    }
  }

  // a0 = 10 dB and a1 = 30 dB above 0.26548 m/s2 (-31.35 dB re 1 g at 150 Hz):
  // python: t = 9.80665*10**(-31.35/20); t*10**.5 + (t*10**1.5 - t*10**.5)*.25
  @Test func `half the intensity is floor and a quarter of the way`() {
    let half = IntensityTarget().acceleration(intensity: 0.5, frequency: 150)
    #expect(abs(half - 2.728374843590456) < 1e-12, "\(half)")
  }
}

struct AndroidTargetTests {
  // a = 10^((I maxSL + thr)/20) g with thr -31.35 dB at 150 Hz and maxSL 36 dB:
  // python: [9.80665*10**((i*36-31.35)/20) for i in (.25,.5,1)]
  @Test(arguments: [(0.25, 0.7482051197), (0.5, 2.1087285384), (1, 16.7502261739)])
  func `the level above threshold grows with intensity`(intensity: Double, acceleration: Double) {
    let target = IntensityTarget(law: .aosp, referenceLevel: 36)
    let asked = target.acceleration(intensity: intensity, frequency: 150)
    #expect(abs(asked / acceleration - 1) < 1e-6, "\(asked)")
    let level = target.contour.sensationLevel(acceleration: asked, at: 150)
    #expect(abs(level - 36 * intensity) < 1e-9)
  }

  @Test func `target and share agree at the reference level that the share assumes`() {
    let target = IntensityTarget(law: .aosp, referenceLevel: IntensityLaw.aospRange)
    let full = target.acceleration(intensity: 1, frequency: 200)
    for i in [0.01, 0.2, 0.7, 1] {
      let share = target.acceleration(intensity: i, frequency: 200) / full
      #expect(abs(share - IntensityLaw.aosp.share(of: i)) < 1e-12)
    }
  }
}

struct JustNoticeableTests {
  @Test func `one step of level or of frequency counts 1`() {
    #expect(abs(JustNoticeable.consistency(levelError: 2.2, frequencyRatio: 1) - 1) < 1e-12)
    #expect(abs(JustNoticeable.consistency(levelError: -2.2, frequencyRatio: 1) - 1) < 1e-12)
    #expect(abs(JustNoticeable.consistency(levelError: 0, frequencyRatio: 1.18) - 1) < 1e-12)
    #expect(abs(JustNoticeable.consistency(levelError: 0, frequencyRatio: 1 / 1.18) - 1) < 1e-12)
  }

  @Test func `level and frequency add as squares`() {
    let both = JustNoticeable.consistency(levelError: 3 * 2.2, frequencyRatio: pow(1.18, 4))
    #expect(abs(both - 5) < 1e-12)
    #expect(JustNoticeable.consistency(levelError: 0, frequencyRatio: 1) == 0)
  }

  @Test func `the steps are those of the literature`() {
    for difference in JustNoticeable.allCases {
      #expect(difference.range.contains(difference.value))
      #expect((0.1..<0.5).contains(difference.relativeUncertainty), "\(difference)")
      #expect(!difference.source.isEmpty)
    }
    #expect(JustNoticeable.level.value == 2.2)
    #expect(JustNoticeable.frequency.value == 0.18)
    #expect(JustNoticeable.audioHaptic.value == 0.024)
  }

  /// Deviations of 400,000 draws by Tests/BenchTests/References/harmony_differences.py.
  @Test(arguments: [
    (1.1, 1.0, 0.0920), (0.0, 1.09, 0.1544), (1.5, 1.2, 0.2882), (4.0, 1.05, 0.3299),
  ])
  func `what is published of differences leaves J open`(
    level: Double, ratio: Double, drawn: Double
  ) {
    let found = JustNoticeable.uncertainty {
      JustNoticeable.consistency(levelError: level, frequencyRatio: ratio, by: $0)
    }
    #expect(abs(found - drawn) < 0.05 * drawn, "\(found)")
  }

  @Test func `what does not rest on a difference is not moved by it`() {
    #expect(JustNoticeable.uncertainty { _ in 42 } == 0)
    let r = JustNoticeable.release.relativeUncertainty
    // x / d at d e^r and d e^-r: x / d sinh r.
    #expect(abs(JustNoticeable.uncertainty { 0.057 / $0(.release) } - sinh(r)) < 1e-12)
  }
}
