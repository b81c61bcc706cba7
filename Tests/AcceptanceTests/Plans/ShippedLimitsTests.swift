// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing

@Suite struct ShippedLimitsTests {
  private func verdict(_ reading: Reading, hasProfile: Bool = true) -> Verdict? {
    var readings = [reading]
    _ = Judgement.apply(
      .standard(ShippedLimits()), to: &readings, patterns: ["A"], hasProfile: hasProfile)
    return readings[0].verdict
  }

  @Test(
    arguments: [
      (ReadingKind.latencyElectrical, [8.3e-3, 30e-3, 60e-3]),
      (.latencyTransport, [0.4e-3, 7e-3, 60e-3]), (.latencyEvent, [0.4e-3, 12e-3, 60e-3]),
      (.latencyEvent, [-0.4e-3, -12e-3, -60e-3]), (.latencyJitter, [30e-6, 0.5e-3, 60e-3]),
      (.syncAudioHaptic, [-5e-3, -20e-3, -60e-3]), (.syncAudioHaptic, [4e-3, 11e-3, 60e-3]),
      (.drift, [12, 150, 400]), (.drift, [-12, -150, -400]), (.harmonyIntensity, [98, 30, 1.1]),
      (.harmonySharpness, [98, 30, 1.1]), (.harmonyDecay, [98, 30, 1.1]),
      (.harmonyEnvelope, [98, 30, 20]),
    ] as [(ReadingKind, [Double])])
  func `a good value passes, a doubtful one is marginal, a bad one fails`(
    kind: ReadingKind, values: [Double]
  ) {
    let verdicts = values.map { verdict(Reading(kind, pattern: "A", value: $0)) }
    #expect(verdicts == [.pass, .marginal, .fail])
  }

  @Test(arguments: [ReadingKind.dropouts, .xruns, .overloads, .eventsDropped])
  func `one loss, one overload or one dropped event is too many`(kind: ReadingKind) {
    let verdicts = [0, 1].map { verdict(Reading(kind, pattern: "A", value: $0)) }
    #expect(verdicts == [.pass, .fail])
  }

  @Test func `few events scored are marginal, never a failure`() {
    let verdicts = [1, 0.9, 0.8, 0].map { verdict(Reading(.eventsScored, pattern: "A", value: $0)) }
    #expect(verdicts == [.pass, .pass, .marginal, .marginal])
  }

  @Test func `how it feels is judged under a profile alone`() {
    let all = ShippedLimits().limits(hasProbe: true)
    for limit in all {
      #expect(limit.isCalibratedOnly == (limit.aspect == .feel), "\(limit.reading)")
    }
    #expect(Set(all.map(\.aspect)) == Set(Aspect.allCases))
    #expect(verdict(Reading(.harmonyIntensity, pattern: "A", value: 1), hasProfile: false) == nil)
  }

  @Test func `what the rig cannot show it does not owe`() {
    func owed(_ limits: [Limit]) -> [ReadingKind] {
      limits.filter(\.required).map(\.reading.kind).filter { $0.aspect == .timing }
    }
    #expect(
      owed(ShippedLimits().limits(hasProbe: true)) == [.latencyElectrical, .latencyTransport])
    #expect(owed(ShippedLimits().limits(hasProbe: false)) == [.latencyElectrical])
    #expect(owed(ShippedLimits(hasReference: false).limits(hasProbe: true)) == [])
    #expect(
      owed(ShippedLimits(startsTogether: false).limits(hasProbe: true)) == [.latencyTransport])
  }
}
