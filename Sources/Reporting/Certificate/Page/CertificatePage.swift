import Actuators
import Profiles

/// A certificate as a page in the making.
///
/// Its parts stand in the order in which a reader asks: how good is it, what was measured and how, what
/// is the actuator, how sure is it, the curves, what can be reached, what is left over, what it holds for.
struct CertificatePage {
  let certificate: Certificate

  var profile: CalibrationProfile { certificate.profile }

  func write(to markup: inout Markup) {
    markup.writePage(
      title: "Certificate of \(profile.actuator.id)", generator: profile.source.program,
      style: StyleSheet.page + StyleSheet.certificate + StyleSheet.plot + StyleSheet.print,
      skip: (target: "verdicts", text: "Skip to the verdicts")
    ) { body in
      writeHeader(to: &body)
      body.element("main") { main in
        writeVerdicts(to: &main)
        writeSubject(to: &main)
        writeModel(to: &main)
        writeUncertainty(to: &main)
        writeCurves(to: &main)
        writeRegion(to: &main)
        writeTable(to: &main)
        writeResiduals(to: &main)
        writeTaps(to: &main)
        writeLimits(to: &main)
        writeSource(to: &main)
      }
    }
  }
}

extension Markup {
  /// Writes pictures side by side where there is room.
  mutating func writePlots(_ plots: [(plot: Plot, caption: String)]) {
    guard !plots.isEmpty else { return }
    element("div", ["class": "plots"]) { grid in
      for (plot, caption) in plots {
        grid.element("figure") { figure in
          plot.write(to: &figure)
          if !caption.isEmpty { figure.element("figcaption", text: caption) }
        }
        grid.breakLine()
      }
    }
  }
}

extension Certificate {
  /// The certificate as one page that opens without a network and prints on A4.
  public var html: String {
    var markup = Markup()
    CertificatePage(certificate: self).write(to: &markup)
    return markup.text
  }
}
