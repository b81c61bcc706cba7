// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import JSONText
import RunArchive
import SeededRandom
import Testing
import Units

@testable import Workflows

/// From the bytes of tables to runs, with the place of whatever is wrong.
struct ImportReaderTests {
  private static let now = Moment(seconds: 1_800_000_000)

  private static let rules = {
    var rules = ImportRules()
    rules.constants = ["rig": "bench-1", "plan": "nightly", "actuator": "lra-1"]
    return rules
  }()

  private func read(
    _ text: String, _ change: (inout ImportRules) -> Void = { _ in }
  ) throws(InputError) -> ImportReader {
    var rules = Self.rules
    change(&rules)
    var reader = ImportReader(rules, now: Self.now)
    try reader.read(ImportTable(Array(text.utf8), file: "t"))
    return reader
  }

  private func readings(_ text: String) throws -> [Reading] {
    try read(text).runs.values.sorted { $0.key < $1.key }.flatMap(\.readings)
  }

  /// The error of a table, whose place it begins with.
  private func error(_ text: String, _ change: (inout ImportRules) -> Void = { _ in }) -> String {
    do throws(InputError) {
      _ = try read(text, change)
      return "none"
    } catch {
      return error.description
    }
  }

  @Test func `cells are read as RFC 4180 has them, whatever separates them and ends a line`() throws
  {
    let rows = [
      ["when", "reading", "value", "note"],
      ["2025-03-01", "drift", "1.5", "a \"quoted\" word"],
      ["2025-03-02", "drift", "-2e-3", "comma, semicolon; tab\tend"],
      ["2025-03-03", "drift", "0", ""],
    ]
    for separator in [",", ";", "\t"] {
      for end in ["\n", "\r\n"] {
        for mark in ["", "\u{FEFF}"] {
          let quoted = rows.map { row in
            row.map {
              "\"\($0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
            }
            .joined(separator: separator)
          }
          // A tab in a note is a control character, and only the cell is looked at here.
          let table = try ImportTable(
            Array((mark + quoted.joined(separator: end) + end + end).utf8), file: "t")
          #expect(table.head.map(\.text) == rows[0])
          #expect(table.rows.map { $0.cells.map { $0?.text } } == rows.dropFirst().map { $0 })
          #expect(table.rows.map(\.number) == [2, 3, 4])
        }
      }
    }
    let broken = try ImportTable(
      Array("a,b\n\"two\nlines\",é\"\"\n".utf8.dropLast(3)) + Array("\n".utf8), file: "t")
    #expect(broken.rows[0].cells[0]?.text == "two\nlines")
    #expect(broken.rows[0].cells[1]?.column == 8 && broken.rows[0].cells[1]?.line == 3)
  }

  @Test(arguments: [
    ("12.3", "ms", 0.0123), ("12.3", "us", 1.23e-05), ("12.3", "µs", 1.23e-05), ("12.3", "s", 12.3),
    ("0.1", "ms", 0.0001), ("7", "", 7),
  ]) func `a time is taken to seconds, to the nearest double`(
    value: String, unit: String, expected: Double
  ) throws {
    let text =
      "when,reading,value,unit,uncertainty,k\n2025-03-01,latency.onset,\(value),\(unit),1,2\n"
    let reading = try #require(readings(text).first)
    #expect(reading.value == expected)
    let factors: [String: Double] = ["ms": 1e-3, "us": 1e-6, "µs": 1e-6]
    let uncertainty = try #require(reading.uncertainty)
    #expect(abs(uncertainty - 0.5 * (factors[unit] ?? 1)) < 1e-18)
  }

  @Test func `units of acceleration, frequency, ratio and level are taken to the reading's own`()
    throws
  {
    for (name, unit, value, expected) in [
      ("response.peak", "g", 2.0, 19.6133), ("response.peak", "m/s²", 2, 2),
      ("response.frequency", "kHz", 0.175, 175), ("events.scored", "%", 97, 0.97),
      ("intensity.error", "dB", -1.5, -1.5), ("drift", "ppm", 12, 12), ("drift", "%", 0.001, 10),
      ("xruns", "count", 3, 3), ("sharpness.error", "octave", 0.25, 0.25),
    ] as [(String, String, Double, Double)] {
      let text = "when,reading,value,unit\n2025-03-01,\(name),\(value),\(unit)\n"
      let found = try #require(readings(text).first?.value)
      #expect(abs(found - expected) <= 4e-16 * abs(expected), "\(name) in \(unit): \(found)")
    }
  }

  @Test(arguments: [
    ("2025-03-01", "2025-03-01T00:00:00Z", false),
    ("2025-03-01T02:03:04Z", "2025-03-01T02:03:04Z", true),
    ("2025-03-01 02:03", "2025-03-01T02:03:00Z", false),
    ("2025-03-01T02:03:04.99+01:00", "2025-03-01T01:03:04Z", true),
    ("2025-03-01T00:30:00+0130", "2025-02-28T23:00:00Z", true),
    ("2024-02-29T23:59:59-08", "2024-03-01T07:59:59Z", true),
  ]) func `a moment is read with its zone`(text: String, moment: String, isZoned: Bool) throws {
    let reader = try read("when,reading,value\n\(text),drift,1\n")
    #expect(reader.runs.keys.map(\.began.description) == [moment])
    #expect(reader.zoneless == (isZoned ? 0 : 1))
  }

  @Test(arguments: [
    ("", "t:1:1: the file is empty"), ("\u{FEFF}", "t:1:1: the file is empty"),
    ("when,reading,value\n2025-03-01,drift\n", "t:2:1: the row has 2 cells and the head 3"),
    ("when;reading;value\n2025-03-01;drift;1,5\n", "t:2:18: value: '1,5' is not a number"),
    ("when,reading,value\n2025-03-01,drift,nan\n", "'nan' is not a number"),
    ("when,reading,value\n2025-03-01,drift,0x10\n", "'0x10' is not a number"),
    ("when,reading,value\n2025-03-01,drift,1e999\n", "'1e999' is not a number"),
    ("when,reading,value\n2025-02-29,drift,1\n", "t:2:1: when: '2025-02-29' is no moment"),
    ("when,reading,value\n2025-03-01T25:00Z,drift,1\n", "is no moment"),
    ("when,reading,value\n01.03.2025,drift,1\n", "is no moment"),
    ("when,reading,value\n2099-03-01,drift,1\n", "'2099-03-01' is in the future"),
    ("when,reading,value\n1925-03-01,drift,1\n", "is before 1970"),
    (
      "when,reading,value\n2025-03-01,drfit,1\n",
      "t:2:12: 'drfit' is no reading that this version of haprig knows (did you mean 'drift'?)"
    ),
    (
      "when,reading,value,unit\n2025-03-01,drift,1,ms\n",
      "t:2:20: unit: 'ms' is no unit of drift, which is a ratio: use ppm, %, 1"
    ),
    ("when,reading,value,unit\n2025-03-01,latency.onset,1,g\n", "use s, ms, us, min"),
    ("when,reading,value,uncertainty\n2025-03-01,drift,1,-1\n", "uncertainty: '-1' is below 0"),
    ("when,reading,value,k\n2025-03-01,drift,1,0\n", "k: '0' is not above 0"),
    (
      "when,reading,value,repeat\n2025-03-01,drift,1,0\n",
      "repeat: '0' is not a whole number of at least 1"
    ),
    ("when,reading,value,event\n2025-03-01,drift,1,1.5\n", "event: '1.5' is not a whole number"),
    ("when,reading,value\n,drift,1\n", "t:2:1: the row says no when"),
    ("when,reading,value\n2025-03-01,,1\n", "the row says no reading"),
    (
      "when,reading,value,vlaue\n2025-03-01,drift,1,1\n",
      "t:1:20: 'vlaue' is no column that haprig knows (did you mean 'value'?)"
    ),
    ("when,reading,value,value\n2025-03-01,drift,1,1\n", "t:1:20: there is another column of this"),
    ("when,value\n2025-03-01,1\n", "the row says no reading"),
    ("when,rig\n2025-03-01,1\n", "no column tells what was measured"),
    ("when,reading,latency.onset:ms\n2025-03-01,drift,1\n", "goes with a reading a row"),
    (
      "when,latency.onset:V\n2025-03-01,1\n",
      "t:1:6: 'V' is no unit of latency.onset, which is a time"
    ),
    (
      "when,reading,value\n2025-03-01,drift,1\n2025-03-01,drift,1\n",
      "t:3:18: drift of this run is there already, at t:2:18"
    ),
    (
      "when,reading,value,env.fw\n2025-03-01,drift,1,a\n2025-03-01,xruns,1,b\n",
      "t:3:20: fw is 'b' here and 'a' in another row"
    ),
    ("when,reading,value,env.imported\n2025-03-01,drift,1,a\n", "haprig says it itself"),
    (
      "when,reading,value\n2025-03-01,\"drift,1\n", "t:2:12: the quote of this cell is never closed"
    ),
    (
      "when,reading,value\n2025-03-01,\"drift\"x,1\n", "t:2:19: something follows the closing quote"
    ),
    ("when,reading,value\n2025-03-01,dr\"ift,1\n", "t:2:14: a quote stands inside a cell"),
    ("when,reading,value\r2025-03-01,drift,1\r", "t:1:19: a carriage return stands alone"),
    (
      "when,reading,value,note\n2025-03-01,drift,1,\"a\u{7}b\"\n",
      "t:2:20: note: the text has control characters"
    ),
    ("when,reading,value,\n2025-03-01,drift,1,x\n", "the column has cells and no head"),
    ("{\"rows\": []}", "t:1:1: schema is missing"),
    (
      "{\"schema\": \"haprig.run/1.1\", \"rows\": []}",
      "copy the run's whole folder into the archive"
    ),
    ("{\"schema\": \"haprig.import/2\", \"rows\": []}", "not 'haprig.import/1'"),
    (
      "{\"schema\": \"haprig.import/1\", \"rows\": [{\"when\": true}]}",
      "t:1:49: rows[0].when must be a text or a number"
    ),
    (
      "{\"schema\": \"haprig.import/1\", \"rows\": [{\"value\": 1, \"value\": 2}]}",
      "is there twice"
    ),
    ("{\"schema\": \"haprig.import/1\", \"rows\": [", "t:1:40:"),
  ]) func `what is wrong is told with its place`(text: String, sentence: String) {
    #expect(error(text).contains(sentence), "\(error(text))")
  }

  @Test func `rows that nobody places are refused, and told how to place them`() {
    let text = "when,reading,value\n2025-03-01,drift,1\n"
    for name in ["rig", "plan", "actuator"] {
      let message = error(text) { $0.constants[name] = nil }
      #expect(
        message.hasSuffix(
          "the row says no \(name): a column '\(name)' may, or --\(name) for all rows"))
    }
  }

  @Test func `a wide table has a reading a column, by its own head or by a map`() throws {
    let text = "Datum;Nr;Latenz [ms];response.peak:g\n2025-03-01;1;10;1\n2025-03-02;2;;1.5\n"
    let reader = try read(text) { rules in
      rules.heads = ["Datum": "when", "Nr": "", "Latenz [ms]": "latency.onset:ms"]
      rules.constants["pattern"] = "tap"
    }
    let runs = reader.runs.values.sorted { $0.key < $1.key }
    #expect(
      runs.map { $0.readings.map(\.name.description) } == [
        ["latency.onset", "response.peak"], ["response.peak"],
      ])
    #expect(runs[0].readings.map(\.value) == [0.01, 9.80665])
    #expect(runs[0].readings.allSatisfy { $0.pattern == "tap" })
    #expect(runs[1].rows(of: 0) == [3...3])
    #expect(error(text).hasPrefix("t:1:1: 'Datum' is no column"))
    #expect(reader.unusedHeads.isEmpty)
  }

  @Test func `what is unknown is counted where it may be left out`() throws {
    let reader = try read(
      "when,reading,value,temper\n2025-03-01,drift,1,x\n2025-03-01,loudness,2,\n"
    ) { $0.skipsUnknown = true }
    #expect(reader.runs.values.flatMap(\.readings).count == 1)
    #expect(reader.skipped == ["temper": 1, "loudness": 1])
  }

  @Test func `a value that is missing is a reading that was not measured`() throws {
    let found = try readings(
      "when,reading,value,note\n2025-03-01,drift,,no reference\n2025-03-02,drift,,\n")
    #expect(found.map(\.verdict) == [.notMeasured, .notMeasured])
    #expect(found.map(\.note) == ["no reference", "the imported table has no value"])
  }

  @Test func `JSON says the same as CSV`() throws {
    let csv = """
      when,rig,reading,value,unit,uncertainty,event,env.firmware
      2025-03-01T02:00:00Z,r,latency.onset,12.5,ms,0.25,0,1.4
      2025-03-01T02:00:00Z,r,control.noise.floor,0.01,g,,,1.4
      """
    let json = """
      {"schema": "haprig.import/1", "rig": "r", "env.firmware": "1.4", "when": "2025-03-01T02:00:00Z", "rows": [
        {"reading": "latency.onset", "value": 12.5, "unit": "ms", "uncertainty": 0.25, "event": 0},
        {"reading": "control.noise.floor", "value": 1e-2, "unit": "g"}
      ]}
      """
    let (one, other) = (try read(csv).runs, try read(json).runs)
    #expect(Set(one.keys) == Set(other.keys) && one.count == 1)
    #expect(one.values.first?.readings == other.values.first?.readings)
    #expect(one.values.first?.environment == other.values.first?.environment)
    #expect(one.values.first?.readings.last?.name.isControl == true)
    #expect(other.values.first?.rows(of: 0) == [1...2])
  }

  @Test func `blank lines before the head hide nothing`() throws {
    let all = try readings("\n\r\nwhen;reading;value\n2025-03-01;drift;1\n")
    #expect(all.map(\.value) == [1])
  }

  @Test func `bounds hold`() {
    let long = String(repeating: "x", count: 10_001)
    #expect(
      error("when,reading,value\n2025-03-01,drift,\(long)\n").contains("the cell has 10001 bytes"))
    let wide = (0...1000).map { "c\($0)" }.joined(separator: ",")
    #expect(error(wide + "\n").contains("the head has 1001 columns"))
    #expect(
      error(String(repeating: ",", count: 20_000)).contains("the row has more than 10000 cells"))
    let keys = (0..<900).map { "\"c\($0)\":1" }.joined(separator: ",")
    let rows = ["{\(keys)}"] + [String](repeating: "{}", count: 20_000)
    #expect(
      error("{\"schema\":\"haprig.import/1\",\"rows\":[\(rows.joined(separator: ","))]}")
        .contains("makes 900 columns of 20001 rows, and at most 16000000 cells are read"))
    let name = String(repeating: "x", count: 501)
    #expect(
      error("when,rig,reading,value\n2025-03-01,\(name),drift,1\n").contains("at most 500 are kept")
    )
  }

  /// Tables that somebody damaged are read or refused, never trapped on, and a refusal has a place in the table.
  @Test(arguments: [UInt64](1...12)) func `damaged tables are read or refused with a place`(
    seed: UInt64
  ) throws {
    var random = SeededRandom(seed: seed)
    let sound = [
      "when,rig,reading,value,unit,uncertainty,k,n,event,env.fw,note\r\n"
        + "2025-03-01T02:00:00+01:00,r,latency.onset,12.5,ms,0.25,2,7,0,1.4,\"a \"\"b\"\", c\"\r\n"
        + "2025-03-01,r,response.peak,1.5,g,0.1,,,,,µ\r\n",
      "{\"schema\": \"haprig.import/1\", \"rig\": \"r\", \"rows\": [{\"when\": \"2025-03-01\", \"reading\": "
        + "\"drift\", \"value\": 1.5e0, \"unit\": \"ppm\", \"k\": 2}, {\"when\": \"2025-03-02\", \"reading\": \"xruns\", \"value\": 5}]}",
    ].map { Array($0.utf8) }
    let salt = Array("\",;\t\r\n{}[]:0-+.eEnullµ\u{0}".utf8) + [0x80, 0xC3, 0xFF, 0xEF, 0xBB, 0xBF]
    var outcomes = (read: 0, refused: 0)
    for _ in 0..<800 {
      var bytes = sound[random.integer(0...1)]
      for _ in 0...random.integer(0...4) {
        let place = random.integer(0...bytes.count)
        switch random.integer(0...3) {
        case 0: bytes.insert(salt[random.integer(0...(salt.count - 1))], at: place)
        case 1 where place < bytes.count: bytes.remove(at: place)
        case 2 where place < bytes.count: bytes[place] = UInt8(random.integer(0...255))
        case 3:
          let end = min(bytes.count, place + random.integer(1...30))
          bytes.insert(contentsOf: bytes[place..<end], at: random.integer(0...bytes.count))
        default: break
        }
      }
      var rules = Self.rules
      rules.skipsUnknown = random.integer(0...1) == 1
      var reader = ImportReader(rules, now: Self.now)
      do throws(InputError) {
        try reader.read(ImportTable(bytes, file: "t"))
        outcomes.read += 1
        for reading in reader.runs.values.flatMap(\.readings) {
          #expect(reading.value?.isFinite ?? true, "\(random): \(bytes)")
        }
      } catch {
        outcomes.refused += 1
        #expect(
          error.description.prefixMatch(of: /t:\d+:\d+: ./) != nil, "\(random): \(error) \(bytes)")
      }
    }
    #expect(outcomes.refused > 200 && outcomes.read > 20, "\(outcomes)")
  }
}
