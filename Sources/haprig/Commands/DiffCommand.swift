// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reporting
import RunArchive
import Workflows

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare runs: what differs by more than chance, and what it looks like.",
    discussion: """
      A run is given as a folder or as its ID in the archive. RUN:PATTERN means its takes of one pattern, \
      RUN:PATTERN:TAKE one of them. The first run is compared with the others. With --baseline it is compared with \
      the run that was pinned last for its rig, if that is of the same plan. Else it is compared with all complete \
      runs of its rig and plan in the last \(DiffWorkflow.baselineNights) nights before it, but none from before the \
      last accepted change. docs/REPORTS.md explains the statistics.

      EXAMPLES
        haprig diff 20261124-020000-bench-nightly 20261125-020000-bench-nightly
        haprig diff reports/20261125-020000-bench-nightly --baseline --html diff.html
        haprig diff A:tap:1 A:tap:2 --archive /srv/haprig
        haprig diff A B C --reading 'latency.*' --json

      EXIT CODES
        0 nothing differs by more than chance, or only for the better
        1 something differs for the worse, or a reading changed that should stay the same
        2 wrong usage or input, or no reading in common
      """)

  @Argument(
    help: """
      Two or more runs, or takes of them. With --baseline one is enough.
      """, completion: .directory)
  var runs: [String]

  @Flag(
    help: ArgumentHelp(
      "Compare with the baseline of the first run's rig and plan: the run that was pinned, else the "
        + "last \(DiffWorkflow.baselineNights) nights before it."))
  var baseline = false

  @OptionGroup var archive: ArchiveOptions

  @Option(
    help: ArgumentHelp(
      "Only readings whose names in plans match, such as 'latency.*' or 'control.*'; --verbose tells them.",
      valueName: "glob"))
  var reading: String?

  @Option(
    help: ArgumentHelp("Only patterns whose names match.", valueName: "glob"))
  var pattern: String?

  @Flag(help: "Also show what does not differ.")
  var all = false

  @OptionGroup var words: VerboseOption

  @Flag(help: "Print the comparison as JSON (docs/schema/diff.schema.json).")
  var json = false

  @Option(
    help: "Write the comparison to this file, as one page that needs no network.",
    completion: .html)
  var html: String?

  func validate() throws {
    try Usage.require(
      runs.count + (baseline ? 1 : 0) >= 2, "Name two runs or more, or one with --baseline")
  }

  func run() throws {
    var question = DiffQuestion(runs, in: try archive.location())
    question.usesBaseline = baseline
    question.reading = reading
    question.pattern = pattern
    let workflow = try DiffWorkflow(question) { try archive.open() }
    let report = try workflow.report()
    try HistoryOutput.write(
      DiffPage(report, charts: DiffWorkflow.charts).text, to: html)
    if json {
      Console.out(report.jsonText)
    } else {
      Console.out(
        DiffText.table(
          report, showsAll: all, color: Console.hasColour, explaining: words.verbose))
    }
    if report.isWorse { throw ExitStatus.failed }
  }
}
