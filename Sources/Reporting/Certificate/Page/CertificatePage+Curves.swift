import Actuators
import Calibration
import Profiles

extension CertificatePage {
  /// Writes the measured curves as pictures.
  func writeCurves(to main: inout Markup) {
    let plots = CertificatePlots(certificate: certificate).all
    main.writeSection("curves", "Measured curves") { section in
      guard !plots.isEmpty else {
        section.element("p", ["class": "note"], text: "No curve was kept.")
        return
      }
      section.writePlots(plots)
    }
  }

  /// Writes what can be reached, as a picture of the plane and as numbers over frequency.
  func writeRegion(to main: inout Markup) {
    main.writeSection("region", "Reachable region") { section in
      section.element(
        "p", ["class": "note wide"],
        text:
          "The actuator does as asked at \(certificate.table.reachedWords). Where it cannot, the "
          + "frequency moves towards the resonance by at most 9 % and the level is "
          + "compressed, in the order of what is asked; a rotating mass takes the nearest point of its "
          + "curve. J counts what is left in just noticeable differences.")
      section.element("div", ["class": "plots"]) { grid in
        grid.element("figure") { figure in
          PlanePicture(
            sheet: certificate.table, verified: profile.verification?.grid ?? []
          ).write(to: &figure)
        }
        if let ceiling = CertificatePlots(certificate: certificate).ceiling {
          grid.element("figure") { figure in
            ceiling.plot.write(to: &figure)
            figure.element("figcaption", text: ceiling.caption)
          }
        }
      }
      writeCeiling(to: &section)
    }
  }

  private func writeCeiling(to section: inout Markup) {
    let points = profile.ceiling.points
    guard !points.isEmpty else { return }
    let mass = profile.actuator.mass
    let relative =
      profile.uncertainty.lines.isEmpty
      ? "" : " (U = \(Shown.percent(profile.uncertainty.expanded, decimals: 1)))"
    // A page has room for about two dozen rows; the file has them all.
    let stride = max(1, (points.count + 23) / 24)
    let shown = points.enumerated().filter { $0.offset % stride == 0 }.map(\.element)
    CertificateTable(
      caption: "Strongest steady vibration\(relative)"
        + (stride > 1 ? ", \(shown.count) of \(points.count) frequencies" : ""),
      head: [
        "Frequency, Hz#", "Acceleration, m/s² peak#", "g peak#", "Force, N peak#",
        "Static moment, g·mm#", "Harmonics#", "Limited by",
      ],
      rows: shown.map { point in
        let strength = Strength(point, mass: mass)
        func optional(_ value: Double?) -> CertificateTable.Cell {
          value.map { .init(Shown.number($0), value: $0) } ?? .init("–")
        }
        return [
          .init(Shown.number(point.frequency), value: point.frequency),
          .init(Shown.number(point.acceleration), value: point.acceleration),
          .init(Shown.number(strength.gravities)), optional(strength.force),
          optional(strength.staticMoment),
          point.distortion.map { .init(Shown.percent($0, decimals: 1), value: $0) }
            ?? .init("–"),
          .init(point.binding.words),
        ]
      }
    ).write(to: &section)
    if mass == nil {
      section.element(
        "p", ["class": "note"],
        text: "Force and static moment need the mass, which was not given.")
    }
  }
}

extension ReachableCeiling.Binding {
  /// What it is, for people.
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
