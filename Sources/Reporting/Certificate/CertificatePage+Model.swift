import Perception
import Profiles
import Units

extension CertificatePage {
  func writeModel(to main: inout Markup) {
    main.writeSection("model", "Fitted model") { section in
      section.writeNote(kind, isWide: true)
      section.writeTable(
        "Model at small signal",
        ["Quantity", "Symbol", "Value#", "Standard#", "Expanded, k = 2#", "Relative#", "Unit"],
        ModelRow.all(of: profile).map { row in
          let text = QuantityText(row.quantity)
          return [
            Cell(row.name), Cell(row.symbol), Cell(text.value, value: row.quantity.value),
            Cell(text.standard, value: row.quantity.uncertainty), Cell(text.expanded),
            Cell(text.relative), Cell(text.typesetUnit),
          ]
        })
      if let curve = profile.motorCurve {
        section.writeNote("It starts from rest at \(Shown.number(curve.startVolts)) V.")
        section.writeTable(
          "Steady states", style: "fitted whole",
          ["Voltage, V#", "Speed, Hz#", "Acceleration, m/s² peak#"],
          curve.points.map { [.number($0.volts), .number($0.frequency), .number($0.acceleration)] }
        )
      }
      guard !profile.model.levels.isEmpty else { return }
      section.writeTable(
        "Dependence on level (± expanded, k = 2)", style: "fitted whole",
        ["Drive, V peak#", "f0, Hz#", "Q#", "Gain, m/s² per V#"],
        profile.model.levels.map { level in
          [.number(level.drive)]
            + [level.mode.f0, level.mode.q, level.mode.gain].map { quantity in
              let text = QuantityText(quantity)
              let isKnown = text.expanded != Shown.notKnown
              return Cell(
                isKnown ? "\(text.value) ± \(text.expanded)" : text.value, value: quantity.value)
            }
        })
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

  func writeUncertainty(to main: inout Markup) {
    let budget = profile.uncertainty
    main.writeSection("uncertainty", "Uncertainty budget") { section in
      guard !budget.lines.isEmpty else { return section.writeNote("No budget was made.") }
      func relative(_ value: Double) -> Cell { .number(value) { Shown.percent($0, decimals: 3) } }
      func freedom(_ value: Double?) -> Cell {
        guard let value, value.isFinite else { return Cell("∞") }
        return Cell(EngineeringFormat.fixed(value, 0), value: value)
      }
      let variance = budget.combined * budget.combined
      var rows = budget.lines.map { line in
        let share = Shown.percent(line.relative * line.relative / variance, decimals: 0)
        return [
          Cell(line.name), Cell(line.evaluation.rawValue), relative(line.relative),
          Cell(variance > 0 ? share : ""), freedom(line.degreesOfFreedom),
        ]
      }
      rows.append([
        Cell("Combined standard uncertainty"), Cell(""), relative(budget.combined),
        Cell(variance > 0 ? "100 %" : ""), freedom(budget.degreesOfFreedom),
      ])
      rows.append([
        Cell("Expanded uncertainty U, k = 2"), Cell(""), relative(budget.expanded), Cell(""),
        Cell(""),
      ])
      section.writeTable(
        "Relative contributions to an acceleration (GUM)",
        [
          "Contribution", "Type", "Standard, relative#", "Share of variance#",
          "Degrees of freedom#",
        ], rows)
      section.writeNote(
        """
        The contributions are taken as independent; the combined one is the root of the sum of squares, \
        its degrees of freedom are by Welch and Satterthwaite. k = 2 covers about 95 % of a normal \
        distribution.
        """, isWide: true)
    }
  }

  /// Writes what the profile makes of intensity and sharpness, and the inverse filter.
  func writeTable(to main: inout Markup) {
    main.writeSection("table", "Calibration table") { section in
      let grid = certificate.table.grid
      let sharpnesses = FeltGrid.sharpnesses
      section.writeTable(
        "Steady peak voltage and frequency by intensity (rows) and sharpness (columns)",
        ["Intensity"] + sharpnesses.map { "\(Shown.number($0))#" },
        FeltGrid.intensities.enumerated().map { row, intensity in
          [Cell(Shown.number(intensity))]
            + sharpnesses.indices.map { column in
              let command = grid[row * sharpnesses.count + column].command
              let isInside = command.mapping.isInside
              return Cell(
                "\(Shown.fixed(command.volts, 3, "V"))\(isInside ? "" : " *")",
                detail: Shown.fixed(command.frequency, 1, "Hz"), style: isInside ? nil : "mapped")
            }
        })
      section.writeNote(
        "* mapped to what the actuator can do, by more than a quarter of a just noticeable difference."
      )
      writeInverse(to: &section)
    }
  }

  private func writeInverse(to section: inout Markup) {
    let inverse = profile.feedForward
    guard !inverse.sections.isEmpty else { return }
    func polynomial(_ p: FeedForward.Polynomial) -> [Cell] {
      [.number(p.c0), .number(p.c1), .number(p.c2)]
    }
    let unit = profile.motorCurve == nil ? "V per m/s²" : "V per V"
    // A motor's inverse has no rise towards low frequencies that would have to end.
    let leak = inverse.leak > 0 ? ", rise ends below \(Shown.number(inverse.leak)) Hz" : ""
    section.writeTable(
      "Inverse filter, gain \(Shown.number(inverse.gain)) \(unit)\(leak)",
      ["Section", "b0#", "b1, s#", "b2, s²#", "a0#", "a1, s#", "a2, s²#"],
      inverse.sections.enumerated().map { index, part in
        [Cell("\(index + 1)")] + polynomial(part.numerator) + polynomial(part.denominator)
      })
  }
}
