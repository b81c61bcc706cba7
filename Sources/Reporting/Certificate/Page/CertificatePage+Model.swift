import Profiles
import Units

extension CertificatePage {
  /// Writes the fitted model and how it moves with level.
  func writeModel(to main: inout Markup) {
    main.writeSection("model", "Fitted model") { section in
      section.element("p", ["class": "note wide"], text: kind)
      CertificateTable(
        caption: "Model at small signal",
        head: [
          "Quantity", "Symbol", "Value#", "Standard#", "Expanded, k = 2#", "Relative#", "Unit",
        ],
        rows: ModelRow.all(of: profile).map { row in
          let text = QuantityText(row.quantity)
          return [
            .init(row.name), .init(row.symbol), .init(text.value, value: row.quantity.value),
            .init(text.standard, value: row.quantity.uncertainty), .init(text.expanded),
            .init(text.relative), .init(text.typesetUnit),
          ]
        }
      ).write(to: &section)
      writeMotor(to: &section)
      writeLevels(to: &section)
    }
  }

  private var kind: String {
    let misfit = "It leaves \(Shown.percent(profile.model.misfit)) of the response unexplained."
    return switch profile.model.kind {
    case .resonator: "One resonance between volts and acceleration. \(misfit)"
    case .modes: "Two resonances between volts and acceleration. \(misfit)"
    case .piezo:
      "A piezo: acceleration grows with the square of frequency over the band. \(misfit)"
    case .erm: "A rotating mass on a steady voltage: speed and force are one curve. \(misfit)"
    }
  }

  private func writeMotor(to section: inout Markup) {
    guard let curve = profile.motorCurve else { return }
    section.element(
      "p", ["class": "note"],
      text: "It starts from rest at \(Shown.number(curve.startVolts)) V.")
    CertificateTable(
      caption: "Steady states", head: ["Voltage, V#", "Speed, Hz#", "Acceleration, m/s² peak#"],
      rows: curve.points.map { point in
        [
          .init(Shown.number(point.volts), value: point.volts),
          .init(Shown.number(point.frequency), value: point.frequency),
          .init(Shown.number(point.acceleration), value: point.acceleration),
        ]
      }, isNarrow: true
    ).write(to: &section)
  }

  private func writeLevels(to section: inout Markup) {
    guard !profile.model.levels.isEmpty else { return }
    CertificateTable(
      caption: "Dependence on level (± expanded, k = 2)",
      head: ["Drive, V peak#", "f0, Hz#", "Q#", "Gain, m/s² per V#"],
      rows: profile.model.levels.map { level in
        [.init(Shown.number(level.drive), value: level.drive)]
          + [level.mode.f0, level.mode.q, level.mode.gain].map { quantity in
            let text = QuantityText(quantity)
            return .init(
              text.expanded == Shown.notKnown ? text.value : "\(text.value) ± \(text.expanded)",
              value: quantity.value)
          }
      }, isNarrow: true
    ).write(to: &section)
  }

  /// Writes the budget of uncertainty.
  func writeUncertainty(to main: inout Markup) {
    let budget = profile.uncertainty
    main.writeSection("uncertainty", "Uncertainty budget") { section in
      guard !budget.lines.isEmpty else {
        section.element("p", ["class": "note"], text: "No budget was made.")
        return
      }
      func freedom(_ value: Double?) -> CertificateTable.Cell {
        guard let value, value.isFinite else { return .init("∞") }
        return .init(EngineeringFormat.fixed(value, 0), value: value)
      }
      let variance = budget.combined * budget.combined
      CertificateTable(
        caption: "Relative contributions to an acceleration (GUM)",
        head: [
          "Contribution", "Type", "Standard, relative#", "Share of variance#",
          "Degrees of freedom#",
        ],
        rows: budget.lines.map { line in
          [
            .init(line.name), .init(line.evaluation.rawValue),
            .init(Shown.percent(line.relative, decimals: 3), value: line.relative),
            .init(
              variance > 0
                ? Shown.percent(line.relative * line.relative / variance, decimals: 0) : ""),
            freedom(line.degreesOfFreedom),
          ]
        } + [
          [
            .init("Combined standard uncertainty"), .init(""),
            .init(Shown.percent(budget.combined, decimals: 3), value: budget.combined),
            .init(variance > 0 ? "100 %" : ""), freedom(budget.degreesOfFreedom),
          ],
          [
            .init("Expanded uncertainty U, k = 2"), .init(""),
            .init(Shown.percent(budget.expanded, decimals: 3), value: budget.expanded), .init(""),
            .init(""),
          ],
        ]
      ).write(to: &section)
      section.element(
        "p", ["class": "note wide"],
        text: "The contributions are taken as independent; the combined one is the root of the sum "
          + "of squares, its degrees of freedom are by Welch and Satterthwaite. k = 2 covers about "
          + "95 % of a normal distribution.")
    }
  }
}
