// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Devices
import Testing
import Units

@testable import Reporting

@Suite struct HTMLReportTests {
  private let sample = SampleRecord()

  private func page(
    _ record: RunRecord, figures: [TakeFigure] = [], charts: ChartLibrary? = nil
  ) -> String {
    HTMLReport.text(record: record, figures: figures, charts: charts)
  }

  /// A library that draws nothing.
  private let library = ChartLibrary("/* Dygraph */")

  @Test func `a sample report can be looked at`() {
    let page = page(sample.make(), figures: sample.figures())
    Attachment.record(page, named: "report.html")
    #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
  }

  @Test func `what a board says of itself stands above its streams`() {
    var stream = StreamStatistics()
    stream.start = .linked
    stream.statements = [
      .init(
        device: "HR-0001", fullScaleVolts: 3.3, driveDelay: 20e-6, sensorDelay: 300e-6,
        sensorRate: 26_667),
      .init(device: "HR-0002", fullScaleVolts: 4, knowsFullScale: false),
    ]
    var record = sample.make()
    record.patterns[0].takes[0].stream = stream
    let page = page(record)
    #expect(page.contains("HR-0001 by its own word: full scale 3.3"))
    #expect(page.contains("from a drive frame to the voltage"))
    #expect(page.contains("from an acceleration to its frame"))
    #expect(page.contains("delays are not taken off what was measured"))
    #expect(page.contains("HR-0002 by its own word: it does not know its full scale"))
  }

  @Test func `how a stream went stands in its row, what was agreed with the card above`() throws {
    var counts = [Int](repeating: 0, count: JitterHistogram.binCount)
    counts[4] = 10
    var stream = StreamStatistics()
    stream.negotiations = [
      Negotiation(
        direction: "playback", pcm: "hw:1", cardName: "Card", access: "mmap", format: .s24in3,
        channelCount: 3, rate: 44_100, periodFrames: 64, bufferFrames: 256, isConverted: true)
    ]
    stream.start = .separate(reason: "two cards")
    stream.duration = 3600
    stream.jitter = JitterHistogram(counts: counts, largest: 12e-6)
    stream.cpuShare = 0.0123
    stream.scheduling = .fifo(priority: 75)
    var record = sample.make()
    record.patterns[0].takes[0].stream = stream
    let elements = try Element.all(in: page(record))
    #expect(
      elements.contains {
        $0.text
          == "playback: hw:1, S24_3, 3 channels, 44100 Hz, periods of 64 in 256 frames, mmap, converted on the way"
      })
    let row = "Boing1separate0 (at most 2.996 an hour)12 us1.2 %SCHED_FIFO at priority 75"
    #expect(elements.contains { $0.name == "tr" && $0.text == row })
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
    #expect(elements.count { $0.attributes["class"] == "figure" } == 8)
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
      #expect(!addresses.replacing("url(#", with: "").contains(needle), "\(needle)")
    }
    for image in try Element.all(in: page) where image.name == "image" {
      #expect(image.attributes["href"]?.hasPrefix("data:image/png;base64,") == true)
    }
  }

  @Test func `the page forbids itself to fetch, and has no handler in its markup`() throws {
    let elements = try Element.all(
      in: page(sample.make(), figures: sample.figures(), charts: library))
    let policy = try #require(
      elements.first { $0.attributes["http-equiv"] == "Content-Security-Policy" })
    let words = try #require(policy.attributes["content"])
    #expect(words.hasPrefix("default-src &#39;none&#39;; "))
    #expect(!words.contains("*"))
    #expect(!words.contains("http"))
    for element in elements {
      #expect(!element.attributes.keys.contains { $0.hasPrefix("on") }, "\(element.attributes)")
    }
  }

  @Test
  func `without the library the page has no chart's data and says why its pictures stand still`() {
    let page = page(sample.make(), figures: sample.figures())
    #expect(!page.contains("application/json"))
    #expect(page.contains("Pictures stand still: dygraphs (libjs-dygraphs) was not installed"))
    let zoomed = self.page(sample.make(), figures: sample.figures(), charts: library)
    #expect(zoomed.contains("application/json"))
    #expect(!zoomed.contains("Pictures stand still"))
  }

  @Test func `the library is found again on the page that holds it`() throws {
    let library = try #require(library)
    #expect(ChartLibrary(ofPage: page(sample.make(), charts: library)) == library)
    #expect(ChartLibrary(ofPage: page(sample.make())) == nil)
  }

  @Test func `what failed first is said first`() throws {
    var several = SampleRecord()
    several.names = ["Boing", "Drums"]
    var record = several.make()
    for (index, place) in [2, 1].enumerated() { record.patterns[index].takes[0].place = place }
    for index in record.readings.indices
    where record.readings[index].name.kind == .latencyElectrical {
      record.readings[index].verdict = .fail
      record.readings[index].limit = "at most 5 ms"
    }
    let elements = try Element.all(in: page(record))
    let failure = try #require(elements.first { $0.attributes["class"] == "failure" })
    #expect(failure.text.hasPrefix("Failed first: electrical delay of Drums, take 1, 5.20"))
    #expect(failure.text.hasSuffix("; asked: at most 5 ms. Take 1 of 2 as played."))
    #expect(!page(several.make()).contains("Failed first"))
  }

  @Test func `frames that were lost are shown by take and time, with the bound an hour`() throws {
    var record = sample.make()
    record.readings.append(Reading(.xrunsPerHour, value: 412.4, count: 8))
    record.patterns[0].takes[0].place = 3
    record.patterns[0].takes[0].device = .init(
      frames: 96_000, driveFrames: 96_000,
      driveEvents: [.init(kind: .underrun, frame: 24_000, length: 64)])
    let page = page(record)
    #expect(page.contains("1 underrun in 8 takes. At most 412.4 xruns an hour are compatible"))
    #expect(page.contains("at most 412.4"))
    let rows = try Element.all(in: page).filter { $0.name == "tr" }.map(\.text)
    #expect(rows.contains("3Boing1underrun500 ms64"))
    #expect(page.contains("id=\"xrun-map\""))
    #expect(!self.page(sample.make()).contains("id=\"xrun-map\""))
  }

  @Test func `a hundred patterns stand folded, the first that failed open`() throws {
    var many = SampleRecord()
    many.names = (1...100).map { "pattern \($0)" }
    var record = many.make()
    for index in record.patterns.indices { record.patterns[index].verdict = .pass }
    record.patterns[60].verdict = .fail
    let elements = try Element.all(in: page(record))
    let bodies = elements.filter { $0.name == "details" && $0.attributes["class"] == "body" }
    #expect(bodies.map { $0.attributes["open"] != nil }.enumerated().filter(\.1).map(\.0) == [60])
  }

  @Test func `setup, environment, expectations and hashes are on the page`() {
    var record = sample.make()
    record.setup = [SetupFinding(.gravity, holds: true, "9.81 m/s2 at rest, gravity")]
    record.header.environment = ["kernel": "6.1.0-26", "firmware": "1.4"]
    record.header.files = [
      .init(name: "junit.xml", bytes: 12, sha256: String(repeating: "ab", count: 32))
    ]
    record.plan.notes = ["foam replaced"]
    record.plan.expectedFailures = [
      ExpectedFailure(ReadingName(.drift), why: "the card has a cheap crystal")
    ]
    let page = page(record)
    for text in [
      "9.81 m/s2 at rest, gravity", "6.1.0-26", "firmware", String(repeating: "ab", count: 32),
      "foam replaced", "the card has a cheap crystal",
    ] { #expect(page.contains(text), "\(text)") }
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

  @Test func `the result begins with the worst events, each a link to its mark`() throws {
    var several = SampleRecord()
    several.takes = 2
    let record = several.make()
    let elements = try Element.all(in: page(record, figures: several.figures()))
    let links = elements.filter {
      $0.attributes["class"] == "subject" && $0.attributes["href"] != nil
    }
    // Three of the run, and three of each pattern that has as many.
    let worst = RunSummary(record).events
    let expected =
      worst.worst()
      + record.patterns.flatMap { worst.worst(of: $0.name) }
    #expect(links.count == expected.count)
    for (link, score) in zip(links, expected) {
      #expect(link.text.contains(score.name))
      let target = try #require(link.attributes["href"]).dropFirst()
      #expect(target.hasSuffix("-event-\(score.event)"))
      let mark = try #require(elements.first { $0.attributes["id"] == String(target) })
      #expect(mark.name == "path")
      #expect(mark.attributes["class"]?.hasPrefix("mark ") == true)
    }
    #expect(links[0].ancestors.count { $0 == "section" } == 1)
    let bare = try Element.all(in: page(record))
    let first = try #require(bare.first { $0.attributes["class"] == "subject" })
    #expect(first.attributes["href"] == "#pattern-7", "without a picture, to the pattern")
  }

  @Test func `each pattern is told in a sentence, in the summary and where it begins`() throws {
    let record = sample.make()
    let elements = try Element.all(in: page(record))
    for pattern in RunSummary(record).patterns {
      let sentence = PatternSentence.text(pattern)
      #expect(elements.contains { $0.name == "td" && $0.text == sentence })
      #expect(elements.contains { $0.attributes["class"] == "outcome" && $0.text == sentence })
    }
  }

  @Test func `every reading stands on the page with its number, unit and uncertainty`() throws {
    let record = sample.make()
    let elements = try Element.all(in: page(record))
    let rows = elements.filter { $0.name == "tr" }.map(\.text)
    let scatter = ReadingScatter(record.readings)
    for reading in record.readings {
      guard let value = reading.value else { continue }
      let text = EngineeringFormat.text(
        value, reading.unit, uncertainty: scatter.uncertainty(of: reading),
        finest: reading.unit.finest
      )
      .replacing(" us", with: " µs").replacing("m/s2", with: "m/s²")
      #expect(
        rows.contains { $0.hasPrefix(reading.name.title) && $0.contains(text) }, "\(text)")
    }
  }

  @Test func `what all takes together read is told from what one take read`() throws {
    var record = SampleRecord(names: ["Boing"]).make()
    record.readings = [
      Reading(.harmony, pattern: "Boing", take: 1, value: 90, uncertainty: 1, count: 5),
      Reading(.harmony, pattern: "Boing", value: 90, uncertainty: 2, count: 1),
      Reading(.gamutOutside, pattern: "Boing", value: 0, count: 1),
    ]
    let rows = try Element.all(in: page(record)).filter { $0.name == "tr" }.map(\.text)
    #expect(rows.contains("harmony indexharmony190.0 ± 1.05"))
    #expect(rows.contains("harmony indexall90.0 ± 2.01"))
    #expect(rows.contains("out of reachgamut.outside01"))
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

  @Test func `rig, timing and feel stand side by side, each with its reason`() throws {
    var record = SampleRecord(names: ["Boing"]).make()
    record.plan.limits = [
      Limit(ReadingName(.latencyTransport), .below(0.1e-3, marginal: nil)),
      Limit(ReadingName(.harmony), .above(50, marginal: nil), isCalibratedOnly: true),
    ]
    record.judge()
    let elements = try Element.all(in: page(record))
    let badges = elements.filter {
      $0.attributes["class"]?.hasPrefix("badge ") == true && $0.attributes["title"] != nil
    }
    #expect(badges.map(\.text) == ["– Rig not judged", "✕ Timing fail", "– Feel not judged"])
    #expect(
      badges.map { $0.attributes["class"] } == ["badge unjudged", "badge fail", "badge unjudged"])
    let reasons = [
      "the plan has no limits of it", "delay to motion of Boing, take 1: 614 ± 12 us",
      "no profile says how strong and how sharp the drive has to feel",
    ]
    #expect(
      badges.map { $0.attributes["title"] }
        == zip(["Rig", "Timing", "Feel"], reasons).map { "\($0): \($1)" })
    let words = elements.filter { $0.name == "p" }.map(\.text)
    for reason in reasons { #expect(words.contains(reason), "\(reason)") }
  }

  @Test func `a pass that says nothing of how it feels is not green`() throws {
    var record = SampleRecord(names: ["Boing"]).make()
    func badge() throws -> Element? {
      try Element.all(in: page(record)).first {
        $0.attributes["class"]?.contains("large") == true
      }
    }
    record.plan.limits = [Limit(ReadingName(.xruns), .below(0, marginal: nil))]
    record.judge()
    #expect(record.verdict == .pass)
    #expect(try badge()?.attributes["class"] == "badge unjudged large")
    #expect(try badge()?.text == "– pass")
    record.plan.limits.append(Limit(ReadingName(.energyOutside), .below(0, marginal: nil)))
    record.judge()
    #expect(try badge()?.attributes["class"] == "badge pass large")
  }

  @Test func `the result is said in a sentence`() {
    let page = page(sample.make())
    #expect(page.contains("8 patterns, 8 takes: marginal. 2 readings marginal: "))
    #expect(
      page.contains("envelope match of Oscillate, take 1; level error of Rumble, take 1, event 1."))
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
    // One fold is the pattern's own.
    let open = elements.filter { element in
      element.name == "caption" && element.ancestors.count { $0 == "details" } < 2
    }
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
    record.patterns[0].takes[0].rejected = [.init(event: 0, reason: hostile)]
    for index in record.readings.indices { record.readings[index].note = hostile }
    record.header.environment = [hostile: hostile]
    record.header.files = [.init(name: hostile, bytes: 1, sha256: hostile)]
    record.plan.notes = [hostile]
    record.patterns[0].takes[0].device = .init(
      frames: 1, driveFrames: 1,
      driveEvents: [.init(kind: .underrun, frame: 1, length: 1, channel: hostile)])
    var stream = StreamStatistics()
    stream.negotiations = [
      Negotiation(
        direction: hostile, pcm: hostile, cardName: hostile, access: hostile, format: .s16,
        channelCount: 1, rate: 1, periodFrames: 1, bufferFrames: 1)
    ]
    stream.statements = [.init(device: hostile)]
    stream.start = .separate(reason: hostile)
    stream.scheduling = .ordinary(reason: hostile)
    record.patterns[0].takes[0].stream = stream
    var figures = hostileSample.figures(columns: 10)
    figures[0].panels[0].title = hostile
    figures[0].panels[0].traces[0].name = hostile
    let page = page(record, figures: figures, charts: library)
    let elements = try Element.all(in: page)
    // The data of the picture, the library, the page's own.
    #expect(elements.count { $0.name == "script" } == 3)
    let data = try #require(elements.first { $0.attributes["type"] == "application/json" })
    #expect(!data.text.contains("<"))
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
    #expect(elements.count { $0.name == "th" && $0.text.hasPrefix("felt start") } >= 2000)
  }

  @Test func `figures of later takes are folded, those of unknown patterns left out`() throws {
    var several = SampleRecord()
    several.names = ["Boing"]
    several.takes = 3
    var figures = several.figures(columns: 20)
    figures[0].pattern = "elsewhere"
    let elements = try Element.all(in: page(several.make(), figures: figures.reversed()))
    let drawings = elements.filter { $0.attributes["class"] == "figure" }
    #expect(drawings.map { drawing in drawing.ancestors.count { $0 == "details" } } == [1, 2])
    let titles = elements.filter {
      $0.name == "title" && $0.ancestors.last == "svg" && $0.ancestors.contains("noscript")
    }.map(\.text)
    #expect(titles.prefix(2) == ["Boing, take 2", "Boing, take 3"])
  }
}
