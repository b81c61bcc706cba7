// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Foundation
import JSONText
import Reporting
import Testing
import Units

@Suite struct HistoryPageTests {
  private func page(_ sample: SampleHistory = SampleHistory()) -> String {
    HistoryPage(sample.make()).text
  }

  @Test func `equal reports give equal pages`() {
    let page = page()
    Attachment.record(page, named: "nightly.html")
    #expect(page == self.page())
    #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
  }

  @Test func `the outcome and what changed first stand before all else`() throws {
    let elements = try Element.all(in: page())
    let badge = try #require(elements.first { $0.attributes["class"]?.contains("large") == true })
    #expect(badge.text == "✕ regression")
    #expect(badge.attributes["class"]?.contains("fail") == true)
    let sections = elements.filter { $0.name == "section" }.compactMap { $0.attributes["id"] }
    #expect(sections == ["changes", "limits", "series", "decisions", "runs", "words"])
    let card = try #require(elements.first { $0.attributes["class"] == "card" }?.text)
    #expect(card.hasPrefix("✕ alarmThe productFelt start of tap went up by "), "\(card)")
  }

  @Test func `a card says what changed, since when, by how much, whose it is, and what else did`()
    throws
  {
    let page = page()
    let elements = try Element.all(in: page)
    let card = try #require(elements.first { $0.attributes["class"] == "card" }?.text)
    for words in [
      "Felt start of tap went up by 1.200 ± 0.040 ms on 2026-11-04",
      "From 10.5 ms to 11.7 ms: confirmed, for the worse, and no control moved with it.",
      "Last night before: 2026-11-03, first night after: 2026-11-04.",
      "Felt start (latency.onset): when one event is felt to begin; above zero: felt later than commanded.",
    ] { #expect(card.contains(words), "\(words) in \(card)") }
    let rows = elements.filter { $0.name == "tr" }.map(\.text)
    #expect(rows.contains { $0.contains("kernel") && $0.contains("6.1.0-26") })
    #expect(page.contains("href=\"./night-31/report.html\" title=\"night-31\">2026-11-04"))
    #expect(!card.contains("night-31"), "a run's name says less than its day")
  }

  @Test func `without a control the page does not say whose a change is`() throws {
    var report = SampleHistory().make()
    report.hasControl = false
    let text = HistoryPage(report).text
    #expect(text.contains("The product or the rig: the plan has no control that could tell"))
    report.hasControl = true
    report.series[3].changes[0].alarm.standing = .heldBack
    #expect(HistoryPage(report).text.contains("The rig: look at the measurement first"))
  }

  /// A sample in which the level of `swell` falls by 0.06 dB a night, under 0.02 dB of scatter.
  private func drifting() throws -> HistoryReport {
    var report = SampleHistory().make()
    let swell = report.series[2].nightly
    report.series[2].nightly = NightlySeries(
      key: swell.key, unit: swell.unit,
      nights: swell.nights.enumerated().map { index, night in
        Night(
          day: night.day, value: -0.06 * Double(index) + 0.02 * Double(index * 7 % 5 - 2),
          uncertainty: 0.02)
      })
    report.series[2].trend = Trend(of: report.series[2].nightly)
    return report
  }

  @Test func `a drift is a card, a sentence and an object of its own`() throws {
    let report = try drifting()
    let cards = try Element.all(in: HistoryPage(report).text)
      .filter { $0.attributes["class"] == "card" }.map(\.text)
    #expect(cards.count == 2)
    #expect(cards.last?.contains("Level error of swell falls by 1.8") == true, "\(cards)")
    #expect(cards.last?.contains("Steadily since 2026-10-04 (40 nights), by -2.3") == true)
    #expect(report.sentences.contains { $0.hasPrefix("Drift: level error of swell falls by ") })
    let drift = try #require(report.json["drifts"]?.elements?.first)
    #expect(drift["whose"]?.string == "product")
    #expect(drift["lead"]?["from"]?.string == "2026-10-04")
    #expect(drift["lead"]?["nights"]?.integer == 40)
    #expect(abs((drift["lead"]?["perMonth"]?.number ?? 0) + 1.826) < 0.05)
    #expect(HistoryText.summary(report).contains("  drifts      level error of swell falls by"))
  }

  @Test func `series that changed come first, the alarm before the drift, the others by pattern`()
    throws
  {
    let page = HistoryPage(try drifting()).text
    let elements = try Element.all(in: page)
    let tables = elements.filter { $0.attributes["class"] == "series" }.map(\.text)
    #expect(tables.count == 3)
    let first = try #require(tables.first)
    let alarm = try #require(first.range(of: "latency.onset"))
    let drift = try #require(first.range(of: "intensity.error"))
    #expect(alarm.lowerBound < drift.lowerBound)
    #expect(!first.contains("xruns"))
    let groups = elements.filter { $0.name == "details" && $0.attributes["class"] == "steady" }
    #expect(groups.count == 2)
    #expect(groups.first?.text.hasPrefix("the control: 1 series") == true)
  }

  @Test func `five hundred series without a change are folded by pattern and by aspect`() throws {
    var report = SampleHistory(standing: nil).make()
    let series = report.series[3]
    let readings = ["latency.onset", "response.peak", "noise.floor", "x"]
    report.series = (0..<500).map { index in
      var one = series
      one.nightly.key.pattern = "pattern \(index / 50)"
      one.nightly.key.reading = readings[index % 4] + (index % 50 < 4 ? "" : "@\(index)")
      return one
    }
    let elements = try Element.all(in: HistoryPage(report).text)
    let groups = elements.filter { $0.name == "details" && $0.attributes["class"] == "steady" }
    #expect(groups.count == 10)
    #expect(groups.allSatisfy { $0.attributes["open"] == nil })
    let parts = elements.filter { $0.attributes["class"] == "aspect" }.map(\.text)
    #expect(parts == (0..<10).flatMap { _ in ["Rig", "Timing", "Feel", "Other"] })
  }

  @Test func `every series has its sparkline, its newest night, its baseline and its trend`() throws
  {
    let report = SampleHistory().make()
    let elements = try Element.all(in: page())
    let lines = elements.filter { $0.attributes["class"] == "sparkline" }
    #expect(lines.count == report.series.count)
    for line in lines {
      #expect(line.attributes["role"] == "img")
      #expect(line.attributes["aria-label"]?.hasPrefix("40 nights from ") == true)
    }
    let marks = elements.filter { $0.attributes["class"] == "shift" }
    #expect(marks.count == 1, "one change, one mark")
    #expect(elements.count { $0.attributes["class"] == "level" } == report.series.count)
    let rows = elements.filter {
      $0.name == "tr" && $0.attributes["id"]?.hasPrefix("series-") == true
    }
    #expect(rows.count == report.series.count)
  }

  @Test func `a series has both its names, so that the field finds it by either`() throws {
    var report = SampleHistory().make()
    report.series[2].nightly.key.reading = "latency.onset@1.0"
    let elements = try Element.all(in: HistoryPage(report).text)
    let rows = elements.filter { $0.attributes["id"]?.hasPrefix("series-") == true }.map(\.text)
    #expect(rows.contains { $0.hasPrefix("felt starttap · latency.onset") }, "\(rows)")
    #expect(rows.contains { $0.hasPrefix("control: electrical delaycontrol.latency.electrical") })
    #expect(rows.contains { $0.hasPrefix("felt start, as defined in 1.0latency.onset@1.0") })
    let meaning = try #require(elements.first { $0.attributes["id"] == "means-latency.onset" })
    #expect(meaning.text == "felt startlatency.onset")
    #expect(
      elements.contains {
        $0.attributes["href"] == "#means-latency.onset"
          && $0.attributes["title"] == "when one event is felt to begin"
      })
  }

  @Test func `what changed is unfolded on paper too, and chances are short`() throws {
    var report = SampleHistory().make()
    report.series[3].changes[0].alarm.standing = .improved
    let page = HistoryPage(report).text
    let elements = try Element.all(in: page)
    let folded = elements.filter { $0.name == "details" }.map(\.text)
    #expect(!folded.contains { $0.contains("Trend a month") && $0.contains("latency.onset") })
    #expect(page.contains("<td class=\"number\">&lt; 1e-6</td>"))
    #expect(page.contains("  .find { display: none; }"))
  }

  @Test func `decisions stand with who, when and why`() throws {
    let rows = try Element.all(in: page()).filter { $0.name == "tr" }.map(\.text)
    #expect(
      rows.contains(
        "acceptedallalllevel errorintensity.error2026-10-24ada2026-10-24T08:00:00Zthe new foam is softer"
      ))
  }

  @Test func `the newest answer to an impulse stands beside that of the baseline`() throws {
    #expect(!page().contains("id=\"actuator\""), "nothing is claimed where no probe was answered")
    func side(_ run: String, _ values: [Double]) -> HistoryReport.ImpulseComparison.Side {
      .init(
        run: run,
        impulse: RunRecord.Impulse(
          pattern: "tap", take: 1, start: 0, step: 0.001, unit: .metrePerSecondSquared,
          values: values))
    }
    var report = SampleHistory().make()
    report.impulse = .init(
      newest: side("night-39", [2.7, -3.6]), baseline: side("night-30", [3, -4]))
    let elements = try Element.all(in: HistoryPage(report).text)
    let caption = try #require(elements.first { $0.text.hasPrefix("What the probe of tap") }?.text)
    #expect(caption.contains("in night-39, 60 to 450 Hz. Dashed: night-30."))
    #expect(caption.contains("They differ by 10.0 % (rms)."))
    #expect(report.json["impulse"]?["baseline"]?.string == "night-30")
    #expect(abs((report.json["impulse"]?["difference"]?.number ?? .nan) - 0.1) < 1e-12)
    report.impulse?.baseline = nil
    #expect(HistoryPage(report).text.contains("No earlier night&#39;s response is at hand."))
  }

  @Test func `what is outside a limit is a row with its run`() throws {
    var reading = Reading(
      .latencyOnset, pattern: "tap", take: 2, event: 1, value: 0.0214, uncertainty: 1e-4)
    reading.limit = "at most 20 ms"
    let broken = HistoryReport.Violation(run: "night-39", reading: reading)
    let rows = try Element.all(in: page(SampleHistory(violations: [broken])))
      .filter { $0.name == "tr" }.map(\.text)
    #expect(rows.contains("felt startlatency.onsettap2121.40 ± 0.10 msat most 20 msnight-39"))
    #expect(page().contains("Every reading of the newest night is inside the plan&#39;s limits."))
  }

  @Test func `a screen reader finds its way, and the one script makes its own field`() throws {
    let page = page()
    let elements = try Element.all(in: page)
    #expect(page.components(separatedBy: "<script").count == 2)
    #expect(!elements.contains { ["input", "button"].contains($0.name) })
    #expect(!page.contains("src="))
    let identifiers = elements.compactMap { $0.attributes["id"] }
    #expect(Set(identifiers).count == identifiers.count, "identifiers are unique")
    for link in elements {
      guard let target = link.attributes["href"], target.hasPrefix("#") else { continue }
      #expect(identifiers.contains(String(target.dropFirst())), "\(target)")
    }
    for (table, next) in zip(elements, elements.dropFirst()) where table.name == "table" {
      #expect(next.name == "caption")
    }
    for cell in elements where cell.name == "th" { #expect(cell.attributes["scope"] != nil) }
    for picture in elements where picture.name == "svg" {
      #expect(
        picture.attributes["aria-label"] != nil || picture.attributes["aria-labelledby"] != nil)
    }
    let levels = elements.compactMap { element in
      element.name.count == 2 && element.name.hasPrefix("h") ? Int(element.name.dropFirst()) : nil
    }
    #expect(levels.first == 1)
    for (above, below) in zip(levels, levels.dropFirst()) { #expect(below <= above + 1) }
  }

  @Test func `names and links cannot write markup or be a scheme`() throws {
    let hostile = "</title><script>alert('x')</script>\"><b x='&amp;"
    var report = SampleHistory().make()
    report.rig = hostile
    report.plan = hostile
    report.notes = [hostile]
    report.runs[31].link = "javascript:alert(1)"
    report.decisions[0].why = hostile
    for index in report.series.indices {
      report.series[index].nightly.key.pattern = hostile
      for change in report.series[index].changes.indices {
        report.series[index].changes[change].alarm.reason = hostile
        report.series[index].changes[change].alarm.key.pattern = hostile
      }
    }
    let text = HistoryPage(report).text
    let elements = try Element.all(in: text)
    #expect(elements.count { $0.name == "script" } == 1)
    #expect(!elements.contains { $0.name == "b" && $0.attributes["x"] != nil })
    #expect(!text.contains("href=\"javascript"))
  }

  @Test func `a history of nothing is still a page`() throws {
    let empty = HistoryReport(rig: "r", plan: "p", days: nil, series: [], runs: [])
    let elements = try Element.all(in: HistoryPage(empty).text)
    #expect(elements.contains { $0.text == "There is no complete run of p on r." })
    var hollow = SampleHistory(standing: nil).make()
    for index in hollow.series.indices {
      hollow.series[index].nightly = NightlySeries(
        key: hollow.series[index].key, unit: .second, nights: [])
    }
    #expect(!HistoryPage(hollow).text.contains("nan"))
  }

  @Test func `a year of two thousand series stays under ten megabytes`() {
    var report = SampleHistory().make()
    let series = report.series[3]
    var year = series
    year.nightly = NightlySeries(
      key: series.key, unit: .second,
      nights: (0..<365).map { index in
        Night(day: 20_000 + index, value: 0.01 + 1e-5 * Double(index * 37 % 11), uncertainty: 1e-5)
      })
    report.series = (0..<2_000).map { index in
      var one = year
      one.nightly.key.pattern = "pattern \(index / 10)"
      one.changes = []
      return one
    }
    #expect(HistoryPage(report).text.utf8.count < 10_000_000)
  }
}
