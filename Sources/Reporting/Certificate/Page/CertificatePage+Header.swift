import Acceptance
import Perception
import Profiles

extension CertificatePage {
  /// Writes the head of the page: which actuator, how good, the numbers that all ask for first.
  func writeHeader(to body: inout Markup) {
    let verdict = certificate.verdict
    body.element("header") { header in
      header.element("p", ["class": "eyebrow"], text: "Calibration certificate")
      header.element("div", ["class": "title"]) { title in
        title.element("h1") { h1 in
          h1.write(profile.actuator.id)
          h1.element("span", ["class": "on"], text: " on ")
          h1.write(profile.actuator.rig)
        }
        title.element(
          "span", ["class": "badge \(verdict == .notMeasured ? "missing" : verdict.rawValue) large"]
        ) { badge in
          badge.element("span", ["aria-hidden": "true"], text: Shown.sign(of: verdict))
          badge.write(" \(certificate.verdictWord)")
        }
      }
      header.element("p", ["class": "sentence"], text: certificate.sentence)
      header.element("dl", ["class": "facts"]) { facts in
        for (term, value, detail) in headFacts {
          facts.element("div") { fact in
            fact.element("dt", text: term)
            fact.element("dd") { dd in
              dd.write(value)
              if !detail.isEmpty { dd.element("span", ["class": "detail"], text: detail) }
            }
          }
        }
      }
    }
    body.breakLine()
  }

  private var headFacts: [(term: String, value: String, detail: String)] {
    let (laws, source) = (profile.laws, profile.source)
    let uncertainty = profile.uncertainty
    return [
      ("Actuator", profile.actuator.model, profile.actuator.kind),
      ("Date", source.date, "run \(source.run)"),
      (
        "Reference level", "\(Shown.number(laws.referenceLevel)) dB above threshold",
        "intensity 1, contour \(laws.contour.name)"
      ),
      (
        "Laws", "\(laws.intensity.name), \(laws.sharpness.name)", "intensity, sharpness"
      ),
      (
        "Reached as asked",
        "\(certificate.table.reachedCount) of \(certificate.table.grid.count) points",
        "of the grid, under this reference level"
      ),
      (
        "Uncertainty of acceleration",
        uncertainty.lines.isEmpty
          ? Shown.notKnown : Shown.percent(uncertainty.expanded, decimals: 1), "expanded, k = 2"
      ),
    ]
  }

  /// Writes what was aimed at beside what was achieved, and what a person should know.
  func writeVerdicts(to main: inout Markup) {
    writeSection("verdicts", "Verdicts", to: &main) { section in
      section.element("p", ["class": "tally"]) { tally in
        for verdict in [Verdict.pass, .fail, .notMeasured] {
          let count = certificate.goals.count { $0.verdict == verdict }
          tally.element("span") { item in
            item.element("b", text: "\(count)")
            item.write(" \(Shown.word(of: verdict))")
          }
        }
      }
      CertificateTable(
        caption: "Goals", head: ["Goal", "Achieved#", "Aim#", "Verdict", "Basis"],
        rows: certificate.goals.map { goal in
          [
            .init(goal.name), .init(goal.shownValue, value: goal.value), .init(goal.shownLimit),
            .init("", verdict: goal.verdict), .init(goal.basis, style: "words"),
          ]
        }
      ).write(to: &section)
      if !certificate.notes.isEmpty {
        section.element("h3", text: "Notes")
        section.element("ul", ["class": "notes"]) { list in
          for note in certificate.notes { list.element("li", text: note) }
        }
      }
    }
  }
}
