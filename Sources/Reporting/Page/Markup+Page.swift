// SPDX-License-Identifier: Apache-2.0

import Acceptance

typealias HeadFact = (term: String, value: String, detail: String)

struct FindingLine {
  let verdict: Verdict
  let word: String
  let subject: String
  var link: String?
  let detail: String
}

extension Markup {
  /// A page of its own, whose policy allows it to show what it holds itself, and to run its own scripts and,
  /// where it asks for one, those beside it.
  static func page(
    title: String, generator: String, style: String, skip: (target: String, text: String),
    hasScripts: Bool = false, hasScriptBeside: Bool = false, _ content: (inout Markup) -> Void
  ) -> String {
    let policy =
      "default-src 'none'; style-src 'unsafe-inline'; "
      + (hasScripts ? "script-src 'unsafe-inline'\(hasScriptBeside ? " 'self' file:" : ""); " : "")
      + "img-src data:; base-uri 'none'; form-action 'none'"
    var page = Markup()
    page.writeVerbatim("<!DOCTYPE html>\n")
    page.element("html", ["lang": "en"]) { html in
      html.element("head") { head in
        head.void("meta", ["charset": "utf-8"])
        head.void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        head.void("meta", ["http-equiv": "Content-Security-Policy", "content": policy])
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
    page.breakLine()
    return page.text
  }

  /// Writes the head of a page; `alert` stands before the sentence.
  ///
  /// `terms` are the facts whose name leads to its meaning on the page.
  mutating func writePageHeader(
    eyebrow: String, of subject: String, on place: String, verdict: Verdict?, word: String,
    sentence: String, facts: [HeadFact], terms: [String: Term] = [:],
    alert: (inout Markup) -> Void = { _ in }
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
      header.element("dl", ["class": "facts"], each: facts) { list, fact in
        list.element("div") { div in
          div.element("dt") { dt in
            if let term = terms[fact.term] {
              dt.write(fact.term, explainedBy: term)
            } else {
              dt.write(fact.term)
            }
          }
          div.element("dd") { dd in
            dd.write(fact.value)
            if !fact.detail.isEmpty { dd.writeDetail(fact.detail) }
          }
        }
      }
    }
    breakLine()
  }

  mutating func writeSection(
    _ identifier: String, _ title: String, _ content: (inout Markup) -> Void
  ) {
    element("section", ["id": identifier, "aria-labelledby": "\(identifier)-title"]) { section in
      section.element("h2", ["id": "\(identifier)-title"], text: title)
      content(&section)
    }
    breakLine()
  }

  mutating func writeDetails(
    _ summary: String, more: (style: String, text: String)? = nil, style: String? = nil,
    isOpen: Bool = false, _ content: (inout Markup) -> Void
  ) {
    element("details", ["class": style, "open": isOpen ? "" : nil]) { details in
      details.element("summary") { line in
        line.write(summary)
        if let more { line.element("span", ["class": more.style], text: more.text) }
      }
      content(&details)
    }
  }

  /// Writes what a wide table stands in, so that it scrolls by itself on a narrow page.
  mutating func writeScroller(_ label: String, _ content: (inout Markup) -> Void) {
    element("div", ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": label]) {
      content(&$0)
    }
    breakLine()
  }

  mutating func writeNote(_ text: String, isWide: Bool = false) {
    element("p", ["class": isWide ? "note wide" : "note"], text: text)
  }

  /// Writes a text whose meaning shows where the pointer rests on it, and to which it leads at the foot of the page.
  mutating func write(_ text: String, explainedBy term: Term) {
    element(
      "a", ["class": "term", "href": "#\(term.identifier)", "title": term.meaning], text: text)
  }

  /// Writes the meanings of terms, to which `write(_:explainedBy:)` leads.
  mutating func writeMeanings(of terms: [Term]) {
    element("dl", ["class": "list wide"], each: terms) { list, term in
      list.element("dt", ["id": term.identifier], text: term.rawValue)
      list.element("dd", text: term.meaning)
    }
  }

  /// Writes the meanings of readings, each with its name in plans.
  mutating func writeMeanings(of kinds: [ReadingKind]) {
    element("dl", ["class": "list wide"], each: kinds) { list, kind in
      list.element("dt", ["id": kind.identifier]) { term in
        term.write(kind.title)
        term.writeDetail(kind.rawValue)
      }
      list.element("dd", text: kind.explanation)
    }
  }

  /// Writes the section at the foot of a page to which the names of readings lead.
  mutating func writeWords(of kinds: Set<ReadingKind>) {
    guard !kinds.isEmpty else { return }
    writeSection("words", "What readings mean") { section in
      section.writeDetails("\(Count.of(kinds.count, "reading")), each with its name in plans") {
        $0.writeMeanings(of: ReadingKind.allCases.filter(kinds.contains))
      }
    }
  }

  /// Writes what a reading means, with its name in plans, as a note of its own.
  mutating func writeMeaning(of kind: ReadingKind, named name: String) {
    let positive = kind.positive.map { "; above zero: \($0)" } ?? ""
    writeNote("\(kind.title.capitalised) (\(name)): \(kind.definition)\(positive).")
  }

  mutating func writeDetail(_ text: String) {
    element("span", ["class": "detail"], text: text)
  }

  mutating func writeAbsence(_ text: String, title: String? = nil) {
    element("span", ["class": "absent", "title": title], text: text)
  }

  mutating func writeList(_ style: String, title: String? = nil, _ lines: [String]) {
    guard !lines.isEmpty else { return }
    if let title { element("h3", text: title) }
    element("ul", ["class": style], each: lines) { $0.element("li", text: $1) }
  }

  mutating func writeFindings(_ title: String, _ findings: [FindingLine]) {
    guard !findings.isEmpty else { return }
    element("h3", text: title)
    element("ul", ["class": "reasons"], each: findings) { list, finding in
      list.element("li") { item in
        item.writeBadge(finding.verdict, as: finding.word)
        item.element(
          finding.link == nil ? "span" : "a", ["class": "subject", "href": finding.link],
          text: finding.subject)
        item.writeDetail(finding.detail)
      }
    }
  }

  mutating func writeTerms(_ style: String, _ facts: [(term: String, value: String)]) {
    element("dl", ["class": style], each: facts) { list, fact in
      list.element("dt", text: fact.term)
      list.element("dd", text: fact.value)
    }
  }

  mutating func writeColumns(_ columns: [(title: String, facts: [(term: String, value: String)])]) {
    let filled = columns.filter { !$0.facts.isEmpty }
    element("div", ["class": "columns"], each: filled) { row, column in
      row.element("div") { div in
        div.element("h3", text: column.title)
        div.writeTerms("list", column.facts)
      }
    }
  }

  mutating func writeTally(_ counts: [(count: Int, word: String)]) {
    element("p", ["class": "tally"], each: counts) { tally, counted in
      tally.element("span") { item in
        item.element("b", text: "\(counted.count)")
        item.write(" \(counted.word)")
      }
    }
  }

  mutating func writeWarning(_ text: String) {
    element("p", ["class": "warning", "role": "note"]) { line in
      line.writeBadge(.marginal, as: "warning")
      line.write(" \(text).")
    }
  }

  mutating func writeBadge(_ verdict: Verdict) { writeBadge(verdict, as: verdict.rawValue) }

  mutating func writeBadge(
    _ verdict: Verdict?, as word: String, of subject: String? = nil, title: String? = nil,
    large: Bool = false
  ) {
    let style = Self.style(of: verdict)
    element("span", ["class": "badge \(style)\(large ? " large" : "")", "title": title]) { badge in
      badge.element("span", ["aria-hidden": "true"], text: verdict.map(Shown.sign) ?? "–")
      badge.write(" \(subject.map { "\($0) " } ?? "")\(word)")
    }
  }

  /// The class that colours a verdict.
  static func style(of verdict: Verdict?) -> String {
    switch verdict {
    case nil: "unjudged"
    case .notMeasured: "missing"
    case let verdict?: verdict.rawValue
    }
  }
}

struct PageTable {
  struct Column {
    let title: String
    var headStyle: String?
    var style: String?
    /// Where its meaning stands on the page, and what it says.
    var meaning: (link: String, text: String)?
  }

  struct Cell {
    let style: String?
    let write: (inout Markup) -> Void

    init(style: String? = nil, _ write: @escaping (inout Markup) -> Void) {
      self.style = style
      self.write = write
    }

    /// A text with the number that it is short for, for who reads the page by program, and what stands
    /// below it in small type.
    init(_ text: String, value: Double? = nil, detail: String = "", style: String? = nil) {
      self.init(style: style) { cell in
        if let value, value.isFinite {
          cell.element("data", ["value": "\(value)"], text: text)
        } else {
          cell.write(text)
        }
        if !detail.isEmpty { cell.writeDetail(detail) }
      }
    }

    init(_ text: String, link: String, detail: String = "") {
      self.init { cell in
        cell.element("a", ["href": link], text: text)
        if !detail.isEmpty { cell.writeDetail(detail) }
      }
    }

    /// A reading by its plain name, whose meaning shows where the pointer rests on it, and to which it leads at the
    /// foot of the page; below it stands the name that plans have, and what else is said of it.
    init(_ words: String, meaning kind: ReadingKind?, detail: String...) {
      let details = detail.filter { !$0.isEmpty }.joined(separator: " · ")
      guard let kind else {
        self.init(words, detail: details)
        return
      }
      self.init { cell in
        cell.element(
          "a", ["class": "term", "href": "#" + kind.identifier, "title": kind.definition],
          text: words)
        if !details.isEmpty { cell.writeDetail(details) }
      }
    }

    init(_ verdict: Verdict?, as word: String? = nil) {
      self.init { cell in
        if let verdict { cell.writeBadge(verdict, as: word ?? verdict.rawValue) }
      }
    }
  }

  let caption: String
  /// What the table is called where it scrolls.
  var label: String?
  /// Whether the caption is for those who cannot see the table.
  var hidesCaption = false
  var style: String?
  var columns: [Column]
  var rows: [[Cell]] = []
  var identifiers: [String] = []
  /// Whether each row begins a line of the page's text.
  var hasLines = false

  func write(to section: inout Markup) {
    write(to: &section) { table in
      table.element("tbody", each: rows.enumerated()) { body, row in
        write(row.element, identifiers.isEmpty ? nil : identifiers[row.offset], to: &body)
        if hasLines { body.breakLine() }
      }
    }
  }

  func write(to section: inout Markup, bodies: (inout Markup) -> Void) {
    section.writeScroller(label ?? caption) { scroller in
      scroller.element("table", ["class": style]) { table in
        table.element("caption", ["class": hidesCaption ? "hidden" : nil], text: caption)
        table.element("thead") { head in
          head.element("tr", each: columns) { row, column in
            row.element("th", ["scope": "col", "class": column.headStyle]) { head in
              guard let meaning = column.meaning else { return head.write(column.title) }
              head.element(
                "a", ["class": "term", "href": meaning.link, "title": meaning.text],
                text: column.title)
            }
          }
        }
        bodies(&table)
      }
    }
  }

  /// Writes a row; its first cell heads it.
  func write(_ cells: [Cell], _ identifier: String? = nil, to body: inout Markup) {
    body.element("tr", ["id": identifier], each: zip(columns, cells).enumerated()) { row, item in
      let (isHead, (column, cell)) = (item.offset == 0, item.element)
      let styles = [column.style, cell.style].compactMap(\.self)
      row.element(
        isHead ? "th" : "td",
        [
          "scope": isHead ? "row" : nil,
          "class": styles.isEmpty ? nil : styles.joined(separator: " "),
        ], cell.write)
    }
  }
}

extension PageTable.Column {
  /// Reads a title: one that ends in `#` heads numbers, one in `~` sentences, others text of a class.
  init(marked title: String, text style: String? = nil) {
    switch title.last {
    case "#": self.init(title: String(title.dropLast()), headStyle: "number", style: "number")
    case "~": self.init(title: String(title.dropLast()), headStyle: style, style: "words")
    default: self.init(title: title, headStyle: style, style: style)
    }
  }
}

extension Markup {
  /// Writes a table whose columns are said by their titles, as `PageTable.Column` reads them.
  mutating func writeTable(
    _ caption: String, label: String? = nil, style: String? = nil, hidesCaption: Bool = false,
    identifiers: [String] = [], hasLines: Bool = false, _ titles: [String],
    _ rows: [[PageTable.Cell]]
  ) {
    PageTable(
      caption: caption, label: label, hidesCaption: hidesCaption, style: style,
      columns: titles.map { PageTable.Column(marked: $0) }, rows: rows, identifiers: identifiers,
      hasLines: hasLines
    ).write(to: &self)
  }
}

extension [PageTable.Cell] {
  static func texts(_ texts: String...) -> Self { texts.map { PageTable.Cell($0) } }
}
