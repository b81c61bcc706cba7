import Acceptance
import Actuators
import Units

extension HTMLPage {
  /// Writes the head of the page: what was run on what, and how it came out.
  func writeHeader(to body: inout Markup) {
    body.writePageHeader(
      eyebrow: "haprig run \(record.header.folder)", of: record.plan.name, on: record.rig.name,
      verdict: summary.shownVerdict, word: record.verdict.rawValue, sentence: summary.sentence,
      facts: headFacts
    ) { header in
      writeVerdicts(to: &header)
      guard let interruption = summary.interruption else { return }
      header.element("p", ["class": "alert", "role": "note"]) { alert in
        alert.element("strong", text: record.run.status.rawValue)
        alert.write(" \(interruption)")
      }
    }
  }

  /// Writes the verdicts on rig, timing and feel side by side, each with what made it so.
  private func writeVerdicts(to header: inout Markup) {
    header.element("ul", ["class": "verdicts", "aria-label": "Verdicts"]) { list in
      for aspect in summary.verdicts {
        list.element("li") { item in
          item.writeBadge(
            aspect.verdict.verdict, as: aspect.verdict.word, of: aspect.title,
            title: "\(aspect.title): \(aspect.reason)")
          item.element("p", text: aspect.reason)
        }
      }
    }
  }

  private var headFacts: [HeadFact] {
    let run = record.run
    let plays = "each pattern \(Count.of(record.plan.repeats, "time"))"
    return [
      (
        "Rig", record.rig.name,
        "\(record.rig.device), \(EngineeringFormat.text(record.rig.rate, .hertz))"
      ),
      (
        "Actuator", record.actuator.id, "\(record.actuator.model), \(record.actuator.kind.rawValue)"
      ),
      (
        "Plan", record.plan.name, "\(plays), \(Count.of(record.plan.limits.count, "limit"))"
      ),
      (
        "Date", record.header.date,
        "\(record.header.host), took \(Shown.seconds(record.header.duration))"
      ),
      (
        "Calibration", String(run.calibration.prefix { $0 != "," }),
        "intensity 1 is \(EngineeringFormat.text(run.referenceLevel, .decibel)) above threshold"
      ),
      (
        "Laws",
        [run.laws["intensity"], run.laws["sharpness"]].compactMap(\.self).joined(separator: ", "),
        "intensity, sharpness"
      ),
      ("Software", run.software, "seed \(run.seed)"),
    ].filter { !$0.1.isEmpty }
  }
}
