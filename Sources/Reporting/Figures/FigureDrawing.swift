import Acceptance
import Units

/// A take as inline SVG: panels on one time axis, the events behind them, the onsets in front.
///
/// Colours come from the page's style sheet by class, so that a figure follows light and dark.
struct FigureDrawing {
  /// One panel with its place in the drawing.
  struct PlacedPanel {
    let panel: TakeFigure.Panel
    let scale: AxisScale
    /// The upper edge of the plot.
    let top: Double
    let height: Double

    /// The vertical place of a value.
    func y(_ value: Double) -> Double {
      let range = scale.range
      return top + height * (range.upperBound - value) / (range.upperBound - range.lowerBound)
    }
  }

  static let width = 1000.0
  static let left = 66.0
  static let right = 988.0
  static let numbersHeight = 13.0
  static let marksHeight = 12.0
  private static let titleHeight = 30.0
  static let spectrogramHeight = 96.0
  private static let footHeight = 42.0

  let figure: TakeFigure
  /// The identifier of the drawing on its page.
  let identifier: String
  let panels: [PlacedPanel]
  let time: AxisScale
  /// How the events came out, by their index.
  let scores: [Int: EventScore]
  /// The events whose marks can be linked to.
  let linked: Set<Int>

  init(
    _ figure: TakeFigure, identifier: String, scores: [Int: EventScore] = [:],
    linked: Set<Int> = []
  ) {
    self.figure = figure
    self.identifier = identifier
    self.scores = scores
    self.linked = linked
    // Above the plots stand the legend of the events, a row of their numbers, and one of their marks.
    var top = figure.events.isEmpty ? 0 : 16 + Self.numbersHeight
    if !scores.isEmpty { top += Self.marksHeight + 16 }
    panels = figure.panels.map { panel in
      let height = Self.height(of: panel)
      let placed = PlacedPanel(
        panel: panel, scale: Self.scale(of: panel), top: top + Self.titleHeight, height: height)
      top += Self.titleHeight + height
      return placed
    }
    time = AxisScale(figure.span, count: 10)
  }

  /// The lower edge of the lowest plot.
  var bottom: Double {
    spectrogramTop.map { $0 + Self.spectrogramHeight } ?? panels.last.map { $0.top + $0.height }
      ?? 0
  }

  /// The upper edge of the spectrogram, below all panels; nil where there is none.
  var spectrogramTop: Double? {
    guard figure.spectrogram != nil else { return nil }
    return (panels.last.map { $0.top + $0.height } ?? 0) + Self.titleHeight
  }
  var height: Double { bottom + Self.footHeight }

  /// The horizontal place of a time.
  func x(_ seconds: Double) -> Double {
    let length = figure.span.upperBound - figure.span.lowerBound
    guard length > 0 else { return Self.left }
    return Self.left + (Self.right - Self.left) * (seconds - figure.span.lowerBound) / length
  }

  /// Writes the drawing.
  func write(to markup: inout Markup) {
    markup.element(
      "svg",
      [
        "class": "figure", "id": identifier, "role": "img",
        "viewBox": "0 0 \(SVG.place(Self.width)) \(SVG.place(height))",
        "aria-labelledby": "\(identifier)-title \(identifier)-desc",
        "data-time": "\(figure.span.lowerBound) \(figure.span.upperBound)",
        "data-x": "\(SVG.place(Self.left)) \(SVG.place(Self.right))",
      ]
    ) { svg in
      svg.element("title", ["id": "\(identifier)-title"], text: title)
      svg.element("desc", ["id": "\(identifier)-desc"], text: description)
      writeTimeAxis(to: &svg)
      writeEventBands(to: &svg)
      for placed in panels { write(placed, to: &svg) }
      writeSpectrogram(to: &svg)
      writeOnsets(to: &svg)
      writeEventNumbers(to: &svg)
      writeEventMarks(to: &svg)
    }
  }

  /// How high the plot of a panel is, the same in a still picture and in a chart.
  static func height(of panel: TakeFigure.Panel) -> Double {
    switch panel.title {
    case "Envelope", "Response": 150
    case "Drive": 104
    default: 84
    }
  }

  /// The vertical scale of a panel, the same in a still picture and in a chart.
  static func scale(of panel: TakeFigure.Panel) -> AxisScale {
    let (low, high) = extremes(of: panel)
    let reach = panel.leastReach
    return .vertical(
      reach > 0 ? min(low, -reach) : low, max(high, reach), unit: panel.unit)
  }

  private static func extremes(of panel: TakeFigure.Panel) -> (Double, Double) {
    var (low, high) = (Double.infinity, -Double.infinity)
    for trace in panel.traces {
      for value in trace.lowest where value.isFinite { low = min(low, Double(value)) }
      for value in trace.highest where value.isFinite { high = max(high, Double(value)) }
    }
    return low <= high ? (low, high) : (0, 0)
  }

  private var title: String { "\(figure.pattern), take \(figure.take)" }

  /// What the picture shows, for those who cannot see it.
  var description: String {
    let panels = panels.map { placed in
      let (low, high) = Self.extremes(of: placed.panel)
      let names = placed.panel.traces.map(\.name).joined(separator: " and ")
      return "\(placed.panel.title) (\(names)) from "
        + "\(EngineeringFormat.text(low, placed.panel.unit)) to "
        + EngineeringFormat.text(high, placed.panel.unit)
    }
    let onsets = figure.events.count { $0.onset != nil }
    return "Time from \(Shown.seconds(figure.span.lowerBound)) to "
      + "\(Shown.seconds(figure.span.upperBound)). "
      + (panels.isEmpty ? "No traces. " : panels.joined(separator: "; ") + ". ")
      + "\(Count.of(figure.events.count, "event")), onset found of \(onsets)."
      + (scores.isEmpty ? "" : " Events: \(tally).")
      + (figure.spectrogram.map { " " + SpectrogramPicture(spectrogram: $0).description } ?? "")
  }
}
