import Acceptance
import Units

/// What a reader needs to trust a run, or to find out why another came out differently.
extension HTMLPage {
  /// Writes what was looked at before the first take, what was expected to fail, and the plan's notes.
  func writeSetup(to section: inout Markup) {
    if let setup = record.setup, !setup.isEmpty {
      section.element("h3", text: "Setup checks")
      section.element("ul", ["class": "reasons"]) { list in
        for finding in setup {
          list.element("li") { item in
            item.writeBadge(
              finding.holds ? .pass : .fail, word: finding.holds ? "holds" : "does not hold")
            item.element("span", ["class": "subject"], text: finding.check.rawValue)
            item.element("span", ["class": "detail"], text: finding.sentence)
          }
        }
      }
    }
    let expectations = record.expectations
    if !expectations.isEmpty {
      section.element("h3", text: "Expected failures")
      section.element("ul", ["class": "reasons"]) { list in
        for (expected, outcome) in expectations {
          list.element("li") { item in
            let (verdict, word) = Self.words(for: outcome)
            item.writeBadge(verdict, word: word)
            let pattern = expected.pattern.map { " of \($0)" } ?? ""
            item.element(
              "span", ["class": "subject"], text: expected.reading.description + pattern)
            item.element("span", ["class": "detail"], text: expected.why)
          }
        }
      }
    }
    guard !record.plan.notes.isEmpty else { return }
    section.element("h3", text: "Notes of the plan")
    section.element("ul", ["class": "diagnostics"]) { list in
      for note in record.plan.notes { list.element("li", text: note) }
    }
  }

  private static func words(for outcome: ExpectedFailure.Outcome) -> (Verdict, String) {
    switch outcome {
    case .failed(let count): (.pass, "failed as expected, \(Count.of(count, "reading"))")
    case .passed: (.marginal, "holds though it was expected to fail")
    case .notMeasured: (.notMeasured, "not measured")
    }
  }

  /// Writes what the run stood in: what a later difference may come from.
  func writeEnvironment(to section: inout Markup) {
    let environment = record.header.environment.sorted { $0.key < $1.key }
    guard !environment.isEmpty else { return }
    section.writeScroller("Environment of the run") { scroller in
      scroller.element("table") { table in
        table.element("caption", text: "Environment: what a later difference may come from")
        table.writeTableHead(["Name", "Value"])
        table.element("tbody") { body in
          for (name, value) in environment {
            body.element("tr") { row in
              row.element("th", ["scope": "row"], text: name)
              row.element("td", ["class": "words"], text: value)
            }
          }
        }
      }
    }
  }

  /// Writes the SHA-256 of every file that lay in the folder when the page was written.
  func writeHashes(to section: inout Markup) {
    let files = record.header.files
    guard !files.isEmpty else { return }
    section.element("details") { details in
      details.element("summary", text: "Hashes of \(Count.of(files.count, "file"))")
      details.element(
        "p", ["class": "note"],
        text:
          "SHA-256, compared by `haprig archive verify`. This page's own hash is in record.json.")
      details.writeScroller("Hashes of the run's files") { scroller in
        scroller.element("table") { table in
          table.element("caption", text: "Files of the run's folder")
          table.writeTableHead(["File", "Bytes", "SHA-256"], numbers: ["Bytes"])
          table.element("tbody") { body in
            for file in files {
              body.element("tr") { row in
                row.element("th", ["scope": "row"]) { cell in
                  cell.element("a", ["href": Self.address(of: file.name)], text: file.name)
                }
                row.element("td", ["class": "number"], text: "\(file.bytes)")
                row.element("td", ["class": "hash"], text: file.sha256)
              }
            }
          }
        }
      }
    }
  }
}
