// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Calibration
import Perception
import Profiles
import Units

/// A certificate as a page, in the order in which a reader asks: what can it do, how well, of what, how sure.
struct CertificatePage {
  let certificate: Certificate

  var profile: CalibrationProfile { certificate.profile }
  var plots: CertificatePlots { CertificatePlots(certificate: certificate) }

  var text: String {
    Markup.page(
      title: "Certificate of \(profile.actuator.id)", generator: profile.source.program,
      style: StyleSheet.page + StyleSheet.certificate + StyleSheet.plot + StyleSheet.print,
      skip: (target: "reach", text: "Skip to what it can do")
    ) { body in
      body.writePageHeader(
        eyebrow: "Calibration certificate", of: profile.actuator.id, on: profile.rig,
        verdict: certificate.verdict, word: certificate.shownVerdict,
        sentence: certificate.sentence, facts: headFacts,
        terms: [
          "Intensity 1 is": .referenceLevel, "Sharpness 0 to 1 is": .sharpnessLaw,
          "Reaches as asked": .grid, "Uncertainty of acceleration": .expanded,
        ])
      body.element("main") { main in
        writeReach(to: &main)
        writeVerdicts(to: &main)
        writeSubject(to: &main)
        writeModel(to: &main)
        writeUncertainty(to: &main)
        writeCurves(to: &main)
        writeCeiling(to: &main)
        writeTable(to: &main)
        writeResiduals(to: &main)
        writeTaps(to: &main)
        main.writeSection("limits", "Validity, conditions and limits of the method") {
          $0.writeList("notes", Self.validity + Self.limits)
        }
        writeSource(to: &main)
        main.writeSection("words", "What the words mean") {
          $0.writeMeanings(of: Certificate.terms)
        }
      }
    }
  }

  private var headFacts: [HeadFact] {
    let (laws, source, uncertainty) = (profile.laws, profile.source, profile.uncertainty)
    let level = Shown.number(laws.referenceLevel)
    let ends = [0, 1].map { Shown.number(laws.sharpness.frequency(of: $0)) }
    let table = certificate.table
    return [
      ("Actuator", profile.actuator.model, profile.actuator.kind.words),
      ("Date", source.date, "run \(source.run)"),
      (
        "Reaches as asked", "\(table.reachedCount) of \(table.grid.count) points",
        "of intensity and sharpness"
      ),
      (
        "Intensity 1 is", "\(level) dB above the threshold of feeling",
        "law \(laws.intensity.name), threshold \(laws.contour.name)"
      ),
      ("Sharpness 0 to 1 is", "\(ends[0]) to \(ends[1]) Hz", "law \(laws.sharpness.name)"),
      (
        "Uncertainty of acceleration",
        uncertainty.lines.isEmpty
          ? Shown.notKnown : Shown.percent(uncertainty.expanded, decimals: 1), "expanded, k = 2"
      ),
    ]
  }

  private func writeReach(to main: inout Markup) {
    main.writeSection("reach", "What it can do") { section in
      let strength = certificate.strength.map {
        "Strongest: \($0.replacing("m/s2", with: "m/s²"))."
      }
      section.element(
        "p", ["class": "outcome"],
        text: "Does as asked at \(certificate.table.reachedWords). \(strength ?? "")")
      section.element("div", ["class": "plots"]) { grid in
        if let reach = plots.reach { grid.writeFigure(reach) }
        grid.element("figure") { figure in
          PlanePicture(
            sheet: certificate.table, verified: profile.verification?.grid ?? []
          ).write(to: &figure)
        }
      }
      section.writeNote(reachNote, isWide: true)
    }
  }

  private func writeVerdicts(to main: inout Markup) {
    main.writeSection("verdicts", "How well it does it") { section in
      section.writePlots(plots.errors)
      section.writeTally(
        [Verdict.pass, .fail, .marginal, .notMeasured].map { verdict in
          (certificate.goals.count { $0.verdict == verdict }, Shown.word(of: verdict))
        })
      section.writeRows(
        "Goals", ["Goal", "Achieved#", "Aim#", "Verdict", "Basis"],
        certificate.goals.map { goal in
          let basis =
            goal.basis + (goal.limitedBy.map { "; limited by \($0)" } ?? "")
            + (goal.reason.map { "; not measured: \($0)" } ?? "")
          return [
            Cell(goal.name), Cell(goal.shownValue, value: goal.value), Cell(goal.shownLimit),
            Cell(goal.verdict, as: Shown.word(of: goal.verdict)), Cell(basis, style: "words"),
          ]
        })
      section.writeList("notes", title: "Notes", certificate.notes)
    }
  }

  private typealias Facts = [(term: String, value: String)]

  private func writeSubject(to main: inout Markup) {
    main.writeSection("subject", "What was measured, how and on what") { section in
      section.writeColumns([("What", what), ("How", how), ("Laws", laws), ("On what", conditions)])
    }
  }

  private var what: Facts {
    let (actuator, limits) = (profile.actuator, profile.actuator.limits)
    return [
      ("actuator", actuator.id), ("type", actuator.model), ("kind", actuator.kind.words),
      ("rig", profile.rig),
      ("drive", "\(Shown.number(limits.continuousVolts)) Vrms that may last"),
      ("peak", "\(Shown.number(limits.peakVolts)) V at any moment"),
      ("slope", limits.slope.map { "\(Shown.number($0 / 1e3)) V/ms" } ?? "no limit"),
      ("thermal time", "\(Shown.number(limits.thermalTime)) s"),
    ]
  }

  private var how: Facts {
    let figures = certificate.figures
    var facts: Facts = certificate.method.map { ($0, $1) }
    if !figures.responses.isEmpty {
      facts.append(("sweeps", figures.responses.map(\.label).joined(separator: ", ")))
      let places = figures.responses.flatMap(\.x).filter(\.isFinite)
      if let low = places.min(), let high = places.max() {
        facts.append(("swept band", "\(Shown.number(low)) to \(Shown.number(high)) Hz"))
      }
    }
    if !figures.motor.isEmpty {
      facts.append(("steady voltages", "\(profile.motorCurve?.points.count ?? 0)"))
    }
    let found = profile.verification?.grid ?? []
    let heldOut = found.count(where: \.isHeldOut)
    let tones = "\(found.count - heldOut) of the grid, \(heldOut) held out"
    let taps = max(figures.taps.count, profile.verification?.taps.count ?? 0)
    let scatter = figures.delayScatter.map {
      Shown.typeset(EngineeringFormat.text($0, .second, finest: MeasurementUnit.second.finest))
        + " within a segment at most, one standard deviation"
    }
    let clock = figures.clockOffset.map {
      "\(Shown.fixed(abs($0), 2, "ppm")) \($0 < 0 ? "behind" : "ahead of") the drive's, taken out"
    }
    facts += [
      ("verified tones", found.isEmpty ? "none" : tones),
      ("verified taps", taps == 0 ? "none" : "\(taps)"),
      ("delay's scatter", scatter ?? Shown.word(of: .notMeasured)),
      ("capture's clock", clock ?? Shown.word(of: .notMeasured)),
    ]
    if let sensor = profile.uncertainty.lines.first(where: { $0.name.hasPrefix("sensor") }) {
      let share = Shown.percent(sensor.relative)
      facts.append(("sensor's share", "\(share) of acceleration, standard"))
    }
    return facts
  }

  private var laws: Facts {
    let laws = profile.laws
    let (low, high) = (laws.sharpness.frequency(of: 0), laws.sharpness.frequency(of: 1))
    let floor = "\(Shown.number(laws.floorLevel)) dB above threshold"
    return [
      ("intensity", laws.intensity.name), ("sharpness", laws.sharpness.name),
      ("frequencies", "\(Shown.number(low)) to \(Shown.number(high)) Hz"),
      ("contour", laws.contour.name),
      ("reference level", "\(Shown.number(laws.referenceLevel)) dB above threshold"),
      ("weakest level", laws.intensity == .aosp ? "none under this law" : floor),
    ]
  }

  private var conditions: Facts {
    let found = profile.conditions
    func given(_ text: String?) -> String { text ?? Shown.notGiven }
    return [
      ("mass", given(profile.actuator.mass.map { "\(Shown.number(1e3 * $0)) g" })),
      ("mount", given(found.mount)), ("axis", given(found.axis)),
      ("contact", given(profile.actuator.contact)),
      ("orientation", Shown.word(of: .notMeasured)), ("supply", Shown.word(of: .notMeasured)),
      ("temperature", given(profile.actuator.temperature.map { "\(Shown.number($0)) °C" })),
      ("driven from", given(found.source)),
      ("audio to haptic", "not measured here: 'haprig latency' and runs do"),
    ]
  }

  private static let validity = [
    "The numbers hold for this piece, on this mass and mount, at this temperature and contact, driven "
      + "from this source; another source impedance changes Q, another mass scales the acceleration.",
    "They hold within the drive limits named above and for levels up to the ceiling; taps may go "
      + "beyond the ceiling for as long as the thermal limit lets them.",
    "Calibrate again after a remount, a repair or a change of temperature by more than 10 K (about "
      + "0.3 dB for a coil), or when the quick check tells of drift.",
  ]

  private static let limits = [
    "Thresholds are medians of people with a certain contact; between a small probe and a whole "
      + "hand they differ by 10 to 18 dB.",
    "Counting levels above threshold is well founded near threshold. At 30 to 40 dB above it, equal "
      + "velocity may describe better what feels equal: 5 dB of difference at 80 Hz.",
    "Apple does not publish what sharpness is; the law named above is a choice, and one frequency for "
      + "it is a simplification that bends near 100 Hz.",
    "No person took part: that two actuators feel the same is predicted from acceleration, not proven. "
      + "A paired comparison by people would prove it.",
    "Acceleration is taken at the sensor. A hand that holds the device adds mass and damping that this "
      + "measurement does not have.",
  ]

  private func writeSource(to main: inout Markup) {
    let source = profile.source
    main.writeSection("source", "Source") { section in
      section.writeTerms(
        "list",
        [
          ("run", source.run),
          ("hash of the recordings", source.hash.isEmpty ? Shown.notGiven : source.hash),
          ("program", source.program), ("date", source.date), ("computer", certificate.host),
        ])
      guard !certificate.recordings.isEmpty else { return }
      section.writeRows(
        "Recordings", style: "", ["File", "SHA-256"],
        certificate.recordings.map { [Cell($0.name), Cell($0.hash, style: "hash")] })
    }
  }
}

extension CertificatePage {
  typealias Cell = PageTable.Cell
}

extension PageTable.Cell {
  /// A number as people read it, a dash where there is none.
  static func number(
    _ value: Double?, _ shown: (Double) -> String = Shown.number
  ) -> PageTable.Cell {
    value.map { PageTable.Cell(shown($0), value: $0) } ?? PageTable.Cell("–")
  }
}

extension Markup {
  /// Writes a table of a certificate, which no page break parts where its style has `whole`; one that is
  /// `fitted` is no wider than it must be.
  mutating func writeRows(
    _ caption: String, style: String = "whole", _ titles: [String], _ rows: [[PageTable.Cell]]
  ) {
    PageTable(
      caption: caption, style: style,
      columns: titles.map { PageTable.Column(marked: $0, text: "text") }, rows: rows,
      hasLines: true
    ).write(to: &self)
  }

  mutating func writePlots(_ plots: [Plot]) {
    guard !plots.isEmpty else { return }
    element("div", ["class": "plots"]) { grid in
      for plot in plots {
        grid.writeFigure(plot)
        grid.breakLine()
      }
    }
  }
}

extension Certificate {
  package var html: String { CertificatePage(certificate: self).text }
}
