// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Foundation
import JSONText
import RecordedNights
import Testing

/// What is said of a transport that goes from 406 to 626 us, from its first night on.
struct IncidentCommandTests {
  /// Nights of which the last `after` have the other transport, with all that it brings.
  private func nights(before: Int = 40, after: Int, actuator: String = "lra-1") -> RecordedNights {
    let step = (night: before, size: 220e-6)
    var nights = RecordedNights([
      .init(
        ReadingName(.latencyTransport), pattern: "tap", level: 406e-6, spread: 2e-6, steps: [step]),
      .init(ReadingName(.latencyEvent), pattern: "tap", level: 410e-6, spread: 2e-6, steps: [step]),
      .init(ReadingName(.latencyOnset), pattern: "tap", level: 1.2e-3, spread: 5e-6, steps: [step]),
      .init(ReadingName(.latencyTotal), pattern: "tap", level: 9.5e-3, spread: 2e-5, steps: [step]),
      .init(
        ReadingName(.syncAudioHaptic), pattern: "tap", level: 1e-3, spread: 2e-6, steps: [step]),
      .init(
        ReadingName(.energyOutside), pattern: "tap", level: -20, spread: 0.05, steps: [(before, 1)]),
      .init(ReadingName(.harmony), pattern: "tap", level: 80, spread: 0.2, steps: [(before, -3)]),
      .init(
        ReadingName(.pulseToRing), pattern: "tap", level: 6, spread: 0.05, steps: [(before, 0.5)]),
      .init(ReadingName(.intensityError), pattern: "tap", level: -1, spread: 0.05),
      .init(
        ReadingName(.latencyElectrical, isControl: true), level: 0.0083, spread: 1e-6),
    ])
    nights.count = before + after
    nights.actuator = actuator
    return nights
  }

  private func incidents(_ bench: HistoryFixture) throws -> [JSONValue] {
    try bench.json().value["incidents"]?.elements ?? []
  }

  @Test func `seven alarms and a change for the better are one incident, named by the transport`()
    throws
  {
    let bench = try HistoryFixture(nights(after: 8))
    let ending = try bench.regress("--html", "night.html", "--metrics", "night.prom")
    #expect(ending.code == 1, "\(ending.errors)")
    #expect(ending.output.hasPrefix("Regression: 1 incident for the worse in 48 nights"))
    #expect(
      ending.output.split(separator: "\n").count { $0.hasPrefix("  worse ") } == 1,
      "\(ending.output)")
    let json = try bench.json()
    let found = try incidents(bench)
    #expect(found.count == 1 && json.changes.count == 8)
    let incident = try #require(found.first)
    #expect(incident["lead"]?["reading"]?.string == "latency.transport")
    #expect(incident["standing"]?.string == "raised")
    let others = incident["others"]?.elements ?? []
    #expect(
      Set(others.compactMap { $0["reading"]?.string }) == [
        "latency.event", "latency.onset", "latency.total", "sync.audioHaptic", "energy.outside",
        "harmony", "pulseToRing",
      ])
    #expect(others.allSatisfy { $0["tie"]?.string == "follows" }, "\(others)")
    for reading in ["latency.onset", "latency.total", "sync.audioHaptic"] {
      let own = try #require(others.first { $0["reading"]?.string == reading })
      #expect(abs((own["explained"]?.number ?? 0) - 220e-6) < 3e-6)
    }
    let page = String(decoding: try bench.bench.bytes("night.html"), as: UTF8.self)
    #expect(page.components(separatedBy: "id=\"change-1\"").count == 2)
    #expect(!page.contains("id=\"change-2\""), "one incident, one picture")
    #expect(page.contains("7 more readings with delay to motion of tap on "))
    let metrics = String(decoding: try bench.bench.bytes("night.prom"), as: UTF8.self)
    let plan = "rig=\"bench\",plan=\"nightly\""
    #expect(metrics.contains("haprig_history_incidents{\(plan),standing=\"raised\"} 1.0\n"))
    #expect(metrics.contains("haprig_history_incidents{\(plan),standing=\"improved\"} 0.0\n"))
    #expect(metrics.contains("haprig_history_changes{\(plan),standing=\"raised\"} 7.0\n"))
  }

  @Test(arguments: [2, 3, 5, 10, 20, 40])
  func `the jump is suspected from its first night, whatever the nights before`(before: Int) throws
  {
    let bench = try HistoryFixture(nights(before: before, after: 1))
    let ending = try bench.regress("--metrics", "night.prom")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(!ending.output.contains("No regression"), "\(ending.output)")
    #expect(
      ending.output.contains(
        "Suspected since \(bench.nights.day(of: before)): delay to motion of"),
      "\(ending.output)")
    let json = try bench.json()
    #expect(json.value["outcome"]?.string == "unconfirmed")
    #expect(try incidents(bench).map { $0["standing"]?.string } == ["suspected"])
    let newest = try #require(json.series("latency.transport")?["newest"])
    #expect(newest["state"]?.string == "suspected")
    #expect(abs((newest["effect"]?.number ?? 0) - 220e-6) < 20e-6)
    let text = String(decoding: try bench.bench.bytes("night.prom"), as: UTF8.self)
    #expect(text.contains("standing=\"suspected\"} 1.0\n"))
  }

  @Test func `no night between the first and the alarm is said to be quiet`() throws {
    let all = nights(after: 6)
    let bench = try HistoryFixture(all)
    var codes: [Int32] = []
    for night in 40..<46 {
      let ending = try bench.regress("--until", all.day(of: night))
      #expect(!ending.output.contains("No regression"), "\(ending.output)")
      #expect(ending.output.contains("delay to motion of tap"), "\(ending.output)")
      codes.append(ending.code)
    }
    #expect(codes.prefix(3) == [0, 0, 0] && codes.suffix(2) == [1, 1], "\(codes)")
  }

  /// Steps of about the scatter of a night: one of them at least is weak for a night.
  @Test func `a small step is weakly suspected until it is confirmed`() throws {
    var weak = 0
    for size in [0.1e-3, 0.12e-3, 0.14e-3, 0.16e-3] where weak == 0 {
      var all = RecordedNights([
        .init(
          ReadingName(.latencyOnset), pattern: "tap", level: 10e-3, spread: 0.1e-3,
          steps: [(night: 40, size: size)]),
        .init(ReadingName(.latencyElectrical, isControl: true), level: 0.0083, spread: 1e-6),
      ])
      all.count = 60
      let bench = try HistoryFixture(all)
      for night in 41..<60 {
        let json = try JSONValue(
          parsing: Array(try bench.regress("--until", all.day(of: night), "--json").output.utf8))
        let incidents = json["incidents"]?.elements ?? []
        guard incidents.map({ $0["lead"]?["state"]?.string }) == ["weak"],
          incidents[0]["standing"]?.string == "unconfirmed",
          let needed = incidents[0]["nightsToConfirm"]?.integer
        else { continue }
        weak += 1
        let words = json["sentences"]?.elements?[0].string ?? ""
        #expect(words.hasPrefix("Weakly suspected since "), "\(words)")
        let told =
          "; \(needed) more night\(needed == 1 ? "" : "s") to confirm. Nothing is confirmed"
        #expect(words.contains(told), "\(words)")
        let ending = try bench.regress("--until", all.day(of: night), "--metrics", "night.prom")
        #expect(ending.code == 0 && ending.output.hasPrefix("Weakly suspected since "))
        #expect(!ending.output.contains("No regression"), "\(ending.output)")
        let metrics = String(decoding: try bench.bench.bytes("night.prom"), as: UTF8.self)
        #expect(metrics.contains("standing=\"unconfirmed\"} \(Double(needed))\n"), "\(metrics)")
      }
    }
    #expect(weak >= 1)
  }

  @Test func `a re-run takes a suspicion back and says so, or bears it out`() throws {
    let nights = nights(after: 1)
    func regress(_ step: Double) throws -> (String, HistoryJSON) {
      let bench = try HistoryFixture(nights)
      let values = nights.series.map { series in
        series.level + step * series.steps.reduce(0) { $0 + $1.size }
      }
      nights.writeRerun(of: 40, values: values, to: bench.archive)
      return (try bench.regress().output, try bench.json())
    }
    let (back, taken) = try regress(0)
    #expect(back.hasPrefix("No regression"), "\(back)")
    #expect(back.contains("A re-run took back what was suspected since "), "\(back)")
    #expect(taken.series("latency.transport")?["newest"]?["state"]?.string == "taken back")
    let (out, borne) = try regress(1)
    #expect(out.contains("borne out by a re-run, 2 more nights to confirm"), "\(out)")
    #expect(borne.series("latency.transport")?["newest"]?["rerun"]?.string == "bears out")
  }

  @Test func `of one night nothing can be told, and that is said`() throws {
    let bench = try HistoryFixture(nights(before: 1, after: 0))
    let ending = try bench.regress()
    #expect(ending.code == 0)
    #expect(ending.output.hasPrefix("Too few nights to tell: 1 night of nightly on bench"))
    #expect(try bench.json().value["outcome"]?.string == "too few nights")
  }

  @Test func `a whole incident is accepted by one command, and nothing else`() throws {
    var nights = nights(after: 20)
    nights.series[8].steps = [(night: 30, size: 1.0)]
    let bench = try HistoryFixture(nights)
    #expect(try incidents(bench).count == 2)
    let accept = ["baseline", "accept", "--rig", "bench", "--why", "new driver", "--incident"]
    let none = try bench.bench.haprig(accept + [nights.day(of: 5)])
    #expect(none.code == 2)
    #expect(
      none.errors.contains("nothing changed on that day; changes began on "), "\(none.errors)")
    let accepted = try bench.bench.haprig(accept + [nights.day(of: 40)])
    #expect(accepted.code == 0, "\(accepted.errors)")
    let standings = try incidents(bench).map { $0["standing"]?.string }
    #expect(standings == ["improved", "accepted"], "\(standings)")
    #expect(try bench.regress().code == 0)
  }
}
