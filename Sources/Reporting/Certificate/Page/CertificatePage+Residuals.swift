import Acceptance
import Perception
import Profiles

extension CertificatePage {
  /// Writes what the profile makes of intensity and sharpness, and the inverse filter.
  func writeTable(to main: inout Markup) {
    main.writeSection("table", "Calibration table") { section in
      let grid = certificate.table.grid
      let sharpnesses = FeltGrid.sharpnesses
      CertificateTable(
        caption: "Steady peak voltage and frequency by intensity (rows) and sharpness (columns)",
        head: ["Intensity"] + sharpnesses.map { "\(Shown.number($0))#" },
        rows: FeltGrid.intensities.enumerated().map { row, intensity in
          [.init(Shown.number(intensity))]
            + sharpnesses.indices.map { column in
              let command = grid[row * sharpnesses.count + column].command
              let isInside = command.mapping.isInside
              return .init(
                "\(Shown.fixed(command.volts, 3, "V"))\(isInside ? "" : " *")",
                detail: Shown.fixed(command.frequency, 1, "Hz"), style: isInside ? "" : "mapped")
            }
        }
      ).write(to: &section)
      section.element(
        "p", ["class": "note"],
        text: "* mapped to what the actuator can do, by more than a quarter of a just noticeable "
          + "difference.")
      writeInverse(to: &section)
    }
  }

  private func writeInverse(to section: inout Markup) {
    let inverse = profile.feedForward
    guard !inverse.sections.isEmpty else { return }
    func polynomial(_ p: FeedForward.Polynomial) -> [CertificateTable.Cell] {
      [p.c0, p.c1, p.c2].map { .init(Shown.number($0), value: $0) }
    }
    let unit = profile.motorCurve == nil ? "V per m/s²" : "V per V"
    // A motor's inverse has no rise towards low frequencies that would have to end.
    let leak = inverse.leak > 0 ? ", rise ends below \(Shown.number(inverse.leak)) Hz" : ""
    CertificateTable(
      caption: "Inverse filter, gain \(Shown.number(inverse.gain)) \(unit)\(leak)",
      head: ["Section", "b0#", "b1, s#", "b2, s²#", "a0#", "a1, s#", "a2, s²#"],
      rows: inverse.sections.enumerated().map { index, part in
        [.init("\(index + 1)")] + polynomial(part.numerator) + polynomial(part.denominator)
      }
    ).write(to: &section)
  }

  /// Writes what is left between what is asked and what was measured.
  func writeResiduals(to main: inout Markup) {
    main.writeSection("residuals", "Residuals") { section in
      guard let found = profile.verification else {
        section.element(
          "p", ["class": "note"],
          text: "Nothing was measured with this profile: its reference level was changed, or the "
            + "calibration was not verified.")
        return
      }
      let heldOut = found.grid.filter(\.isHeldOut)
      let inside = heldOut.filter(\.isInside)
      func row(
        _ name: String, _ spread: ProfileVerification.Spread?, _ shown: (Double) -> String
      ) -> [CertificateTable.Cell] {
        let values = [spread?.rms, spread?.percentile95, spread?.greatest]
        return [.init(name)]
          + values.map { value in
            value.map { .init(shown($0), value: $0) } ?? .init(Verdict.notMeasured.rawValue)
          }
      }
      CertificateTable(
        caption: "Errors of the measured points that the actuator reaches",
        head: ["Error", "rms#", "95 %#", "Greatest#"],
        rows: [
          row("Level, all points", found.level) { Shown.decibels($0) },
          row(
            "Level, \(inside.count) held-out points",
            .init(of: inside.map { $0.level - $0.targetLevel })
          ) { Shown.decibels($0) },
          row("Frequency, all points", found.frequency) { Shown.percent($0) },
          row(
            "Frequency, held-out points",
            .init(of: inside.map { $0.frequency / $0.targetFrequency - 1 })
          ) { Shown.percent($0) },
          row("Envelope of a held-out pattern", found.pattern?.envelope) { Shown.decibels($0) },
          row("J, just noticeable differences", found.consistency) { Shown.fixed($0, 3, "JND") },
        ], isNarrow: true
      ).write(to: &section)
      section.element("p", ["class": "note wide"], text: crossTalk(found))
      section.writePlots(CertificatePlots(certificate: certificate).errors)
      writePoints("Points of the grid", found.grid.filter { !$0.isHeldOut }, to: &section)
      writePoints("Held-out points, to which nothing was fitted", heldOut, to: &section)
    }
  }

  private func crossTalk(_ found: ProfileVerification) -> String {
    let level = found.levelCrossTalk.map { Shown.decibels($0) } ?? Verdict.notMeasured.rawValue
    let frequency =
      found.frequencyCrossTalk.map { Shown.percent($0) } ?? Verdict.notMeasured.rawValue
    return "Cross-talk: level along sharpness \(level), frequency along intensity \(frequency)."
  }

  private func writePoints(
    _ caption: String, _ points: [ProfileVerification.GridPoint], to section: inout Markup
  ) {
    guard !points.isEmpty else { return }
    CertificateTable(
      caption: caption,
      head: [
        "Intensity", "Sharpness#", "Asked, dB#", "Measured, dB ± U#", "Error, dB#", "Asked, Hz#",
        "Measured, Hz#", "Error#", "Reached",
      ],
      rows: points.map { point in
        [
          .init(Shown.number(point.intensity)), .init(Shown.number(point.sharpness)),
          .init(Shown.fixed(point.targetLevel, 2, ""), value: point.targetLevel),
          .init(
            "\(Shown.fixed(point.level, 2, "")) ± \(Shown.fixed(point.uncertainty, 2, ""))",
            value: point.level),
          .init(Shown.fixed(point.level - point.targetLevel, 2, "")),
          .init(Shown.fixed(point.targetFrequency, 1, "")),
          .init(Shown.fixed(point.frequency, 1, ""), value: point.frequency),
          .init(Shown.percent(point.frequency / point.targetFrequency - 1)),
          .init(point.isInside ? "as asked" : "mapped", style: point.isInside ? "" : "mapped"),
        ]
      }
    ).write(to: &section)
  }
}
