// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing

@testable import ChangeDetection

struct IncidentTests {
  private func alarm(
    _ reading: String, day: Int = 50, from before: Double = 406e-6, by effect: Double = 220e-6,
    uncertainty: Double = 5e-6, standing: Alarm.Standing = .raised, actuator: String = "lra-1",
    pattern: String = "tap", doubt: Int = 0
  ) -> Alarm {
    Alarm(
      key: SeriesKey(rig: "bench", actuator: actuator, pattern: pattern, reading: reading),
      point: ChangePoint(
        index: day, day: day, lastDayBefore: day - 1, before: before, after: before + effect,
        uncertainty: uncertainty, significance: 1e-9, state: .confirmed),
      standing: standing, reason: "", doubt: doubt)
  }

  /// A transport that went from 406 to 626 us, and all that it brought with it.
  private var transport: [Alarm] {
    [
      alarm("harmony", from: 80, by: 2, uncertainty: 0.1, standing: .improved),
      alarm("energy.outside", from: -20, by: 0.6, uncertainty: 0.01),
      alarm("latency.total", from: 8.5e-3, by: 223e-6),
      alarm("sync.audioHaptic", from: 1e-3, by: 219e-6, uncertainty: 1e-6),
      alarm("latency.onset", from: 1.2e-3, by: 222e-6, uncertainty: 3e-6),
      alarm("latency.transport"),
      alarm("latency.event", by: 220.5e-6),
      alarm("decay.error", from: 1e-3, by: -200e-6, standing: .improved),
      alarm("latency.transport", by: 221e-6, uncertainty: 6e-6, pattern: "swell"),
    ]
  }

  @Test func `a transport and all that it brings is one incident with its name`() throws {
    let incidents = Incident.among(transport)
    let incident = try #require(incidents.first)
    #expect(incidents.count == 1 && incident.standing == .raised)
    #expect(incident.lead.key.reading == "latency.transport" && incident.lead.key.pattern == "tap")
    #expect(incident.others.count == transport.count - 1)
    for other in incident.others { #expect(other.tie.isExplained, "\(other)") }
    let onset = try #require(incident.others.first { $0.alarm.key.reading == "latency.onset" })
    guard case .follows(let share?) = onset.tie else {
      Issue.record("\(onset.tie)")
      return
    }
    #expect(abs(share - 220e-6) < 1e-12)
  }

  @Test func `the order in which changes come does not matter`() {
    var random = SeededRandom(seed: 4)
    let incidents = Incident.among(transport)
    for _ in 0..<20 { #expect(Incident.among(transport.shuffled(using: &random)) == incidents) }
  }

  @Test func `two causes on two days are two incidents`() {
    let later = [alarm("response.rms", day: 60, from: 10, by: -2, uncertainty: 0.1)]
    let incidents = Incident.among(later + transport)
    #expect(incidents.map(\.lead.key.reading) == ["latency.transport", "response.rms"])
    #expect(incidents.map(\.others.count) == [8, 0])
  }

  @Test func `the same series up and down again is two incidents, however near`() {
    let back = alarm("latency.transport", day: 51, from: 626e-6, by: -220e-6, standing: .improved)
    let incidents = Incident.among([alarm("latency.transport"), back])
    #expect(incidents.map(\.standing) == [.raised, .improved])
  }

  @Test func `what nothing ties to the leading change is in its incident and told apart`() throws {
    let drift = alarm("drift", from: 1, by: 3, uncertainty: 0.1)
    let incident = try #require(Incident.among(transport + [drift]).first)
    #expect(incident.lead.key.reading == "latency.transport")
    #expect(incident.others.last?.alarm == drift && incident.others.last?.tie == .beside)
  }

  @Test func `a change that is larger than the leading one explains is told with how much of it`()
    throws
  {
    let onset = alarm("latency.onset", from: 2e-3, by: 500e-6)
    let small = alarm("latency.transport", by: 20e-6)
    let incident = try #require(Incident.among([onset, small]).first)
    #expect(incident.lead == small)
    #expect(incident.others.map(\.tie) == [.exceeds(small.point.effect)])
    let electrical = alarm("latency.electrical", from: 8e-3, by: 500e-6)
    let total = alarm("latency.total", from: 9e-3, by: 520e-6)
    let other = try #require(Incident.among([total, small, electrical]).first)
    #expect(other.lead == electrical)
    #expect(other.others.map(\.tie) == [.follows(by: electrical.point.effect), .beside])
  }

  @Test func `two actuators in one night are two incidents, unless the same happened to both`() {
    let other = alarm("response.rms", from: 10, by: -2, uncertainty: 0.1, actuator: "lra-2")
    #expect(Incident.among(transport + [other]).count == 2)
    let same = alarm("latency.transport", by: 215e-6, actuator: "lra-2")
    #expect(Incident.among(transport + [same]).count == 1)
    let smaller = alarm("latency.transport", by: 40e-6, actuator: "lra-2")
    #expect(Incident.among(transport + [smaller]).count == 2)
  }

  @Test func `what moved in the chain may have moved both actuators`() throws {
    let one = alarm("response.rms", from: 10, by: -2, uncertainty: 0.1)
    let other = alarm("latency.transport", actuator: "lra-2")
    #expect(Incident.among([one, other]).count == 2)
    let noise = alarm("noise.floor", from: 0.02, by: 0.05, uncertainty: 0.001)
    #expect(Incident.among([one, other, noise]).count == 1)
  }

  @Test func `a control that moved leads what it holds back`() throws {
    let control = alarm(
      "control.latency.electrical", from: 8e-3, by: 4e-4, standing: .rigMoved, pattern: "")
    let held = transport.map { alarm in
      var alarm = alarm
      if alarm.standing == .raised { alarm.standing = .heldBack }
      return alarm
    }
    let incidents = Incident.among(held + [control])
    #expect(incidents.count == 1 && incidents[0].lead == control)
    #expect(incidents[0].standing == .rigMoved)
  }

  @Test func `a change for the better leads only where there is no other`() throws {
    let better = alarm("latency.transport", by: -220e-6, standing: .improved)
    let sync = alarm("sync.audioHaptic", from: 0, by: -219e-6)
    let incident = try #require(Incident.among([better, sync]).first)
    #expect(incident.lead == sync && incident.others.map(\.tie) == [.precedes])
    #expect(Incident.among([better]).map(\.standing) == [.improved])
  }

  @Test func `an incident is accepted when all of it is`() {
    let accepted = transport.map { alarm in
      var alarm = alarm
      alarm.standing = .accepted
      return alarm
    }
    #expect(Incident.among(accepted).map(\.standing) == [.accepted])
    let mixed = Incident.among(accepted.dropLast() + [alarm("latency.onset", pattern: "swell")])
    #expect(mixed.map(\.standing) == [.raised])
    #expect(mixed[0].lead.key.reading == "latency.onset")
    #expect(mixed[0].others.contains { $0.tie == .precedes })
  }

  @Test func `a place that is unsure reaches as far as it is, to what may follow`() {
    let late = alarm("latency.total", day: 54, by: 230e-6, pattern: "swell", doubt: 4)
    #expect(Incident.among(transport + [late]).count == 1)
    let unrelated = alarm("response.rms", day: 54, from: 10, by: -0.1, doubt: 4)
    #expect(Incident.among(transport + [unrelated]).count == 2)
    let sure = alarm("latency.total", day: 54, by: 230e-6, pattern: "swell", doubt: 3)
    #expect(Incident.among(transport + [sure]).count == 2)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `incidents are a partition of the changes, whatever they are`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let readings = ReadingOrigin.table.map(\.reading) + ["control.latency.transport", "", "x@1.0"]
    for round in 0..<60 {
      var alarms: Set<Alarm> = []
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        var one = alarm(
          readings.randomElement(using: &random) ?? "",
          day: Int.random(in: 0...30, using: &random), by: random.gaussian(),
          uncertainty: [0, 1e-3, 1].randomElement(using: &random) ?? 0,
          standing: Alarm.Standing.allCases.randomElement(using: &random) ?? .raised,
          actuator: ["", "a", "b"].randomElement(using: &random) ?? "",
          doubt: Int.random(in: 0...5, using: &random))
        one.key.rig = Bool.random(using: &random) ? "one" : "other"
        // Whatever is written in an archive: also days that do not fit.
        one.point.lastDayBefore = one.point.day - Int.random(in: -3...6, using: &random)
        alarms.insert(one)
      }
      let incidents = Incident.among(Array(alarms))
      let told = incidents.flatMap(\.alarms)
      #expect(told.count == alarms.count && Set(told) == alarms, "seed \(seed), round \(round)")
      for incident in incidents {
        let urgent = incident.alarms.map(\.urgency).min()
        #expect(urgent == incident.lead.urgency, "seed \(seed), round \(round)")
        #expect(Set(incident.alarms.map(\.key.rig)).count == 1)
        #expect(Set(incident.alarms.map(\.key)).count == incident.alarms.count)
      }
    }
  }

  @Test func `no reading of the table moves with one that is less simple`() {
    var seen: Set<String> = []
    for origin in ReadingOrigin.table {
      for part in origin.parts { #expect(seen.contains(part.reading), "\(origin)") }
      #expect(seen.insert(origin.reading).inserted, "\(origin.reading) stands twice")
    }
    #expect(
      ReadingOrigin.movement(of: "latency.total", with: "latency.transport") == .movedBy(times: 1))
    #expect(ReadingOrigin.movement(of: "harmony", with: "latency.transport") == .moved)
    #expect(ReadingOrigin.movement(of: "latency.transport", with: "latency.total") == .apart)
    #expect(ReadingOrigin.movement(of: "x", with: "latency.total") == .apart)
    #expect(ReadingOrigin.movement(of: "x", with: "x") == .movedBy(times: 1))
  }
}

struct SuspicionAlarmTests {
  /// Twenty quiet nights of 406 us, and then some of 626.
  private func nights(_ count: Int, seed: UInt64 = 8) -> NightlySeries {
    var random = SeededRandom(seed: seed)
    let values = (0..<(20 + count)).map { night in
      406e-6 + 2e-6 * random.gaussian() + (night < 20 ? 0 : 220e-6)
    }
    return series(
      values, uncertainty: 0.5e-6, key: SeriesKey(rig: "bench", reading: "latency.transport"))
  }

  private func suspicion(_ history: SeriesHistory) -> Alarm? {
    AlarmDecision([history.finding]).suspicions[history.nightly.key]
  }

  @Test func `a gross jump is suspected from its first night, and a change when it is found`()
    throws
  {
    #expect(suspicion(SeriesHistory(nights(0))) == nil)
    for count in 1...2 {
      let history = SeriesHistory(nights(count))
      let alarm = try #require(suspicion(history), "night \(count)")
      #expect(alarm.standing == .suspected && alarm.point.index == 20)
      #expect(abs(alarm.point.effect - 220e-6) < 10e-6)
      #expect(try #require(alarm.nightsToConfirm) >= 3 - count)
    }
    let later = SeriesHistory(nights(6))
    #expect(later.points.map(\.state) == [.confirmed] && suspicion(later) == nil)
  }

  @Test func `a re-run takes it back or bears it out, which saves a night`() throws {
    let alone = try #require(SeriesHistory(nights(1)).newest?.nightsToConfirm)
    let borne = SeriesHistory(nights(1), rerun: [Repeat(run: "again", value: 620e-6)])
    #expect(borne.newest?.isBorneOut == true && borne.newest?.nightsToConfirm == alone - 1)
    #expect(suspicion(borne)?.reason == "borne out by a re-run")
    let back = SeriesHistory(nights(1), rerun: [Repeat(run: "again", value: 408e-6)])
    #expect(back.newest?.takenBack != nil && back.newest?.suspicion == nil)
    #expect(back.newest?.nightsToConfirm == nil && suspicion(back) == nil)
    let nothing = SeriesHistory(nights(0), rerun: [Repeat(run: "again", value: 620e-6)])
    #expect(try #require(nothing.newest).isBorneOut == nil)
  }

  @Test func `what is accepted is not suspected`() {
    let series = nights(1)
    let day = series.nights[20].day
    let decision = BaselineDecision(
      .accepted, scope: SeriesScope(series.key), day: day, who: "ada", when: "", why: "new driver")
    #expect(suspicion(SeriesHistory(series, decisions: [decision])) == nil)
  }

  @Test func `one of many series that is off by chance is not suspected, several together are`() {
    func finding(_ reading: String, _ chance: Double?) -> SeriesFinding {
      let suspicion = chance.map {
        Suspicion(
          point: ChangePoint(
            index: 20, day: 20, lastDayBefore: 19, before: 1, after: 2, uncertainty: 0.2,
            significance: $0, state: .weak),
          nightsToConfirm: 3)
      }
      return SeriesFinding(
        key: SeriesKey(rig: "bench", reading: reading), points: [],
        newest: WeighedNights(suspicion.map { .suspected($0) } ?? .steady))
    }
    func suspected(_ chances: [Double], among count: Int) -> Int {
      let off = chances.enumerated().map { finding("off \($0)", $1) }
      let rest = (chances.count..<count).map { finding("quiet \($0)", nil) }
      return AlarmDecision(rest + off).suspicions.count
    }
    #expect(suspected([1e-3], among: 1) == 1)
    #expect(suspected([1e-3], among: 100) == 0)
    #expect(suspected([1e-9], among: 100) == 1)
    #expect(suspected([1e-3, 1e-9], among: 100) == 1)
    #expect(suspected(Array(repeating: 1e-3, count: 10), among: 100) == 10)
  }

  @Test func `one night is too few to tell anything`() {
    let one = series([406e-6])
    guard case .tooFew? = SeriesHistory(one).newest?.nights else {
      Issue.record("one night was judged")
      return
    }
  }
}
