// SPDX-License-Identifier: Apache-2.0

import Actuators
import Calibration
import JSONText
import Profiles
import Reporting
import Testing

@Suite struct CertificatePageTests {
  // Made once: a certificate takes some thousand evaluations of its profile.
  private static let sampleLRA = Result {
    let profile = try SampleCalibration.lra()
    return SampleCalibration.certificate(profile, figures: SampleFigures.lra(of: profile))
  }
  private static let sampleERM = {
    let profile = SampleCalibration.erm()
    return SampleCalibration.certificate(profile, figures: SampleFigures.erm(of: profile))
  }()

  private func lra() throws -> Certificate { try Self.sampleLRA.get() }
  private func erm() -> Certificate { Self.sampleERM }

  @Test func `sample certificates can be looked at`() throws {
    for certificate in [try lra(), erm()] {
      let page = certificate.html
      Attachment.record(page, named: "certificate-\(certificate.profile.actuator.id).html")
      #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
      #expect(page.utf8.count < 1_000_000)
    }
  }

  @Test func `every tag is closed in its order`() throws {
    for certificate in [try lra(), erm()] {
      let elements = try Element.all(in: certificate.html)
      #expect(elements.count { $0.name == "h1" } == 1)
      #expect(elements.count { $0.name == "main" } == 1)
      #expect(elements.contains { $0.name == "svg" })
    }
  }

  @Test func `identifiers are given once and what is referred to exists`() throws {
    for certificate in [try lra(), erm()] {
      let elements = try Element.all(in: certificate.html)
      let identifiers = elements.compactMap { $0.attributes["id"] }
      #expect(Set(identifiers).count == identifiers.count)
      for element in elements {
        for name in (element.attributes["aria-labelledby"] ?? "").split(separator: " ") {
          #expect(identifiers.contains(String(name)), "\(name) is nowhere")
        }
      }
    }
  }

  @Test func `every picture says what it shows and what stands on its axes`() throws {
    for certificate in [try lra(), erm()] {
      let elements = try Element.all(in: certificate.html)
      let pictures = elements.filter { $0.name == "svg" }
      #expect(pictures.allSatisfy { $0.attributes["role"] == "img" })
      #expect(elements.count { $0.name == "title" } == pictures.count + 1)
      #expect(elements.count { $0.name == "desc" && !$0.text.isEmpty } == pictures.count)
      #expect(
        elements.count { $0.attributes["class"] == "axis" && !$0.text.isEmpty }
          == 2 * pictures.count)
    }
  }

  @Test func `the page asks nothing of a network and needs no script`() throws {
    let page = try lra().html
    #expect(!page.replacing("http-equiv", with: "").contains("http"))
    #expect(!page.contains("<script"))
    #expect(!page.contains("@import"))
  }

  @Test func `names are shown as they are, not read as markup`() throws {
    let hostile = "<b>&\"'</script>"
    var profile = try SampleCalibration.lra(id: hostile, model: hostile)
    profile.conditions.mount = hostile
    profile.source.run = hostile
    var figures = SampleFigures.lra(of: profile)
    figures.responses[0].label = hostile
    let page = SampleCalibration.certificate(profile, figures: figures, notes: [hostile]).html
    _ = try Element.all(in: page)
    #expect(!page.contains("<b>&"))
    #expect(!page.contains("</script>"))
    #expect(page.contains("<li>&lt;b&gt;&amp;&quot;&#39;&lt;/script&gt;</li>"))
  }

  @Test func `equal calibrations give equal bytes`() throws {
    let first = try lra()
    let profile = try SampleCalibration.lra()
    let second = SampleCalibration.certificate(profile, figures: SampleFigures.lra(of: profile))
    #expect(first.html == second.html)
    #expect(first.json.text() == second.json.text())
    #expect(first.text == second.text)
  }

  @Test func `every number of the model table is that of the JSON and of the text beside it`()
    throws
  {
    for certificate in [try lra(), erm()] {
      let json = certificate.json.text()
      let numbers = try Element.all(in: certificate.html).filter { $0.name == "data" }
      #expect(numbers.count > 10)
      let model = try #require(certificate.html.firstRange(of: "<section id=\"model\""))
      let end = try #require(certificate.html.firstRange(of: "<section id=\"uncertainty\""))
      let table = try Element.all(
        in: String(certificate.html[model.lowerBound..<end.lowerBound]))
      let cells = table.filter { $0.name == "data" }
      #expect(!cells.isEmpty)
      for cell in cells {
        let value = try #require(cell.attributes["value"])
        #expect(json.contains(": \(value)"), "\(cell.text) is \(value)")
      }
    }
  }

  @Test func `the resonance is shown in the digits that are known of it`() throws {
    let page = try lra().html
    #expect(page.contains("<data value=\"150.37\">150.37</data>"))
    #expect(page.contains("<data value=\"0.0706739\">0.07</data>"))
    #expect(page.contains(">0.14</td>"))
  }

  @Test func `what nobody said is told as such`() throws {
    #expect(try lra().html.contains("<dt>mount</dt><dd>not given</dd>"))
  }

  @Test func `a missed goal stands on the page with its number and its limit`() throws {
    let certificate = try lra()
    #expect(certificate.html.contains("tap tail to -20 dB, longest 16.10 ms (at most 15 ms)"))
    #expect(certificate.html.contains("misses 1 goal"))
  }

  @Test func `parts that are missing are said to be missing`() throws {
    var profile = try SampleCalibration.lra(isVerified: false)
    profile.model.levels = []
    profile.model.resistance = nil
    profile.actuator.mass = nil
    profile.actuator.contact = nil
    profile.actuator.temperature = nil
    profile.conditions = ProfileConditions()
    profile.uncertainty = UncertaintyBudget(lines: [])
    profile.source.hash = ""
    let certificate = Certificate(
      profile: profile, notes: [], figures: CalibrationFigures(), host: "", recordings: [])
    let elements = try Element.all(in: certificate.html)
    let paragraphs = elements.filter { $0.name == "p" }.map(\.text)
    #expect(paragraphs.contains("No tap was measured."))
    #expect(paragraphs.contains("No curve was kept."))
    #expect(paragraphs.contains("No budget was made."))
    #expect(paragraphs.contains { $0.hasPrefix("Nothing was measured with this profile") })
    let lines = certificate.text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("    level error ") && $0.hasSuffix(" not measured") })
  }

  @Test func `no number on the page is other than finite`() throws {
    var profile = try SampleCalibration.lra()
    profile.model.modes[0].q.uncertainty = .infinity
    profile.model.delay?.uncertainty = .nan
    profile.verification?.grid[3].level = .nan
    profile.verification?.level = .init(rms: .nan, percentile95: .infinity, greatest: .nan)
    var figures = SampleFigures.lra(of: profile)
    figures.responses[0].y[10] = .nan
    figures.responses[1].y = figures.responses[1].y.map { _ in 0 }
    figures.noise?.y[0] = .infinity
    figures.taps[0].measured[5] = .nan
    figures.taps[1].volts = []
    let certificate = SampleCalibration.certificate(profile, figures: figures)
    for text in [certificate.html, certificate.text, certificate.json.text()] {
      let words = Set(text.lowercased().split { !$0.isLetter })
      #expect(!words.contains("nan"))
      #expect(!words.contains("inf"))
      #expect(!words.contains("infinity"))
    }
  }
}
