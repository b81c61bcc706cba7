import Acceptance

/// What a page says first of its subject: a term, what it is, and a word more.
typealias HeadFact = (term: String, value: String, detail: String)

/// The parts that every page has.
extension Markup {
  /// What a page may do: nothing but show what it holds itself, and run its scripts where it has some.
  private static func contentPolicy(_ hasScripts: Bool) -> String {
    "default-src 'none'; style-src 'unsafe-inline'; "
      + (hasScripts ? "script-src 'unsafe-inline'; " : "")
      + "img-src data:; base-uri 'none'; form-action 'none'"
  }

  /// Writes a page: its head, a link that skips to what matters most, and a body.
  mutating func writePage(
    title: String, generator: String, style: String, skip: (target: String, text: String),
    hasScripts: Bool = false,
    _ content: (inout Markup) -> Void
  ) {
    writeVerbatim("<!DOCTYPE html>\n")
    element("html", ["lang": "en"]) { html in
      html.element("head") { head in
        head.void("meta", ["charset": "utf-8"])
        head.void(
          "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        head.void(
          "meta",
          ["http-equiv": "Content-Security-Policy", "content": Self.contentPolicy(hasScripts)])
        head.void("meta", ["name": "color-scheme", "content": "light dark"])
        head.void("meta", ["name": "generator", "content": generator])
        head.element("title", text: title)
        head.breakLine()
        head.element("style") { $0.writeVerbatim(Palette.variables + style) }
      }
      html.breakLine()
      html.element("body") { body in
        body.element("a", ["class": "skip", "href": "#\(skip.target)"], text: skip.text)
        body.breakLine()
        content(&body)
      }
    }
    breakLine()
  }

  /// Writes the head of a page: what it is, of what on what, how it came out, and the numbers that all
  /// ask for first; `alert` stands before the sentence, and the word of no verdict in no verdict's colour.
  mutating func writePageHeader(
    eyebrow: String, of subject: String, on place: String, verdict: Verdict?, word: String,
    sentence: String, facts: [HeadFact], alert: (inout Markup) -> Void = { _ in }
  ) {
    element("header") { header in
      header.element("p", ["class": "eyebrow"], text: eyebrow)
      header.element("div", ["class": "title"]) { title in
        title.element("h1") { h1 in
          h1.write(subject)
          h1.element("span", ["class": "on"], text: " on ")
          h1.write(place)
        }
        title.writeBadge(verdict, as: word, large: true)
      }
      alert(&header)
      header.element("p", ["class": "sentence"], text: sentence)
      header.element("dl", ["class": "facts"]) { list in
        for (term, value, detail) in facts {
          list.element("div") { fact in
            fact.element("dt", text: term)
            fact.element("dd") { dd in
              dd.write(value)
              if !detail.isEmpty { dd.element("span", ["class": "detail"], text: detail) }
            }
          }
        }
      }
    }
    breakLine()
  }

  /// Writes a part of a page under a heading.
  mutating func writeSection(
    _ identifier: String, _ title: String, _ content: (inout Markup) -> Void
  ) {
    element(
      "section", ["id": identifier, "aria-labelledby": "\(identifier)-title"]
    ) { section in
      section.element("h2", ["id": "\(identifier)-title"], text: title)
      content(&section)
    }
    breakLine()
  }

  /// Writes what a wide table stands in, so that it scrolls by itself on a narrow page.
  mutating func writeScroller(_ label: String, _ content: (inout Markup) -> Void) {
    element("div", ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": label]) {
      content(&$0)
    }
    breakLine()
  }

  /// Writes the head of a table; the titles of columns of numbers stand to the right as their numbers do.
  mutating func writeTableHead(_ titles: [String], numbers: Set<String> = []) {
    element("thead") { head in
      head.element("tr") { row in
        for title in titles {
          row.element(
            "th",
            numbers.contains(title) ? ["scope": "col", "class": "number"] : ["scope": "col"],
            text: title)
        }
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

  /// Writes what a person has to know before they read on.
  mutating func writeWarning(_ text: String) {
    element("p", ["class": "warning", "role": "note"]) { line in
      line.writeBadge(.marginal, word: "warning")
      line.write(" \(text).")
    }
  }

  /// Writes a verdict as a badge: sign and word, and colour for those who see it.
  mutating func writeBadge(_ verdict: Verdict, word: String? = nil, large: Bool = false) {
    writeBadge(verdict, as: word ?? verdict.rawValue, large: large)
  }

  /// Writes a word as the badge of a verdict, or of none; what it is about stands before the word.
  mutating func writeBadge(
    _ verdict: Verdict?, as word: String, of subject: String? = nil, title: String? = nil,
    large: Bool = false
  ) {
    let name =
      switch verdict {
      case nil: "unjudged"
      case .notMeasured: "missing"
      case let verdict?: verdict.rawValue
      }
    let style = "badge \(name)\(large ? " large" : "")"
    let content: (inout Markup) -> Void = { badge in
      badge.element("span", ["aria-hidden": "true"], text: verdict.map(Shown.sign) ?? "–")
      badge.write(" \(subject.map { "\($0) " } ?? "")\(word)")
    }
    if let title {
      element("span", ["class": style, "title": title], content)
    } else {
      element("span", ["class": style], content)
    }
  }
}
