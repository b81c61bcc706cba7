// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ChangeDetection

struct AlarmDecisionTests {
  private let key = SeriesKey(rig: "bench", actuator: "lra-1", reading: "latency.onset")

  private func standing(
    _ points: [ChangePoint], control: [ChangePoint] = [], on rig: String = "bench",
    reading: String = "latency.onset", baseline: Baseline? = nil
  ) -> [Alarm.Standing] {
    var product = key
    product.reading = reading
    let findings = [
      SeriesFinding(key: product, points: points, baseline: baseline),
      SeriesFinding(
        key: SeriesKey(rig: rig, reading: "control.latency.electrical"), points: control),
    ]
    return AlarmDecision(findings).alarms.filter { !$0.key.isControl }.map(\.standing)
  }

  @Test func `a confirmed change for the worse is an alarm`() {
    #expect(standing([point(day: 50)]) == [.raised])
  }

  @Test func `a change for the better is reported, and no alarm`() {
    #expect(standing([point(day: 50, from: 11, to: 10)]) == [.improved])
    #expect(standing([point(day: 50)], reading: "envelope.correlation") == [.improved])
  }

  @Test func `a change that is not confirmed waits`() {
    #expect(standing([point(day: 50, state: .found)]) == [.unconfirmed])
    #expect(standing([point(day: 50, state: .weak)]) == [.unconfirmed])
  }

  @Test(arguments: zip([46, 47, 48, 50, 52, 53], [false, false, true, true, true, false]))
  func `a control that moved within two nights holds the alarm back`(day: Int, held: Bool) {
    #expect(standing([point(day: 50)], control: [point(day: day)]) == [held ? .heldBack : .raised])
  }

  @Test func `nights that are missing widen when a change may have been`() {
    let late = [point(day: 50, lastDayBefore: 44)]
    #expect(standing(late, control: [point(day: 44)]) == [.heldBack])
  }

  @Test func `a control that only may have moved, or is of another rig, holds nothing back`() {
    #expect(standing([point(day: 50)], control: [point(day: 50, state: .weak)]) == [.raised])
    #expect(standing([point(day: 50)], control: [point(day: 50, state: .found)]) == [.heldBack])
    #expect(standing([point(day: 50)], control: [point(day: 50)], on: "other") == [.raised])
  }

  @Test func `a control that moved is the rig's doing`() throws {
    let finding = SeriesFinding(
      key: SeriesKey(rig: "bench", reading: "control.latency.electrical"),
      points: [point(day: 50)])
    let decision = AlarmDecision([finding])
    #expect(decision.alarms.map(\.standing) == [.rigMoved])
    #expect(decision.raised.isEmpty)
  }

  @Test func `an alarm says whether a control could have told that the rig moved`() {
    func reason(controlDays: ClosedRange<Int>?) -> String? {
      var findings = [SeriesFinding(key: key, points: [point(day: 50)], days: 1...60)]
      if let controlDays {
        let control = SeriesKey(rig: "bench", reading: "control.latency.electrical")
        findings.append(SeriesFinding(key: control, points: [], days: controlDays))
      }
      return AlarmDecision(findings).raised.first?.reason
    }
    #expect(reason(controlDays: nil)?.hasSuffix("the plan has no control") == true)
    #expect(reason(controlDays: 1...60)?.hasSuffix("and no control moved with it") == true)
    #expect(reason(controlDays: 50...60)?.hasSuffix("measured on both sides of it") == true)
  }

  @Test func `the reason names the control and its day`() throws {
    let decision = AlarmDecision([
      SeriesFinding(key: key, points: [point(day: 50)]),
      SeriesFinding(
        key: SeriesKey(rig: "bench", reading: "control.latency.electrical"),
        points: [point(day: 49)]),
    ])
    let alarm = try #require(decision.alarms.first)
    #expect(
      alarm.reason
        == "control.latency.electrical of the same rig moved on 1970-02-19: the rig moved")
  }

  @Test func `a change that was made good stands no more`() {
    let there = point(day: 50)
    #expect(standing([there, point(day: 60, from: 11, to: 10.1)]) == [.recovered, .improved])
    #expect(standing([there, point(day: 60, from: 11, to: 10.6)]) == [.raised, .improved])
    #expect(
      standing([there, point(day: 60, from: 11, to: 10, state: .found)])
        == [.raised, .unconfirmed])
  }

  @Test func `an accepted change is quoted with who, when and why`() throws {
    let decision = BaselineDecision(
      .accepted, scope: SeriesScope(key), day: 55, who: "ada", when: "2025-03-01",
      why: "new amplifier")
    let baseline = Baseline(level: 11, spread: 0.1, days: 50...60, count: 11, decision: decision)
    let alarms = AlarmDecision([
      SeriesFinding(key: key, points: [point(day: 50), point(day: 70)], baseline: baseline)
    ]).alarms
    #expect(alarms.map(\.standing) == [.accepted, .raised])
    #expect(alarms.first?.reason == "accepted by ada, 2025-03-01: new amplifier")
  }
}
