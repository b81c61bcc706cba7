// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ChangeDetection
import Devices
import JSONText
import Reporting
import RunArchive
import Workflows

struct ArchiveImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import results of older rigs or other programs into an archive, from CSV or JSON.",
    discussion: """
      A table has one reading per row (columns when, rig, plan, actuator, pattern, reading, value, unit, \
      uncertainty, ...) or one reading per column (latency.onset:ms). All readings of one moment become one run, at \
      the date of the measurement and marked as imported. Either all tables are imported or none. Runs that are \
      already there stay as they are. The columns: docs/FILE-FORMATS.md.

      EXAMPLES
        haprig archive import lab-2025.csv --dry-run
        haprig archive import lab-2025.csv --rig bench-1 --plan nightly --actuator lra-1
        haprig archive import old.csv --map 'Datum=when' --map 'Latenz [ms]=latency.onset:ms' --map 'Nr=' \
      --rig bench-1 --plan nightly --actuator lra-1 --pattern tap
      """)

  @Argument(
    help: "The tables: comma-separated values with a header line, or JSON.",
    completion: .file(extensions: ["csv", "json"]))
  var files: [String]

  @OptionGroup var archive: ArchiveOptions

  @Option(help: "The rig for rows that name none: its name or file.", completion: .yaml)
  var rig: String?

  @Option(help: "The plan for rows that name none: its name or file.", completion: .yaml)
  var plan: String?

  @Option(help: "The actuator for rows that name none, by its id.")
  var actuator: String?

  @Option(help: "The pattern for rows that name none.")
  var pattern: String?

  @Option(
    help: ArgumentHelp(
      "What the column with this header means, such as 'Latency [ms]=latency.onset:ms'; 'HEADER=' leaves the column out.",
      valueName: "head=column"))
  var map: [String] = []

  @Flag(help: "Leave out columns and readings that this haprig does not know, and count them.")
  var skipUnknown = false

  @Flag(help: "Replace earlier imported runs whose values differ from the tables.")
  var replace = false

  @Flag(help: "Show what would be imported, and write nothing.")
  var dryRun = false

  @Flag(help: "Print the outcome as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func run() throws {
    var rules = ImportRules()
    for (name, text) in [
      ("rig", try Configured.rigName(only: rig)), ("plan", try Configured.planName(only: plan)),
      ("actuator", actuator), ("pattern", pattern),
    ] {
      if let text {
        try Usage.require(!text.isEmpty, "--\(name) is empty: give a name")
        rules.constants[name] = text
      }
    }
    for text in map {
      // Heads may have equal signs in them, columns have none.
      guard let sign = text.lastIndex(of: "="), sign != text.startIndex else {
        throw ValidationError(
          "--map takes HEAD=COLUMN, such as 'Latency [ms]=latency.onset:ms', not '\(text)'")
      }
      let head = String(text[..<sign])
      try Usage.require(rules.heads[head] == nil, "--map names '\(head)' twice")
      rules.heads[head] = String(text[text.index(after: sign)...])
    }
    rules.skipsUnknown = skipUnknown
    let user = RigOperator.terminal(isQuiet: quiet, listens: false)
    let location = try archive.location()
    var workflow = ImportWorkflow(files, into: location, by: rules, user: user)
    workflow.replaces = replace
    workflow.isDry = dryRun
    workflow.who = Host.user
    let outcome = try workflow.execute()
    Console.out(
      ImportListing(outcome: outcome, isDry: dryRun, archive: location.description),
      asJSON: json, sortedKeys: true)
  }
}

private struct ImportListing: Listing {
  let outcome: ImportWorkflow.Outcome
  let isDry: Bool
  let archive: String

  var text: String {
    var lines = ["\(Count.of(outcome.rows, "row")) read"]
    if outcome.zoneless > 0 {
      lines.append(
        "\(Count.of(outcome.zoneless, "row")) of days or times without a zone: taken as UTC")
    }
    for (name, count) in outcome.skipped {
      lines.append("left out: \(name.printable), \(Count.of(count, "value"))")
    }
    let new = outcome.added + outcome.replaced
    for (series, keys) in Self.series(new) {
      let days = keys.map(\.began.day).sorted()
      lines.append(
        "\(series.printable): \(Count.of(keys.count, "run")), \(days[0]) to \(days[days.count - 1])"
      )
    }
    let verbs = isDry ? ("would be added", "would be replaced") : ("added", "replaced")
    var end = "\(archive): \(Count.of(outcome.added.count, "run")) \(verbs.0)"
    if !outcome.replaced.isEmpty {
      end += ", \(Count.of(outcome.replaced.count, "run")) \(verbs.1)"
    }
    if outcome.present > 0 {
      end += ", \(Count.of(outcome.present, "run")) there already"
    }
    return (lines + [end + " (\(Count.of(outcome.readings, "reading")))"]).map { $0 + "\n" }
      .joined()
  }

  var json: JSONValue {
    .object(of: [
      "dry": isDry, "rows": outcome.rows, "readings": outcome.readings,
      "added": outcome.added.map(Self.json), "replaced": outcome.replaced.map(Self.json),
      "present": outcome.present, "withoutZone": outcome.zoneless,
      "leftOut": outcome.skipped.map {
        JSONValue.object(of: ["name": $0.name, "count": $0.count])
      },
    ])
  }

  private static func series(
    _ keys: [ImportedRun.Key]
  ) -> [(key: String, value: [ImportedRun.Key])] {
    Dictionary(grouping: keys) { "\($0.plan) on \($0.rig) (\($0.actuator))" }
      .sorted { $0.key < $1.key }
  }

  private static func json(_ key: ImportedRun.Key) -> JSONValue {
    .object(of: [
      "began": key.began.description, "rig": key.rig, "plan": key.plan, "actuator": key.actuator,
    ])
  }
}
