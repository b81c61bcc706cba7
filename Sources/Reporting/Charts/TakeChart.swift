// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import Units

/// A take's traces as the data of a zoomable chart.
///
/// Samples are whole numbers of a 32767th of the trace's largest, two bytes each, the lower first, in
/// Base64; -32768 is a gap. A reader sees the same columns as in the still picture, or more.
struct TakeChart {
  let figure: TakeFigure
  let columns: Int
  var scores: [Int: EventScore] = [:]

  var text: String {
    // JSON has no tags, so this sign stands inside strings alone.
    json.text(indent: nil, sortedKeys: false).replacing("<", with: "\\u003c")
  }

  private var json: JSONValue {
    let spectrogram = figure.spectrogram.map { spectrogram in
      JSONValue.object(of: [
        "frequencies": Self.span(spectrogram.frequencies),
        "ticks": ticks(AxisScale(spectrogram.frequencies, count: 3)),
      ])
    }
    return .object(of: [
      "span": Self.span(figure.span), "events": figure.events.map(event),
      "panels": figure.panels.map(panel), "spectrogram": spectrogram,
    ])
  }

  private static func span(_ range: ClosedRange<Double>) -> [Double] {
    [range.lowerBound, range.upperBound]
  }

  private func event(_ event: TakeFigure.Event) -> JSONValue {
    let place: [JSONValue] = [
      .integer(event.index), .number(event.span.lowerBound), .number(event.span.upperBound),
      event.onset.map(JSONValue.number) ?? .null,
    ]
    return .array(place + score(event))
  }

  private func score(_ event: TakeFigure.Event) -> [JSONValue] {
    guard let score = scores[event.index] else { return [] }
    let grade = JSONValue.string(score.grade.rawValue)
    return score.grade == .good ? [grade] : [grade, .string(score.words)]
  }

  private func panel(_ panel: TakeFigure.Panel) -> JSONValue {
    let scale = FigureDrawing.scale(of: panel)
    return .object(of: [
      "title": panel.title, "unit": FigureDrawing.symbol(of: panel.unit),
      "height": FigureDrawing.height(of: panel), "range": Self.span(scale.range),
      "ticks": ticks(scale),
      "traces": panel.traces.map { trace(ColumnReduction.reduce($0, to: columns)) },
    ])
  }

  private func ticks(_ scale: AxisScale) -> JSONValue {
    .array(scale.ticks.map { [.number($0), .string(scale.label($0))] })
  }

  private func trace(_ trace: TakeFigure.Trace) -> JSONValue {
    let finite = (trace.lowest + trace.highest).filter(\.isFinite).map { abs($0) }
    let largest = Double(finite.max() ?? 0)
    func samples(_ values: [Float]) -> String {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(2 * values.count)
      for value in values {
        let share = largest > 0 ? Double(value) / largest * 32767 : 0
        let sample = UInt16(bitPattern: value.isFinite ? Int16(share.rounded()) : .min)
        bytes.append(UInt8(sample & 255))
        bytes.append(UInt8(sample >> 8))
      }
      return Base64.text(of: bytes)
    }
    return .object(of: [
      "name": trace.name, "style": FigureDrawing.colour(of: trace), "largest": largest,
      "high": samples(trace.highest),
      "low": TracePath.isCurve(trace) ? nil : samples(trace.lowest),
    ])
  }
}

extension Markup {
  /// Writes the picture of a take, and the data of its chart where there is one: where scripts run, what stands
  /// in `noscript` is text that costs nothing until the picture comes into view.
  mutating func writeTake(_ drawing: FigureDrawing, label: String, chart: TakeChart?) {
    element(
      "figure",
      [
        "class": "take", "data-label": label, "data-desc": drawing.description,
        "data-name": drawing.identifier,
      ]
    ) { box in
      box.element("noscript") { still in
        still.writeScroller("Picture of \(label)") { drawing.write(to: &$0) }
      }
      guard let chart else { return }
      box.element("script", ["type": "application/json"]) { $0.writeVerbatim(chart.text) }
    }
    breakLine()
  }

  /// Writes the scripts at the end of a page with charts, whose library stands on it or in a file beside it.
  ///
  /// Where the file does not come, as in a sandbox, pictures stand still.
  mutating func writeScripts(_ charts: ChartLibrary?, file: String? = nil) {
    breakLine()
    if let file {
      element("script", ["src": file]) { _ in }
      breakLine()
    } else if let charts {
      element("script", ["id": ChartLibrary.identifier]) { $0.writeVerbatim(charts.script) }
      breakLine()
    }
    element("script") { $0.writeVerbatim(PageScript.text) }
  }
}

/// The script that zoomable charts are drawn by: dygraphs, as its package installs it.
///
/// It is no part of the program; a page without it shows still pictures and says so.
package struct ChartLibrary: Sendable, Equatable {
  package static let installedPath = "/usr/share/javascript/dygraphs/dygraph.min.js"
  /// More than any version of it has, in bytes.
  package static let sizeLimit = 1 << 20

  static let identifier = "dygraphs"

  let script: String

  /// Takes the text of the library's file; `nil` of what is none, or cannot stand in a page.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.sizeLimit, text.contains("Dygraph"),
      !text.lowercased().contains("</script"), !text.contains("<!--")
    else { return nil }
    // The map of its source is beside the file, not beside the page.
    script = text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("//# sourceMappingURL=") }.joined(separator: "\n")
  }

  /// Finds the library on a page that was written with it; `nil` where the page has none.
  ///
  /// What is written anew from a run's folder is so the same to the last byte on a machine without it.
  package init?(ofPage page: String) {
    guard let start = page.firstRange(of: "<script id=\"\(Self.identifier)\">"),
      let end = page[start.upperBound...].firstRange(of: "</script>")
    else { return nil }
    self.init(String(page[start.upperBound..<end.lowerBound]))
  }
}

/// What a report's page does where scripts run: nothing is fetched, and no text of the record becomes markup.
enum PageScript {
  /// `page.js` is what the others build on, `chart.js` makes a chart of a take, `view.js` begins.
  static let text = ["page.js", "chart.js", "view.js"].map(EmbeddedText.of).joined()
}
