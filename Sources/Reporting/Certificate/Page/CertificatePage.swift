import Profiles

/// A certificate as a page in the making.
///
/// Its parts stand in the order in which a reader asks: how good is it, what was measured and how, what
/// is the actuator, how sure is it, the curves, what can be reached, what is left over, what it holds for.
struct CertificatePage {
  let certificate: Certificate

  var profile: CalibrationProfile { certificate.profile }

  func write(to markup: inout Markup) {
    markup.writeVerbatim("<!DOCTYPE html>\n")
    markup.element("html", ["lang": "en"]) { html in
      writeHead(to: &html)
      html.element("body") { body in
        body.element("a", ["class": "skip", "href": "#verdicts"], text: "Skip to the verdicts")
        body.breakLine()
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
    markup.breakLine()
  }

  private func writeHead(to html: inout Markup) {
    html.element("head") { head in
      head.void("meta", ["charset": "utf-8"])
      head.void(
        "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
      head.void("meta", ["name": "color-scheme", "content": "light dark"])
      head.void("meta", ["name": "generator", "content": profile.source.program])
      head.element("title", text: "Certificate of \(profile.actuator.id)")
      head.breakLine()
      head.element("style") { $0.writeVerbatim(Palette.variables + CertificateStyle.sheet) }
    }
    html.breakLine()
  }

  /// Writes a part of the page under a heading.
  func writeSection(
    _ identifier: String, _ title: String, to main: inout Markup,
    _ content: (inout Markup) -> Void
  ) {
    main.element(
      "section", ["id": identifier, "aria-labelledby": "\(identifier)-title"]
    ) { section in
      section.element("h2", ["id": "\(identifier)-title"], text: title)
      content(&section)
    }
    main.breakLine()
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

  /// Writes a list of terms with what is to be said of each.
  mutating func writeFacts(_ title: String, _ facts: [(term: String, value: String)]) {
    guard !facts.isEmpty else { return }
    element("div") { column in
      column.element("h3", text: title)
      column.element("dl", ["class": "list"]) { list in
        for (term, value) in facts {
          list.element("dt", text: term)
          list.element("dd", text: value)
        }
      }
    }
  }
}
