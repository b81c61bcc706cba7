import Acceptance

/// Fewer columns that keep every peak: each holds the lowest and the highest of those it stands for.
enum ColumnReduction {
  /// Reduces a trace to at most so many columns; one that has no more is as it was.
  static func reduce(_ trace: TakeFigure.Trace, to columns: Int) -> TakeFigure.Trace {
    let count = trace.lowest.count
    guard count > columns, columns > 0 else { return trace }
    let isCurve = TracePath.isCurve(trace)
    var lowest: [Float] = []
    var highest: [Float] = []
    for column in 0..<columns {
      let stretch = (column * count / columns)..<((column + 1) * count / columns)
      if isCurve {
        // A curve stays one line: its value in the middle.
        let value = trace.highest[(stretch.lowerBound + stretch.upperBound - 1) / 2]
        lowest.append(value)
        highest.append(value)
      } else {
        lowest.append(trace.lowest[stretch].filter(\.isFinite).min() ?? .nan)
        highest.append(trace.highest[stretch].filter(\.isFinite).max() ?? .nan)
      }
    }
    return TakeFigure.Trace(name: trace.name, lowest: lowest, highest: highest)
  }

  /// Reduces every trace of a figure.
  static func reduce(_ figure: TakeFigure, to columns: Int) -> TakeFigure {
    var figure = figure
    for panel in figure.panels.indices {
      figure.panels[panel].traces = figure.panels[panel].traces.map { reduce($0, to: columns) }
    }
    return figure
  }
}
