// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
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
    #expect(sections == ["changes", "limits", "series", "decisions", "runs"])
    let findings = elements.filter { $0.name == "li" }.map(\.text)
    #expect(findings.first?.hasPrefix("First: latency.onset of tap went from 10.5 ms") == true)
  }

  @Test func `a change is shown with its size, its reason, its runs and what else changed`() throws
  {
    let page = page()
    let rows = try Element.all(in: page).filter { $0.name == "tr" }.map(\.text)
    let change = try #require(rows.first { $0.contains("confirmed, for the worse") })
    for word in [
      "latency.onset of tap", "alarm", "2026-11-04", "10.5 ms", "11.7 ms", "+1.200 ± 0.040 ms",
      "before 2026-11-03", "after 2026-11-04",
    ] { #expect(change.contains(word), "\(word) in \(change)") }
    #expect(rows.contains { $0.contains("kernel") && $0.contains("6.1.0-26") })
    #expect(page.contains("href=\"./night-31/report.html\" title=\"night-31\">after"))
    #expect(!change.contains("night-31"), "a run's name needs more room than the table has")
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

  @Test func `on paper the groups with a change are unfolded, and chances are short`() throws {
    let page = page()
    let elements = try Element.all(in: page)
    let unfolded = elements.filter {
      $0.name == "details" && $0.attributes["class"] == "changed"
    }
    #expect(unfolded.count == 1 && unfolded.first?.text.contains("1 changed") == true)
    #expect(page.contains("details.changed::details-content { content-visibility: visible; }"))
    #expect(page.contains("<td class=\"number\">&lt; 1e-6</td>"))
  }

  @Test func `decisions stand with who, when and why`() throws {
    let rows = try Element.all(in: page()).filter { $0.name == "tr" }.map(\.text)
    #expect(
      rows.contains(
        "acceptedallallintensity.error2026-10-24ada2026-10-24T08:00:00Zthe new foam is softer"))
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
    #expect(rows.contains("latency.onsettap2121.40 ± 0.10 msat most 20 msnight-39"))
    #expect(page().contains("Every reading of the newest night is inside the plan&#39;s limits."))
  }

  @Test func `a screen reader finds its way, and the page needs no script`() throws {
    let page = page()
    let elements = try Element.all(in: page)
    #expect(!page.contains("<script"))
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
    #expect(
      !elements.contains { $0.name == "script" || ($0.name == "b" && $0.attributes["x"] != nil) })
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
