// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import RecordedNights
import Testing

/// Tables that other programs write, brought in and read back as a person would.
struct ImportCommandTests {
  /// Python writes a table with all that its csv module can quote, and reads back what haprig says of it.
  private static let script = #"""
    import csv, json, random, subprocess, sys, datetime
    haprig, delimiter, end = sys.argv[1], sys.argv[2].encode().decode("unicode_escape"), sys.argv[3]
    random.seed(20261124)
    names = ['tap', 'a "quoted" one', 'comma, semicolon; and more', "it's", ' spaces inside ', 'Übung µ ß 触']
    start = datetime.datetime(2025, 1, 1, 2, 0, 0)
    table, truth = [], {}
    for day in range(40):
        for name in names:
            value = random.gauss(10, 0.1)
            row = {"when": (start + datetime.timedelta(days=day)).isoformat() + "+01:00", "pattern": name,
                   "reading": "latency.onset", "value": repr(value), "unit": "ms", "uncertainty": "0.2", "k": "2",
                   "note": random.choice(["", 'she said "so"', "one, two; three", "ü" * 20]),
                   "env.lab": random.choice(["A"])}
            table.append(row)
            truth.setdefault(name.strip(), []).append(value / 1000)
    with open("lab.csv", "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, table[0].keys(), delimiter=delimiter, quoting=csv.QUOTE_ALL if end == "all"
                                else csv.QUOTE_MINIMAL, lineterminator="\r\n" if end == "crlf" else "\n")
        writer.writeheader()
        writer.writerows(table)
    ask = lambda *words: subprocess.run([haprig, *words], check=True, capture_output=True, text=True).stdout
    print(ask("archive", "import", "lab.csv", "--rig", "bench 1", "--plan", "nightly", "--actuator", "lra-1",
              "--archive", "reports"))
    history = json.loads(ask("history", "--rig", "bench 1", "--json", "--archive", "reports"))
    found = {series["pattern"]: series for series in history["series"]}
    assert set(found) == set(truth), (set(found), set(truth))
    for name, values in truth.items():
        nights = found[name]["nights"]
        assert [night["value"] for night in nights] == values, name
        assert all(abs(night["uncertainty"] - 1e-4) < 1e-18 for night in nights), nights[0]
        assert [night["day"] for night in nights] == [
            (start + datetime.timedelta(days=day, hours=-1)).date().isoformat() for day in range(40)], name
    print("same")
    """#

  @Test(arguments: [(",", "lf"), (";", "crlf"), ("\\t", "all")])
  func `what Python wrote is what haprig reads`(delimiter: String, end: String) throws {
    let bench = try Workbench()
    let ending = try bench.start(
      ["/usr/bin/python3", "-c", Self.script, Workbench.haprig, delimiter, end]
    ).end()
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.contains("nightly on bench 1 (lra-1): 40 runs, 2025-01-01 to 2025-02-09"))
    #expect(ending.output.hasSuffix("same\n"))
  }

  private func table(_ days: ClosedRange<Int>, shift: Double = 0) -> String {
    "when,reading,value,unit\n"
      + days.map { day in
        let value = 10 + shift + 0.02 * Double((day * 5) % 7)
        return "2025-03-\(day < 10 ? "0" : "")\(day)T02:00:00Z,latency.onset,\(value),ms\n"
      }.joined()
  }

  private func bring(_ bench: Workbench, _ more: String...) throws -> Ending {
    try bench.haprig(
      ["archive", "import", "lab.csv", "--archive", "nights", "--pattern", "tap"]
        + ["--rig", "bench-1", "--plan", "nightly", "--actuator", "lra-1"] + more)
  }

  @Test func `imported runs are listed, verified, shown and pruned like others`() throws {
    let bench = try Workbench()
    try bench.write(table(1...20), to: "lab.csv")
    let dry = try bring(bench, "--dry-run")
    #expect(dry.code == 0 && dry.output.contains("nights: 20 runs would be added (20 readings)"))
    #expect(bench.names(in: "nights").isEmpty)
    #expect(try bring(bench).output.contains("nights: 20 runs added (20 readings)"))
    let again = try bring(bench)
    #expect(again.output.contains("0 runs added, 20 runs there already (0 readings)"), "\(again)")
    let list = try bench.haprig("archive", "list", "--archive", "nights", "--limit", "1")
    #expect(list.output.contains("imported") && !list.output.contains("not measured"))
    let verified = try bench.haprig("archive", "verify", "--archive", "nights")
    #expect(verified.code == 0 && verified.output.contains("20 runs, 40 files"), "\(verified)")
    let history = try bench.haprig(
      "history", "--rig", "bench-1", "--archive", "nights", "--html", "h.html")
    #expect(
      history.output.contains("20 runs from 2025-03-01 to 2025-03-20 were imported from lab.csv"))
    let page = try String(contentsOf: bench.file("h.html"), encoding: .utf8)
    #expect(page.contains("The newest night was imported, and nothing judged it."))
    let run = try #require(bench.names(in: "nights").first { $0.hasPrefix("20250301") })
    let report = try String(
      contentsOf: bench.file("nights/\(run)/report.html"), encoding: .utf8)
    #expect(report.contains("not measured by haprig") && report.contains("lab.csv"))
    let score = try bench.haprig("score", "nights/\(run)")
    #expect(score.code == 2 && score.errors.contains("the run was imported, not measured"))
    let pinned = try bench.haprig(
      "baseline", "pin", run, "--why", "as it was", "--archive", "nights")
    #expect(pinned.code == 0, "\(pinned.errors)")
    let pruned = try bench.haprig("archive", "prune", "--keep-runs", "30", "--archive", "nights")
    #expect(pruned.code == 0 && pruned.output.contains("kept \(run)"), "\(pruned)")
    #expect(bench.names(in: "nights").filter { $0.hasPrefix("2025") } == [run])
  }

  @Test func `a level that changes where the own nights begin is explained by the import`() throws {
    var nights = RecordedNights.latency()
    nights.firstDay = 20_000
    nights.count = 30
    let fixture = try HistoryFixture(nights)
    let rows = (1...30).map { day in
      let value = 8 + 0.02 * Double((day * 5) % 7)
      return "2024-09-\(day < 10 ? "0" : "")\(day)T02:00:00Z,latency.onset,\(value),ms\n"
    }
    try fixture.bench.write("when,reading,value,unit\n" + rows.joined(), to: "lab.csv")
    let imported = try fixture.haprig(
      "archive", "import", "lab.csv", "--pattern", "tap", "--rig", nights.rig, "--plan",
      nights.plan, "--actuator", nights.actuator)
    #expect(imported.code == 0, "\(imported.errors)")
    let ending = try fixture.regress()
    // Lines are as wide as a terminal: words are what counts.
    let words = ending.output.split { $0.isWhitespace }.joined(separator: " ")
    #expect(ending.code == 1, "\(ending)")
    #expect(
      words.contains("imported from lab.csv to (none) (tells bad nights from good ones: 100 %)"),
      "\(words)")
    #expect(
      words.contains(
        "note: 30 runs from 2024-09-01 to 2024-09-30 were imported from lab.csv, not measured here: "
          + "where a level changes beside them, another way of measuring may be why"), "\(words)")
    let runs = try fixture.json().value["runs"]?.elements ?? []
    #expect(runs.count { $0["imported"]?.string == "lab.csv" } == 30 && runs.count > 30)
  }

  @Test func `a wrong row is told by its place with code 2, and nothing is written`() throws {
    let bench = try Workbench()
    try bench.write(table(1...20) + "2025-03-21,latency.onset,abc,ms\n", to: "lab.csv")
    let ending = try bring(bench)
    #expect(ending.code == 2)
    #expect(
      ending.errors.contains("lab.csv:22:26: value: 'abc' is not a number"), "\(ending.errors)")
    #expect(bench.names(in: "nights").isEmpty)
    let map = try bring(bench, "--map", "Nr=")
    #expect(map.code == 2)
    let record = try bench.haprig("archive", "import", "none.csv", "--archive", "nights")
    #expect(record.code == 2 && record.errors.contains("none.csv: there is no such file"))
  }
}
