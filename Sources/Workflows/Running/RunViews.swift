import Acceptance
import Reporting

/// What a run's folder shows of its record besides the record: made from it, and made again with it.
struct RunViews {
  /// The names of the files.
  static let names = ["report.html", "junit.xml", "readings.csv"]

  /// The files' texts.
  let texts: [(name: String, text: String)]

  /// Makes the views of a record that names all other files.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - figures: The pictures of its takes.
  ///   - charts: What the report's charts are drawn by.
  ///   - names: The views that are wanted: a run of an earlier version has fewer.
  init(
    _ record: RunRecord, figures: [TakeFigure], charts: ChartLibrary?,
    names: [String] = Self.names
  ) {
    texts = names.map { name in
      switch name {
      case "report.html": (name, HTMLReport.text(record: record, figures: figures, charts: charts))
      case "junit.xml": (name, JUnitReport.text(record: record))
      default: (name, ReadingsCSV.text(record: record))
      }
    }
  }
}
