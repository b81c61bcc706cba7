import Bench
import Glibc
import Reporting

/// The library that charts are drawn by, as this machine has it.
enum InstalledCharts {
  /// The environment variable that names another file; empty for still pictures.
  static let variable = "HAPRIG_DYGRAPHS"

  /// The library; nil where it is not installed or cannot be read, which costs a report its zoom and no more.
  static var library: ChartLibrary? {
    let path = getenv(variable).map { String(cString: $0) } ?? ChartLibrary.installedPath
    guard !path.isEmpty,
      let bytes = try? RegularFile(path: path).bytes(limit: ChartLibrary.sizeLimit)
    else { return nil }
    return ChartLibrary(String(decoding: bytes, as: UTF8.self))
  }
}
