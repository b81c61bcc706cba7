// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// Records of real runs against the published schemas, by a validator that others wrote.
struct RecordSchemaTests {
  private static let python = "/usr/bin/python3"
  private static let schemas = Workbench.package.appending(path: "docs/schema")

  private static let hasValidator: Bool = {
    guard let bench = try? Workbench(),
      let program = try? bench.start([python, "-c", "import jsonschema"]),
      let ending = try? program.end()
    else { return false }
    return ending.code == 0
  }()

  /// What the validator says of every record below a folder: nothing where all hold.
  private func complaints(_ bench: Workbench) throws -> (records: Int, text: String) {
    let script = """
      import glob, json, sys, warnings
      warnings.simplefilter("ignore")
      import jsonschema
      def whole(value, at):
          # A reference within a schema that another one refers to: joined to a URN, this validator loses it.
          if isinstance(value, list):
              return [whole(item, at) for item in value]
          if not isinstance(value, dict):
              return value
          return {
              key: at + item if key == "$ref" and item.startswith("#") else whole(item, at)
              for key, item in value.items()
          }
      schemas = [json.load(open(name)) for name in sorted(glob.glob(sys.argv[1] + "/*.schema.json"))]
      schemas = [whole(schema, schema["$id"]) for schema in schemas]
      store = {schema["$id"]: schema for schema in schemas}
      validators = {}
      for schema in schemas:
          jsonschema.Draft202012Validator.check_schema(schema)
          resolver = jsonschema.RefResolver.from_schema(schema, store=store)
          name = schema.get("properties", {}).get("schema", {}).get("const")
          if name:
              validators[name] = jsonschema.Draft202012Validator(schema, resolver=resolver)
      files = sorted(glob.glob(sys.argv[2] + "/*/record.json"))
      print(len(files))
      for file in files:
          record = json.load(open(file))
          for error in validators[record["schema"]].iter_errors(record):
              print("/".join(map(str, error.absolute_path)), error.message[:300])
      """
    let ending = try bench.start(
      [Self.python, "-c", script, Self.schemas.path(), bench.file("out").path()]
    ).end()
    #expect(ending.code == 0, "\(ending.errors)")
    let lines = ending.output.split(separator: "\n")
    return (lines.first.flatMap { Int($0) } ?? 0, lines.dropFirst().joined(separator: "\n"))
  }

  @Test(.enabled(if: hasValidator, "python3-jsonschema is not installed"))
  func `lines of live folders hold`() throws {
    let bench = try Workbench()
    try bench.simulatedRig()
    try bench.write(Patterns.tapWithTone, to: "tap.ahap")
    let script = """
      import json, sys
      import jsonschema
      validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
      kinds = set()
      for line in open(sys.argv[2]):
          event = json.loads(line)
          kinds.add(event["kind"])
          for error in validator.iter_errors(event):
              print(line[:200], error.message[:200])
      print(" ".join(sorted(kinds)))
      """
    var kinds: Set<Substring> = []
    for (number, command) in [
      ["run", "tap.ahap", "--archive", "out", "--repeats", "20"], ["calibrate"], ["latency"],
    ].enumerated() {
      // Asks again until something works, and then follows it to its end.
      let watch = try bench.start([
        "sh", "-c",
        "while ! \(Workbench.haprig) watch --json > lines-\(number) 2>/dev/null; do :; done",
      ])
      #expect(try bench.haprig(command + ["--rig", "rig.yaml", "--quiet"]).code == 0)
      _ = try watch.end()
      let ending = try bench.start([
        Self.python, "-c", script,
        Workbench.package.appending(path: "docs/schema/live.schema.json").path(),
        bench.file("lines-\(number)").path(),
      ]).end()
      let lines = ending.output.split(separator: "\n")
      #expect(ending.code == 0 && lines.count == 1, "\(ending.errors) \(ending.output)")
      kinds.formUnion(lines.last?.split(separator: " ") ?? [])
    }
    #expect(
      kinds.isSuperset(of: [
        "start", "work", "channels", "take", "segment", "progress", "measured", "reading", "step",
        "idle", "end",
      ]), "\(kinds)")
  }

  @Test(.enabled(if: hasValidator, "python3-jsonschema is not installed"))
  func `records of rigs, plans, faults and refusals hold`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tapWithTone, to: "tap.ahap")
    try bench.write(
      """
      name: all
      patterns: [tap.ahap]
      repeats: 3
      restarts: 2
      order: shuffled
      seed: 18446744073709551615
      probe: true
      notes: a note
      setup: {noise-floor: 1 m/s2, reference: true, response: true, disk-space: true}
      control: {rig: control.yaml, every: 2}
      limits:
        - {reading: xruns, below: 0}
        - {reading: sync.audioHaptic, bands: sync, required: false}
        - {reading: latency.onset, within: 100 ms, marginal: 50 ms, patterns: [tap]}
        - {reading: latency.electrical, below: 1 us}
      required: [noise.floor]
      expect-failure: [{reading: latency.electrical, why: the limit is too tight}]

      """, to: "all.yaml")
    try bench.write(Plans.quick(limits: ["{reading: xruns, below: 0}"]), to: "quick.yaml")
    try bench.write(
      "name: refused\npatterns: [tap.ahap]\nsetup: {noise-floor: 0.0001 m/s2}\n",
      to: "refused.yaml")
    try bench.simulatedRig()
    try bench.simulatedRig(to: "control.yaml")
    try bench.simulatedRig(faults: "{kind: xrun, at: 0.37 s, for: 20 ms}", to: "xrun.yaml")
    try bench.simulatedRig(faults: "{kind: overload, at: 0.37 s, for: 5 ms}", to: "overload.yaml")
    try bench.simulatedRig(faults: "{kind: unplug, at: 0.6 s}", to: "unplug.yaml")
    let runs: [(arguments: [String], code: Int32)] = [
      (["all.yaml", "--rig", "rig.yaml", "--environment", "firmware=1.4"], 0),
      (["quick.yaml", "--rig", Workbench.rigs + "/simulated-vcm.yaml"], 0),
      // Of a motor's only tap, and of one under an overload, nothing is scored: no pass.
      (["quick.yaml", "--rig", Workbench.rigs + "/simulated-erm.yaml"], 1),
      (["quick.yaml", "--rig", "xrun.yaml"], 1),
      (["quick.yaml", "--rig", "overload.yaml"], 1),
      (["quick.yaml", "--rig", "unplug.yaml"], 3),
      (["refused.yaml", "--rig", "rig.yaml"], 3),
      (["tap.ahap", "--rig", "rig.yaml", "--strict"], 0),
    ]
    for run in runs {
      let ending = try bench.haprig(["run"] + run.arguments + ["--archive", "out", "--quiet"])
      #expect(ending.code == run.code, "\(run.arguments): \(ending.output)\(ending.errors)")
    }
    let (records, text) = try complaints(bench)
    #expect(records == runs.count)
    #expect(text.isEmpty, "\(text)")
  }

  @Test(.enabled(if: hasValidator, "python3-jsonschema is not installed"))
  func `records of imported runs hold, and what they must not say does not`() throws {
    let bench = try Workbench()
    try bench.write(
      """
      when,actuator,pattern,repeat,event,reading,value,unit,uncertainty,n,note,env.lab
      2025-03-01T02:00:00Z,lra-1,tap,1,0,latency.onset,10,ms,0.1,,"a, note",old
      2025-03-01T02:00:00Z,lra-1,tap,2,0,latency.onset,10.1,ms,0.1,,,old
      2025-03-01T02:00:00Z,lra-1,,,,xruns,0,count,,,,old
      2025-03-02T02:00:00Z,lra-1,tap,,,intensity.error,-1,dB,,5,,new

      """, to: "lab.csv")
    let imported = try bench.haprig(
      "archive", "import", "lab.csv", "--archive", "out", "--rig", "bench-1", "--plan", "nightly")
    #expect(imported.code == 0, "\(imported.errors)")
    let (records, text) = try complaints(bench)
    #expect(records == 2 && text.isEmpty, "\(text)")
    let name = try #require(bench.names(in: "out").first { $0.hasPrefix("20250301") })
    let whole = try String(contentsOf: bench.file("out/\(name)/record.json"), encoding: .utf8)
    for (part, other) in [
      ("\"plan\": \"nightly\"", "\"plan\": \"\""), ("\"latency.onset\"", "\"latency.other\""),
      ("\"unit\": \"s\"", "\"limit\": \"below\", \"unit\": \"s\""),
      ("\"by\": ", "\"from whom\": "),
    ] {
      try bench.write(whole.replacing(part, with: other), to: "out/\(name)/record.json")
      #expect(try complaints(bench).text != "", "\(other)")
    }
  }

  @Test(.enabled(if: hasValidator, "python3-jsonschema is not installed"))
  func `the sample in the reports' folder holds`() throws {
    let bench = try Workbench()
    let sample = try sample()
    try bench.write(
      Data(contentsOf: sample.appending(path: "record.json")), to: "out/sample/record.json")
    let (records, text) = try complaints(bench)
    #expect(records == 1)
    #expect(text.isEmpty, "\(text)")
  }

  /// The folder of the run in the sample's archive.
  private func sample() throws -> URL {
    let archive = Workbench.package.appending(path: "reports/sample")
    let names = try FileManager.default.contentsOfDirectory(atPath: archive.path())
    return archive.appending(path: try #require(names.first { $0.hasPrefix("20") }))
  }

  @Test func `the sample is a sound archive of its own, and no night of the reports`() throws {
    let bench = try Workbench()
    let sample = try sample()
    try FileManager.default.createDirectory(
      at: bench.file("reports/sample"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: sample, to: bench.file("reports/sample/\(sample.lastPathComponent)"))
    let verified = try bench.haprig("archive", "verify", "--archive", "reports/sample")
    #expect(verified.code == 0, "\(verified.output)\(verified.errors)")
    #expect(verified.output.contains("1 run, ") && verified.output.contains("pruned: sound"))
    let listed = try bench.haprig("archive", "list", "--archive", "reports", "--json")
    #expect(listed.code == 0 && listed.output == "[]\n", "\(listed.output)\(listed.errors)")
  }

  @Test func `a report is written without the charts' library, and says so`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.simulatedRig()
    let ending = try bench.haprig(
      "run", "tap.ahap", "--rig", "rig.yaml", "--archive", "out", "--quiet",
      changing: ["HAPRIG_DYGRAPHS": "/nowhere/dygraph.min.js"])
    #expect(ending.code == 0, "\(ending.errors)")
    let page = String(
      decoding: try Data(contentsOf: bench.record().folder.appending(path: "report.html")),
      as: UTF8.self)
    #expect(page.contains("Pictures stand still"))
    #expect(page.contains("<svg class=\"figure\""))
    #expect(!page.contains("application/json"))
  }
}
