import Acceptance

/// A table of a page: its columns, and what stands in the cells of its rows.
struct PageTable {
  struct Column {
    let title: String
    /// The classes of the title and of the cells below it; nil for none.
    let headStyle: String?
    let style: String?

    init(_ title: String, headStyle: String? = nil, style: String? = nil) {
      self.title = title
      self.headStyle = headStyle
      self.style = style
    }

    /// Reads a title: one that ends in `#` heads numbers, one in `~` sentences, others text of a class.
    init(marked title: String, text style: String? = nil) {
      switch title.last {
      case "#": self.init(String(title.dropLast()), headStyle: "number", style: "number")
      case "~": self.init(String(title.dropLast()), headStyle: style, style: "words")
      default: self.init(title, headStyle: style, style: style)
      }
    }
  }

  struct Cell {
    /// A class beside that of the column.
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

    init(_ text: String, link: String) {
      self.init { $0.element("a", ["href": link], text: text) }
    }

    /// A verdict under a word; nothing of none.
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
  /// What the rows are called; empty where nothing leads to them.
  var identifiers: [String] = []
  /// Whether each row begins a line of the page's text.
  var hasLines = false

  /// Writes the table into a scroller of its own.
  func write(to section: inout Markup) {
    write(to: &section) { table in
      table.element("tbody") { body in
        for (index, cells) in rows.enumerated() {
          write(cells, identifiers.isEmpty ? nil : identifiers[index], to: &body)
          if hasLines { body.breakLine() }
        }
      }
    }
  }

  /// Writes the table with bodies of another form.
  func write(to section: inout Markup, bodies: (inout Markup) -> Void) {
    section.writeScroller(label ?? caption) { scroller in
      scroller.element("table", ["class": style]) { table in
        table.element("caption", ["class": hidesCaption ? "hidden" : nil], text: caption)
        table.element("thead") { head in
          head.element("tr") { row in
            for column in columns {
              row.element("th", ["scope": "col", "class": column.headStyle], text: column.title)
            }
          }
        }
        bodies(&table)
      }
    }
  }

  /// Writes a row; its first cell heads it.
  func write(_ cells: [Cell], _ identifier: String? = nil, to body: inout Markup) {
    body.element("tr", ["id": identifier]) { row in
      for (index, cell) in cells.enumerated() {
        let styles = [columns[index].style, cell.style].compactMap(\.self)
        let style = styles.isEmpty ? nil : styles.joined(separator: " ")
        if index == 0 {
          row.element("th", ["scope": "row", "class": style], cell.write)
        } else {
          row.element("td", ["class": style], cell.write)
        }
      }
    }
  }
}

extension PageTable {
  /// A table of columns that are said by their titles.
  init(
    _ caption: String, label: String? = nil, style: String? = nil, _ titles: [String],
    _ rows: [[Cell]]
  ) {
    self.init(
      caption: caption, label: label, style: style, columns: titles.map { Column(marked: $0) },
      rows: rows)
  }

  init(
    _ caption: String, label: String? = nil, style: String? = nil, _ titles: [String],
    texts: [[String]]
  ) {
    self.init(
      caption, label: label, style: style, titles, texts.map { $0.map { Cell($0) } })
  }
}
