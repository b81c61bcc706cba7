// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Calibration
import Perception
import Profiles
import Units

extension CertificatePage {
  func writeModel(to main: inout Markup) {
    main.writeSection("model", "Fitted model") { section in
      section.writeNote(kind, isWide: true)
      section.writeRows(
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
        section.writeRows(
          "Steady states", style: "fitted whole",
          ["Voltage, V#", "Speed, Hz#", "Acceleration, m/s² peak#"],
          curve.points.map { [.number($0.volts), .number($0.frequency), .number($0.acceleration)] })
      }
      guard !profile.model.levels.isEmpty else { return }
      section.writeRows(
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
      section.writeRows(
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

  func writeTable(to main: inout Markup) {
    main.writeSection("table", "Calibration table") { section in
      let grid = certificate.table.grid
      let sharpnesses = FeltGrid.sharpnesses
      section.writeRows(
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
    section.writeRows(
      "Inverse filter, gain \(Shown.number(inverse.gain)) \(unit)\(leak)",
      ["Section", "b0#", "b1, s#", "b2, s²#", "a0#", "a1, s#", "a2, s²#"],
      inverse.sections.enumerated().map { index, part in
        [Cell("\(index + 1)")] + polynomial(part.numerator) + polynomial(part.denominator)
      })
  }

  func writeCurves(to main: inout Markup) {
    let curves = plots.curves
    main.writeSection("curves", "Measured curves") { section in
      guard !curves.isEmpty else { return section.writeNote("No curve was kept.") }
      section.writePlots(curves)
    }
  }

  /// The share of J that the published differences leave open.
  private static func doubt(_ levelError: Double, _ frequencyRatio: Double) -> String {
    func j(_ difference: (JustNoticeable) -> Double) -> Double {
      JustNoticeable.consistency(
        levelError: levelError, frequencyRatio: frequencyRatio, by: difference)
    }
    return Shown.percent(JustNoticeable.uncertainty(of: j) / j(\.value), decimals: 0)
  }

  /// What the colours of the plane count.
  var reachNote: String {
    """
    Where it cannot do as asked, the frequency moves towards the resonance by at most 9 % and the level is \
    compressed, in the order of what is asked; a rotating mass takes the nearest point of its curve. J counts what \
    is left in just noticeable differences: \(EngineeringFormat.significant(JustNoticeable.level.value)) dB \
    and \(Shown.percent(JustNoticeable.frequency.value, decimals: 0)). Studies differ: of a J that is all \
    level \(Self.doubt(1, 1)) stays open, of one that is all frequency \
    \(Self.doubt(0, 1 + JustNoticeable.frequency.value)), alike for every actuator.
    """
  }

  func writeCeiling(to main: inout Markup) {
    guard let picture = plots.ceiling else { return }
    main.writeSection("ceiling", "What keeps it from being stronger") { section in
      section.writePlots([picture])
      writeCeilingTable(to: &section)
    }
  }

  private func writeCeilingTable(to section: inout Markup) {
    let points = profile.ceiling.points
    guard !points.isEmpty else { return }
    let mass = profile.actuator.mass
    let relative =
      profile.uncertainty.lines.isEmpty
      ? "" : " (U = \(Shown.percent(profile.uncertainty.expanded, decimals: 1)))"
    // A page has room for about two dozen rows; the file has them all.
    let stride = max(1, (points.count + 23) / 24)
    let shown = points.enumerated().filter { $0.offset % stride == 0 }.map(\.element)
    let part = stride > 1 ? ", \(shown.count) of \(points.count) frequencies" : ""
    section.writeRows(
      "Strongest steady vibration\(relative)\(part)",
      [
        "Frequency, Hz#", "Acceleration, m/s² peak#", "g peak#", "Force, N peak#",
        "Static moment, g·mm#", "Harmonics#", "Limited by",
      ],
      shown.map { point in
        let strength = Strength(point, mass: mass)
        return [
          .number(point.frequency), .number(point.acceleration),
          Cell(Shown.number(strength.gravities)), .number(strength.force),
          .number(strength.staticMoment),
          .number(point.distortion) { Shown.percent($0, decimals: 1) }, Cell(point.binding.words),
        ]
      })
    if mass == nil {
      section.writeNote("Force and static moment need the mass, which was not given.")
    }
  }

  func writeResiduals(to main: inout Markup) {
    main.writeSection("residuals", "Residuals") { section in
      guard let found = profile.verification else {
        return section.writeNote(
          "Nothing was measured with this profile: its reference level was changed, or the "
            + "calibration was not verified.")
      }
      let heldOut = found.grid.filter(\.isHeldOut)
      let inside = heldOut.filter(\.isInside)
      func row(
        _ name: String, _ spread: ProfileVerification.Spread?, _ shown: (Double) -> String
      ) -> [Cell] {
        let values = [spread?.rms, spread?.percentile95, spread?.greatest]
        return [Cell(name)]
          + values.map { $0 == nil ? Cell(Verdict.notMeasured.rawValue) : .number($0, shown) }
      }
      let levels = ProfileVerification.Spread(of: inside.map { $0.level - $0.targetLevel })
      let frequencies = ProfileVerification.Spread(
        of: inside.map { $0.frequency / $0.targetFrequency - 1 })
      section.writeRows(
        "Errors of the measured points that the actuator reaches", style: "fitted whole",
        ["Error", "rms#", "95 %#", "Greatest#"],
        [
          row("Level, all points", found.level) { Shown.decibels($0) },
          row("Level, \(inside.count) held-out points", levels) { Shown.decibels($0) },
          row("Frequency, all points", found.frequency) { Shown.percent($0) },
          row("Frequency, held-out points", frequencies) { Shown.percent($0) },
          row("Envelope of a held-out pattern", found.pattern?.envelope) { Shown.decibels($0) },
          row("Consistency index J", found.consistency) { Shown.fixed($0, 3, "JND") },
        ])
      let level = found.levelCrossTalk.map { Shown.decibels($0) } ?? Verdict.notMeasured.rawValue
      let frequency =
        found.frequencyCrossTalk.map { Shown.percent($0) } ?? Verdict.notMeasured.rawValue
      section.writeNote(
        "Cross-talk: level along sharpness \(level), frequency along intensity \(frequency).",
        isWide: true)
      writePoints("Points of the grid", found.grid.filter { !$0.isHeldOut }, to: &section)
      writePoints("Held-out points, to which nothing was fitted", heldOut, to: &section)
    }
  }

  private func writePoints(
    _ caption: String, _ points: [ProfileVerification.GridPoint], to section: inout Markup
  ) {
    guard !points.isEmpty else { return }
    func fixed(_ value: Double, _ decimals: Int) -> String { Shown.fixed(value, decimals, "") }
    section.writeRows(
      caption,
      [
        "Intensity", "Sharpness#", "Asked, dB#", "Measured, dB ± U#", "Error, dB#", "Asked, Hz#",
        "Measured, Hz#", "Error#", "Reached",
      ],
      points.map { point in
        let level = "\(fixed(point.level, 2)) ± \(fixed(point.uncertainty, 2))"
        return [
          Cell(Shown.number(point.intensity)), Cell(Shown.number(point.sharpness)),
          Cell(fixed(point.targetLevel, 2), value: point.targetLevel),
          Cell(level, value: point.level), Cell(fixed(point.level - point.targetLevel, 2)),
          Cell(fixed(point.targetFrequency, 1)),
          Cell(fixed(point.frequency, 1), value: point.frequency),
          Cell(Shown.percent(point.frequency / point.targetFrequency - 1)),
          Cell(point.isInside ? "as asked" : "mapped", style: point.isInside ? nil : "mapped"),
        ]
      })
  }

  func writeTaps(to main: inout Markup) {
    let taps = TapSummary(profile: profile, figures: certificate.figures).taps
    main.writeSection("taps", "Taps") { section in
      guard !taps.isEmpty else { return section.writeNote("No tap was measured.") }
      func place(_ level: Double?, _ frequency: Double?, _ isMapped: Bool = false) -> Cell {
        guard let level, let frequency else { return Cell("–") }
        return Cell(
          "\(Shown.fixed(level, 1, ""))\(isMapped ? " *" : "")", value: level,
          detail: Shown.fixed(frequency, 1, "Hz"), style: isMapped ? "mapped" : nil)
      }
      section.writeRows(
        "Taps as measured",
        [
          "Intensity", "Sharpness#", "Asked, dB#", "Wanted, dB#", "Peak, m/s²#", "Peak error#",
          "Energy, m²/s³#", "Energy error#", "Tail to -20 dB#", "Pulse to ring#",
        ],
        taps.map { tap in
          let asked = tap.asked
          return [
            Cell(Shown.number(tap.intensity)), Cell(Shown.number(tap.sharpness)),
            place(asked?.targetLevel, asked?.targetFrequency),
            place(asked?.wantedLevel, asked?.wantedFrequency, asked?.mapped ?? false),
            .number(tap.peak), .number(tap.peakError) { Shown.percent($0, decimals: 1) },
            .number(tap.energy), .number(tap.energyError) { Shown.decibels($0) },
            .number(tap.tail) { Shown.fixed(1e3 * $0, 1, "ms") },
            .number(tap.pulseToRing) { Shown.decibels($0, decimals: 1) },
          ]
        })
      section.writeNote(
        """
        Asked is what the laws ask for, wanted what the actuator can give of it, both at the tap's start \
        in dB above threshold; * mapped by more than a quarter of a just noticeable difference. Errors are \
        against what is wanted. The peak is the waveform's, 10 Hz to 2.5 kHz. The tail counts from the \
        intended end, braking included, until the envelope stays 20 dB below its peak; below zero it did \
        so before. The pulse-to-ring ratio compares the energy up to the end of the pulse with that of the \
        ring after it, both less that of the noise; a dash stands where noise hides it.
        """, isWide: true)
      section.writePlots(plots.taps)
    }
  }
}

extension ReachableCeiling.Binding {
  var words: String {
    switch self {
    case .peak: "peak voltage"
    case .continuous: "continuous voltage"
    case .thermal: "thermal budget"
    case .thd: "harmonics"
    case .noise: "noise"
    case .endstop: "end stop"
    case .curve: "one state a speed"
    }
  }
}
