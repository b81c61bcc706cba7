import Acceptance
import Units

/// A table of a certificate.
struct CertificateTable {
  /// What stands in a cell.
  struct Cell {
    var text: String
    /// The number that the text is short for, for who reads the page by program.
    var value: Double?
    /// What stands below the text in small type.
    var detail = ""
    var verdict: Verdict?
    /// A class of its own.
    var style = ""

    init(
      _ text: String, value: Double? = nil, detail: String = "", verdict: Verdict? = nil,
      style: String = ""
    ) {
      self.text = text
      self.value = value.flatMap { $0.isFinite ? $0 : nil }
      self.detail = detail
      self.verdict = verdict
      self.style = style
    }
  }

  let caption: String
  /// The titles; those that end in a `#` head columns of numbers.
  let head: [String]
  let rows: [[Cell]]
  /// Whether it is no wider than it must be.
  var isNarrow = false
  /// Whether no page break may part it.
  var isWhole = true

  func write(to section: inout Markup) {
    let styles = [isNarrow ? "fitted" : "", isWhole ? "whole" : ""].filter { !$0.isEmpty }
    section.writeScroller(caption) { scroller in
      scroller.element("table", ["class": styles.joined(separator: " ")]) { table in
        table.element("caption", text: caption)
        table.element("thead") { head in
          head.element("tr") { row in
            for title in self.head {
              let isNumber = title.hasSuffix("#")
              row.element(
                "th", ["scope": "col", "class": isNumber ? "number" : "text"],
                text: isNumber ? String(title.dropLast()) : title)
            }
          }
        }
        table.element("tbody") { body in
          for cells in rows {
            body.element("tr") { row in
              for (index, cell) in cells.enumerated() { write(cell, index, to: &row) }
            }
            body.breakLine()
          }
        }
      }
    }
  }

  private func write(_ cell: Cell, _ index: Int, to row: inout Markup) {
    let isNumber = index < head.count && head[index].hasSuffix("#")
    let style = [isNumber ? "number" : "text", cell.style].filter { !$0.isEmpty }
      .joined(separator: " ")
    let content: (inout Markup) -> Void = { box in
      if let verdict = cell.verdict {
        box.writeBadge(verdict, word: Shown.word(of: verdict))
      } else if let value = cell.value {
        box.element("data", ["value": "\(value)"], text: cell.text)
      } else {
        box.write(cell.text)
      }
      if !cell.detail.isEmpty {
        box.element("span", ["class": "detail"], text: cell.detail)
      }
    }
    if index == 0 {
      row.element("th", ["scope": "row", "class": style], content)
    } else {
      row.element("td", ["class": style], content)
    }
  }
}
