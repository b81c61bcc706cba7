// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Glibc
import JSONText
import ScratchFolder
import Testing

@testable import Workbench

/// Measurements as runs, with a script in the place of the program.
struct MeasureTests {
  private static let order = """
    {"kind": "measure", "rig": "\(AuthoringFixture.rig)", "pattern": "sub/tap"}
    """

  @Test func `a measurement is a run of the plan of that name with the text of that moment`() throws
  {
    let fixture = try AuthoringFixture(
      isCalibrated: true,
      program: """
        for word in "$@"; do echo "<$word>"; done
        cat "$2"; cat "$(dirname "$2")"/*.ahap
        echo; echo 'report: /a/20260101-x/report.html'
        """)
    let text = AuthoringFixture.pattern(AuthoringFixture.event("Transient"))
    try fixture.write(text, as: "sub/tap")
    let answer = fixture.server.post("/api/v1/jobs", Self.order)
    #expect(answer.status == 202, "\(answer.text)")
    let id = try #require(try JobTests.json(answer)["id"]?.string)
    let job = try JobTests.wait(for: id, on: fixture.server) { $0["state"]?.string != "running" }
    #expect(job["kind"]?.string == "measure" && job["run"]?.string == "20260101-x")
    let words = (job["arguments"]?.elements ?? []).compactMap(\.string)
    let bundle = fixture.folder.file("patterns/sub")
    #expect(
      Array(words.dropFirst(2)) == [
        "--rig", fixture.folder.file("rig.yaml"), "--quiet", "--archive", fixture.server.archive,
        "--bundle", bundle, "--allow-path", bundle, "--environment", "note=sub/tap", "--profiles",
        fixture.folder.file("calibration/sim-coin-1.json"),
      ])
    let said = try #require(job["said"]?.string)
    #expect(said.contains("name: authoring\npatterns: [\"tap.ahap\"]\nrepeats: 1\n" + text))
    // Nothing of it stays when the run has all of it.
    for _ in 0..<1000 {
      if !ScratchFolder.names(in: fixture.folder.file("jobs")).contains(where: {
        $0.hasPrefix("scratch")
      }) {
        break
      }
      usleep(5000)
    }
    #expect(
      !ScratchFolder.names(in: fixture.folder.file("jobs")).contains { $0.hasPrefix("scratch") })
  }

  @Test func `a pattern's measurements are told with whether its text is still theirs`() throws {
    let fixture = try AuthoringFixture()
    let text = AuthoringFixture.pattern(AuthoringFixture.event("Transient"))
    try fixture.write(text, as: "sub/tap")
    for (name, day, note, copy) in [
      ("one", "01", "sub/tap", text), ("two", "02", "sub/tap", text + " "),
      ("three", "03", "tap", text),
    ] {
      _ = try fixture.folder.folder("reports/\(name)")
      _ = try fixture.folder.folder("reports/\(name)/inputs")
      _ = try fixture.folder.folder("reports/\(name)/inputs/patterns")
      try fixture.folder.write(copy, to: "reports/\(name)/inputs/patterns/tap.ahap")
      let record = RunRecord(
        header: .init(
          date: "2026-11-\(day)T00:00:00Z", host: "h", duration: 1, folder: name,
          environment: ["note": note]),
        run: .init(
          status: .complete, software: "haprig 9", seed: 1, laws: [:], referenceLevel: 30,
          calibration: "uncalibrated"),
        rig: .init(
          name: "rig", device: "simulated", rate: 48_000, fullScaleVolts: 4, driveChannels: [:]),
        actuator: .init(
          id: "lra-1", model: "m", kind: .lra, limits: .init(continuousVolts: 2, peakVolts: 4)),
        plan: Plan(name: "authoring"),
        patterns: [
          .init(name: "tap", file: "tap.ahap", duration: 1, events: 1, diagnostics: [], takes: [])
        ], readings: [], verdict: .marginal)
      try fixture.folder.write(record.text, to: "reports/\(name)/record.json")
    }
    let found = try #require(try fixture.json("sub%2Ftap/measurements")["measurements"]?.elements)
    #expect(found.map { $0["run"]?.string } == ["two", "one"])
    #expect(found.map { $0["textIs"]?.string } == ["other", "now"])
    #expect(found.map { $0["outcome"]?.string } == ["marginal", "marginal"])
  }

  @Test(arguments: [
    ("{\"kind\": \"measure\"}", 400),
    ("{\"kind\": \"measure\", \"rig\": \"x\", \"pattern\": \"tap\"}", 404),
    ("{\"kind\": \"measure\", \"rig\": \"authoring-rig\", \"pattern\": \"none\"}", 404),
    ("{\"kind\": \"measure\", \"rig\": \"authoring-rig\", \"pattern\": \"../rig\"}", 400),
    (
      "{\"kind\": \"measure\", \"rig\": \"authoring-rig\", \"pattern\": \"tap\", \"plan\": \"x\"}",
      400
    ),
    (
      "{\"kind\": \"measure\", \"rig\": \"authoring-rig\", \"pattern\": \"tap\", \"actuator\": \"--x\"}",
      422
    ),
    ("{\"kind\": \"stage\", \"rig\": \"authoring-rig\"}", 400),
  ])
  func `what cannot be measured starts nothing`(_ order: String, _ status: Int) throws {
    let fixture = try AuthoringFixture()
    try fixture.write(AuthoringFixture.pattern(AuthoringFixture.event("Transient")), as: "tap")
    let answer = fixture.server.post("/api/v1/jobs", order)
    #expect(answer.status == status, "\(answer.text)")
    #expect(fixture.server.get("/api/v1/jobs").text == "{\"jobs\":[]}\n")
  }
}
