// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Devices
import Foundation
import Testing
import Units

@testable import Reporting

/// Pages for `.ci/browser/run`, written where it asks for them.
@Suite struct BrowserPages {
  private static let folder = ProcessInfo.processInfo.environment["HAPRIG_PAGES"].flatMap {
    $0.isEmpty ? nil : $0
  }

  private func write(_ text: String, to name: String) throws {
    let folder = try #require(Self.folder)
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder).appending(path: name))
  }

  private static var library: ChartLibrary? {
    (try? String(contentsOfFile: ChartLibrary.installedPath, encoding: .utf8))
      .flatMap { ChartLibrary($0) }
  }

  @Test(.enabled(if: folder != nil, "only where a browser looks at them: make test-browser"))
  func `pages for the browser are written`() throws {
    var sample = SampleRecord()
    sample.takes = 2
    sample.limits.append(Limit(ReadingName(.drift), .within(10, marginal: 5)))
    var record = sample.make()
    record.patterns[1].takes[0].place = 2
    record.patterns[1].takes[0].device = .init(
      frames: 96_000, driveFrames: 96_000,
      captureEvents: [.init(kind: .overload, frame: 30_000, length: 12, channel: "z")],
      driveEvents: [.init(kind: .underrun, frame: 24_000, length: 64)])
    record.readings.append(Reading(.xrunsPerHour, value: 412.4, count: 16))
    record.header.environment = ["kernel": "6.1.0-26", "haprig": "0.1.0"]
    let library = Self.library
    try write(
      HTMLReport.text(record: record, figures: sample.figures(columns: 2_400), charts: library),
      to: "sample.html")
    try write(record.text, to: "sample.json")
    try write(HTMLReport.text(record: record, figures: sample.figures()), to: "still.html")
    try write(record.text, to: "still.json")

    var many = SampleRecord()
    many.names = (1...HTMLPage.mostTogether).map { "pattern \($0)" }
    let large = many.make()
    try write(
      HTMLReport.text(record: large, figures: many.figures(columns: 2_400), charts: library),
      to: "large.html")
    try write(large.text, to: "large.json")
    // Pages of patterns lie in a folder beside the run's.
    many.names = (1...1_000).map { "pattern \($0)" }
    let folder = URL(fileURLWithPath: try #require(Self.folder)).appending(path: HTMLReport.folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in HTMLReport.pages(
      record: many.make(), figures: many.figures(columns: 300), charts: library)
    { try write(text, to: name == "report.html" ? "large-split.html" : name) }
    var late = Reading(
      .latencyOnset, pattern: "tap", take: 2, event: 1, value: 0.0214, uncertainty: 1e-4)
    late.limit = "at most 20 ms"
    let history = SampleHistory(violations: [.init(run: "night-39", reading: late)]).make()
    try write(HistoryPage(history).text, to: "nightly.html")
    var wide = history
    wide.series += (0..<568).map { index in
      var one = history.series[2]
      one.nightly.key.pattern = "pattern \(index / 40)"
      one.nightly.key.reading = ReadingKind.allCases[index % 40].rawValue
      return one
    }
    try write(HistoryPage(wide).text, to: "wide-history.html")
    try write(GaugePage(SampleStudy(days: 2).make()).text, to: "gauge.html")
  }
}
