/// The script that zoomable charts are drawn by: dygraphs, as its package installs it.
///
/// It is no part of the program: whoever writes a report looks for it and hands it over. A page without it
/// shows still pictures and says so.
public struct ChartLibrary: Sendable, Equatable {
  /// Where Debian's `libjs-dygraphs` puts it.
  public static let installedPath = "/usr/share/javascript/dygraphs/dygraph.min.js"
  /// More than any version of it has, in bytes.
  public static let sizeLimit = 1 << 20

  /// The identifier of the element that holds it on a page.
  static let identifier = "dygraphs"

  /// The script, fit to stand inside a page.
  let script: String

  /// Takes the text of the library's file; `nil` of what is none, or cannot stand in a page.
  public init?(_ text: String) {
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
  public init?(ofPage page: String) {
    guard let start = page.firstRange(of: "<script id=\"\(Self.identifier)\">"),
      let end = page[start.upperBound...].firstRange(of: "</script>")
    else { return nil }
    self.init(String(page[start.upperBound..<end.lowerBound]))
  }
}
