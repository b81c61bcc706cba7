// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RigFiles

struct FleetFileTests {
  private static let text = """
    name: lab
    archive: {server: "postgres://fleet@db.lab/haprig", folder: /srv/runs, store: "lab:a b"}
    master: {listen: 0.0.0.0:9989, page: 127.0.0.1:8010, passwords: /etc/haprig/fleet}
    machines:
      bench-1: {haprig: /usr/bin/haprig, jobs: 2}
      bench-2: {}
    rigs:
      lra-1: {machine: bench-1, file: /etc/haprig/lra-1.yaml, model: coinZ-170}
      lra-2: {machine: bench-2, file: /etc/haprig/lra-2.yaml, model: coinZ-170}
      vcm-1: {machine: bench-2, file: /etc/haprig/vcm-1.yaml, model: slim-240}
    plans:
      nightly:
        do: nightly
        file: /etc/haprig/nightly.yaml
        arguments: [--keep-recordings, 30]
        rigs: all
        at: [14:30, 02:00]
        days: [mon, fri]
        limit: 1800 s
        attempts: 3
        reserved: skip
        catch-up: 3600 s
        priority: 5
      coins: {do: check, rigs: {model: coinZ-170}}
      one: {do: run, file: /etc/haprig/smoke.yaml, rigs: [vcm-1], at: 06:05}
    tell:
      - {when: [fail, fault], run: [/usr/bin/notify, lab]}
    """

  private func fleet(_ replacing: String = "", with text: String = "") throws -> FleetFile {
    let whole = replacing.isEmpty ? Self.text : Self.text.replacing(replacing, with: text)
    return try FleetFile(yaml: Array(whole.utf8), file: "fleet.yaml")
  }

  @Test func `every key of a fleet is read`() throws {
    let fleet = try fleet()
    #expect(fleet.name == "lab" && fleet.archive.folder == "/srv/runs")
    #expect(fleet.archive.store == "lab:a b")
    #expect(fleet.archive.server == "postgres://fleet@db.lab/haprig")
    #expect(fleet.master.listen == "0.0.0.0:9989" && fleet.master.passwords == "/etc/haprig/fleet")
    #expect(
      fleet.machines == [
        .init(name: "bench-1", haprig: "/usr/bin/haprig", jobs: 2), .init(name: "bench-2"),
      ])
    #expect(fleet.rigs.map(\.machine) == ["bench-1", "bench-2", "bench-2"])
    let nightly = fleet.plans[0]
    #expect(nightly.rigs == ["lra-1", "lra-2", "vcm-1"] && nightly.times == [120, 870])
    #expect(nightly.days == [.mon, .fri] && nightly.limit == 1800 && nightly.attempts == 3)
    #expect(nightly.reserved == .skip && nightly.catchUp == 3600 && nightly.priority == 5)
    #expect(nightly.arguments == ["--keep-recordings", "30"])
    #expect(fleet.plans[1].rigs == ["lra-1", "lra-2"] && fleet.plans[1].times == [])
    #expect(fleet.plans[1].reserved == .wait && fleet.plans[1].days.count == 7)
    #expect(fleet.plans[2].times == [365] && fleet.plans[2].file == "/etc/haprig/smoke.yaml")
    #expect(
      fleet.notices == [.init(occasions: [.fail, .fault], command: ["/usr/bin/notify", "lab"])])
  }

  @Test(arguments: [
    ("name: lab", "nam: lab", "1:1", "did you mean 'name'?"),
    ("fleet@db.lab", "fleet:secret@db.lab", "2:19", "a password stands in"),
    ("postgres://", "mysql://", "2:19", "is no server"),
    ("/srv/runs", "runs", "2:61", "a whole path"),
    ("lab:a b", "labor", "2:79", "is no store"),
    ("lab:a b", ":s3,secret_access_key=x:runs", "2:79", "is no store"),
    ("lab:a b", "-v:runs", "2:79", "is no store"),
    ("0.0.0.0:9989", "0.0.0.0", "3:18", "no address with a port"),
    ("machine: bench-1", "machine: bensh-1", "8:20", "did you mean 'bench-1'?"),
    ("jobs: 2", "jobs: 0", "5:44", "from 1 to 1000"),
    ("do: nightly", "do: nightyl", "13:9", "did you mean 'nightly'?"),
    ("[14:30, 02:00]", "[14:30, 25:00]", "17:17", "no time of the day"),
    ("[14:30, 02:00]", "[14:30, 14:30]", "17:17", "stands here twice"),
    ("[mon, fri]", "[mon, friday]", "18:17", "is not a day"),
    ("limit: 1800 s", "limit: 0 s", "19:12", "above 0 s"),
    ("attempts: 3", "attempts: 0", "20:15", "from 1 to 100"),
    ("rigs: all", "rigs: every", "16:11", "no choice of rigs"),
    ("{model: coinZ-170}}", "{model: coinZ-17}}", "24:36", "did you mean 'coinZ-170'?"),
    ("[vcm-1]", "[vcm-2]", "25:55", "no rig of the fleet"),
    ("[vcm-1]", "[vcm-1, vcm-1]", "25:62", "stands here twice"),
    ("{do: check,", "{do: check, file: /x,", "24:22", "cannot stand here"),
    ("[--keep-recordings, 30]", "[--job, x]", "15:17", "said by the fleet itself"),
    ("/usr/bin/notify", "notify", "27:33", "a whole path"),
  ])
  func `a mistake is told with its place`(
    old: String, new: String, place: String, words: String
  ) {
    #expect(Self.text.contains(old))
    expectError(place, words) { try fleet(old, with: new) }
  }

  @Test func `the fleet of the document reads`() throws {
    let text = String(decoding: try projectFile("docs/FLEET.md"), as: UTF8.self)
    let start = try #require(text.firstRange(of: "```yaml\n")).upperBound
    let end = try #require(text[start...].firstRange(of: "```")).lowerBound
    let fleet = try FleetFile(yaml: Array(text[start..<end].utf8), file: "fleet.yaml")
    #expect(fleet.machines.count == 2 && fleet.plans.first?.rigs == ["lra-1", "lra-2"])
    #expect(fleet.plans.first?.limit == 7_200 && fleet.plans.first?.catchUp == 43_200)
  }
}
