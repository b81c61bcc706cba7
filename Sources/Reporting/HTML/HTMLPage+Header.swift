import Acceptance
import Units

extension HTMLPage {
  /// Writes the head of the page: what was run on what, and how it came out.
  func writeHeader(to body: inout Markup) {
    body.element("header") { header in
      header.element("p", ["class": "eyebrow"], text: "haprig run \(record.header.folder)")
      header.element("div", ["class": "title"]) { title in
        title.element("h1") { h1 in
          h1.write(record.plan.name)
          h1.element("span", ["class": "on"], text: " on ")
          h1.write(record.rig.name)
        }
        title.writeBadge(record.verdict, large: true)
      }
      if let interruption = summary.interruption {
        header.element("p", ["class": "alert", "role": "note"]) { alert in
          alert.element("strong", text: record.run.status.rawValue)
          alert.write(" \(interruption)")
        }
      }
      header.element("p", ["class": "sentence"], text: summary.sentence)
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
    let run = record.run
    let plays = "each pattern \(RunSummary.count(record.plan.repeats, "time"))"
    return [
      (
        "Rig", record.rig.name,
        "\(record.rig.device), \(EngineeringFormat.text(record.rig.rate, .hertz))"
      ),
      ("Actuator", record.actuator.id, "\(record.actuator.model), \(record.actuator.kind)"),
      (
        "Plan", record.plan.name, "\(plays), \(RunSummary.count(record.plan.limits.count, "limit"))"
      ),
      (
        "Date", record.header.date,
        "\(record.header.host), took \(Shown.seconds(record.header.duration))"
      ),
      (
        "Calibration", run.calibration,
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
