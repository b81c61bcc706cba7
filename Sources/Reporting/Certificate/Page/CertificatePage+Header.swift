import Acceptance
import Actuators
import Perception
import Profiles

extension CertificatePage {
  /// Writes the head of the page: which actuator, how good, the numbers that all ask for first.
  func writeHeader(to body: inout Markup) {
    body.writePageHeader(
      eyebrow: "Calibration certificate", of: profile.actuator.id, on: profile.rig,
      verdict: certificate.verdict, word: certificate.verdictWord, sentence: certificate.sentence,
      facts: headFacts)
  }

  private var headFacts: [HeadFact] {
    let (laws, source) = (profile.laws, profile.source)
    let uncertainty = profile.uncertainty
    return [
      ("Actuator", profile.actuator.model, profile.actuator.kind.rawValue),
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
    main.writeSection("verdicts", "Verdicts") { section in
      section.element("p", ["class": "tally"]) { tally in
        for verdict in [Verdict.pass, .fail, .marginal, .notMeasured] {
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
            .init("", verdict: goal.verdict),
            .init(
              goal.basis + (goal.limitedBy.map { "; limited by \($0)" } ?? "")
                + (goal.reason.map { "; not measured: \($0)" } ?? ""), style: "words"),
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
