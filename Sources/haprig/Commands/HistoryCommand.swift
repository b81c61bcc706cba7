import ArgumentParser
import Reporting
import RunArchive
import Workflows

/// Shows the series of a rig and plan, night by night.
struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show what the nights of a plan say: series, baselines, change points, trends.",
    discussion: """
      A night is the median of a UTC day's runs. A change shows how far it has come on its way to an alarm:
      docs/NIGHTLY.md.

      EXAMPLES
        haprig history --rig bench-1 --plan nightly
        haprig history --rig bench-1 --reading 'latency.*' --days 90
        haprig history --rig bench-1 --plan nightly --html nightly.html
        haprig history --rig bench-1 --plan nightly --json
      """)

  @OptionGroup var options: HistoryOptions
  @OptionGroup var series: SeriesOptions

  @Option(
    name: .long, help: "Write the history as one page that opens without a network to this file.",
    completion: .file(extensions: ["html"]))
  var html: String?

  @Flag(name: .long, help: "Print the history as JSON (docs/NIGHTLY.md).")
  var json = false

  func run() throws {
    let selection = series.selection
    let archive = try options.archive.open()
    HistoryOutput.warn(of: archive)
    let question = try options.question(of: archive, page: html, selection: selection)
    let report = try ExitStatus.of { try HistoryReader(archive, question).report() }
    guard !report.series.isEmpty || !selection.isNarrow else {
      throw ExitStatus(
        ExitStatus.wrongInput,
        "haprig: no series of \(question.plan) on \(question.rig) is so: leave out --reading, "
          + "--pattern or --actuator to see them all")
    }
    if let html { try HistoryOutput.write(HistoryPage(report).text, to: html) }
    Console.out(json ? report.jsonText : HistoryText.table(report, color: Console.hasColour))
  }
}
