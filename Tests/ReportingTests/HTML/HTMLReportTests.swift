import Acceptance
import Reporting
import Testing
import Units

@Suite struct HTMLReportTests {
  private let sample = SampleRecord()

  private func page(_ record: RunRecord, figures: [TakeFigure] = []) -> String {
    HTMLReport.text(record: record, figures: figures)
  }

  @Test func `a sample report can be looked at`() {
    let page = page(sample.make(), figures: sample.figures())
    Attachment.record(page, named: "report.html")
    #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
  }

  @Test func `eight patterns with their pictures stay under a megabyte`() {
    #expect(page(sample.make(), figures: sample.figures()).utf8.count < 1_000_000)
  }

  @Test func `equal records give equal pages`() {
    #expect(
      page(sample.make(), figures: sample.figures())
        == page(sample.make(), figures: sample.figures().reversed()))
  }

  @Test func `every tag is closed in its order`() throws {
    let elements = try Element.all(in: page(sample.make(), figures: sample.figures()))
    #expect(elements.count { $0.name == "h1" } == 1)
    #expect(elements.count { $0.name == "main" } == 1)
    #expect(elements.count { $0.name == "svg" } == 8)
  }

  @Test(.enabled(if: Python.isAvailable, "python3 is not installed"))
  func `the reader of another language finds every tag closed`() throws {
    let script = """
      import sys
      from html.parser import HTMLParser
      class Reader(HTMLParser):
          stack = []
          def handle_starttag(self, tag, attrs):
              if tag != 'meta': self.stack.append(tag)
          def handle_startendtag(self, tag, attrs): pass
          def handle_endtag(self, tag):
              assert self.stack and self.stack[-1] == tag, (tag, self.stack, self.getpos())
              self.stack.pop()
      reader = Reader()
      reader.feed(sys.stdin.read())
      print('open', reader.stack)
      """
    let answer = try Python.run(script, input: page(sample.make(), figures: sample.figures()))
    #expect(answer == "open []\n")
  }

  @Test func `the page asks nothing of a network`() throws {
    let page = page(sample.make(), figures: sample.figures())
    // The one address on the page is the name of SVG, which nobody fetches.
    let addresses = page.replacing("http://www.w3.org/2000/svg", with: "")
    for needle in ["http:", "https:", "src=", "url(", "@import", "<link"] {
      #expect(!addresses.contains(needle), "\(needle)")
    }
  }

  @Test func `a screen reader finds its way`() throws {
    let elements = try Element.all(in: page(sample.make(), figures: sample.figures()))
    let identifiers = elements.compactMap { $0.attributes["id"] }
    #expect(Set(identifiers).count == identifiers.count, "identifiers are unique")
    let skip = try #require(elements.first { $0.attributes["class"] == "skip" })
    for link in elements {
      guard let target = link.attributes["href"], target.hasPrefix("#") else { continue }
      #expect(identifiers.contains(String(target.dropFirst())), "\(target)")
    }
    #expect(skip.attributes["href"] == "#result")
    #expect(elements.contains { $0.attributes["name"] == "viewport" })
    for (table, next) in zip(elements, elements.dropFirst()) where table.name == "table" {
      #expect(next.name == "caption")
    }
    for cell in elements where cell.name == "th" { #expect(cell.attributes["scope"] != nil) }
    for svg in elements where svg.name == "svg" {
      let names = try #require(svg.attributes["aria-labelledby"]).split(separator: " ")
      for name in names { #expect(identifiers.contains(String(name))) }
    }
  }

  @Test func `headings go down one level at a time`() throws {
    let elements = try Element.all(in: page(sample.make(), figures: sample.figures()))
    let levels = elements.compactMap { element in
      element.name.count == 2 && element.name.hasPrefix("h") ? Int(element.name.dropFirst()) : nil
    }
    #expect(levels.first == 1)
    for (above, below) in zip(levels, levels.dropFirst()) { #expect(below <= above + 1) }
  }

  @Test func `every reading stands on the page with its number, unit and uncertainty`() throws {
    let record = sample.make()
    let elements = try Element.all(in: page(record))
    let rows = elements.filter { $0.name == "tr" }.map(\.text)
    for reading in record.readings {
      guard let value = reading.value else { continue }
      let text = EngineeringFormat.text(value, reading.unit, uncertainty: reading.uncertainty)
        .replacing(" us", with: " µs").replacing("m/s2", with: "m/s²")
      #expect(
        rows.contains { $0.hasPrefix(reading.name.description) && $0.contains(text) }, "\(text)")
    }
  }

  @Test func `the verdict is a sign and a word, not a colour alone`() throws {
    for verdict in Verdict.allCases {
      var record = sample.make()
      record.verdict = verdict
      let badge = try #require(
        Element.all(in: page(record)).first { $0.attributes["class"]?.contains("large") == true })
      #expect(badge.text.hasSuffix(" \(verdict.rawValue)"))
      #expect(badge.text.count > verdict.rawValue.count + 1, "no sign before \(verdict.rawValue)")
    }
  }

  @Test func `the result is said in a sentence`() {
    let page = page(sample.make())
    #expect(page.contains("8 patterns, 8 takes: marginal. 2 readings marginal: "))
    #expect(page.contains("envelope.correlation of Oscillate; intensity.error of Rumble, event 1."))
  }

  @Test func `what the run was made with is on the page`() {
    let page = page(sample.make())
    for fact in [
      "simulated-lra", "lra-1", "coin LRA 10 mm", "2026-03-14T09:26:53Z", "bench-2", "haprig 0.1.0",
      "uncalibrated", "square", "log80-230", "aosp16", "2 Vrms", "48000 Hz",
      "recordings/Boing-1-drive.wav", "unresolved: its neighbour is 31 ms away",
      "Drums.ahap:12:9: warning",
    ] {
      #expect(page.contains(fact), "\(fact)")
    }
  }

  @Test func `more than twelve rows by event are folded, and say what they hide`() throws {
    let elements = try Element.all(in: page(sample.make()))
    let summaries = elements.filter { $0.name == "summary" }.map(\.text)
    #expect(summaries.contains("120 readings by event 39 not measured, 41 pass"))
    #expect(summaries.contains("12 readings by event 1 marginal, 7 pass") == false)
    let open = elements.filter { $0.name == "caption" && !$0.ancestors.contains("details") }
    #expect(open.map(\.text).contains("Readings by event of Boing"))
  }

  @Test func `names cannot write markup`() throws {
    let hostile = "</title><script>alert('x')</script>\"><b x='\u{0}\u{1B}&amp;"
    var hostileSample = SampleRecord()
    hostileSample.names = [hostile]
    var record = hostileSample.make()
    record.rig.name = hostile
    record.actuator.id = hostile
    record.plan.name = hostile
    record.run.reason = hostile
    record.run.status = .fault
    record.run.laws = [hostile: hostile]
    record.header.folder = hostile
    record.patterns[0].diagnostics = [hostile]
    record.patterns[0].takes[0].drive = hostile
    record.patterns[0].takes[0].rejected = [(0, hostile)]
    for index in record.readings.indices { record.readings[index].note = hostile }
    let page = page(record, figures: hostileSample.figures(columns: 10))
    let elements = try Element.all(in: page)
    #expect(elements.count { $0.name == "script" } == 1)
    #expect(!elements.contains { $0.name == "b" && $0.attributes["x"] != nil })
    #expect(!page.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    #expect(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"))
  }

  @Test func `a file name is no scheme`() throws {
    var record = sample.make()
    record.patterns[0].takes[0].drive = "javascript:alert(1) ü?#.wav"
    let elements = try Element.all(in: page(record))
    let link = try #require(elements.first { $0.name == "a" && $0.text.hasPrefix("javascript") })
    #expect(link.attributes["href"] == "./javascript%3Aalert%281%29%20%C3%BC%3F%23.wav")
  }

  @Test func `a run without pictures, patterns and readings is still a page`() throws {
    var record = sample.make()
    #expect(try Element.all(in: page(record)).contains { $0.text.contains("No picture was kept") })
    record.patterns = []
    record.readings = []
    record.plan.limits = []
    record.run.laws = [:]
    let elements = try Element.all(in: page(record))
    #expect(elements.contains { $0.text == "No reading was taken of the run as a whole." })
  }

  @Test func `an interrupted run says so at its top`() throws {
    var record = sample.make()
    record.run.status = .interrupted
    record.run.reason = "SIGTERM after 3 of 8 patterns"
    let alert = try #require(
      Element.all(in: page(record)).first { $0.attributes["class"] == "alert" })
    #expect(
      alert.text == "interrupted The run was interrupted: SIGTERM after 3 of 8 patterns.")
    #expect(alert.ancestors.last == "header")
  }

  @Test func `two thousand readings are two thousand rows`() throws {
    var record = sample.make()
    record.readings = (0..<2000).map {
      Reading(.latencyOnset, pattern: "Boing", take: 1, event: $0, value: 0.003, uncertainty: 1e-5)
    }
    let elements = try Element.all(in: page(record))
    #expect(elements.count { $0.name == "th" && $0.text == "latency.onset" } >= 2000)
  }

  @Test func `figures of later takes are folded, those of unknown patterns left out`() throws {
    var several = SampleRecord()
    several.names = ["Boing"]
    several.takes = 3
    var figures = several.figures(columns: 20)
    figures[0].pattern = "elsewhere"
    let elements = try Element.all(in: page(several.make(), figures: figures.reversed()))
    let drawings = elements.filter { $0.name == "svg" }
    #expect(drawings.map { $0.ancestors.contains("details") } == [false, true])
    let titles = elements.filter { $0.name == "title" && $0.ancestors.last == "svg" }.map(\.text)
    #expect(titles == ["Boing, take 2", "Boing, take 3"])
  }
}
