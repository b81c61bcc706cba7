/// Where an archive is: its run folders on disk, and the index over them beside them or on a server.
public struct ArchiveLocation: Sendable, Hashable {
  /// The folder that the run folders lie in, and baselines.
  public let folder: String
  /// What libpq connects to; `nil` where the index is a file in the folder.
  public let server: String?

  /// The file of the index in the folder.
  public static let indexFile = "index.sqlite"

  /// Where archives are when nothing else is said.
  public static let standardFolder = "reports"

  /// Reads what `--archive` takes.
  ///
  /// - Parameters:
  ///   - archive: A folder, or a URI that begins with `postgres://` or `postgresql://`.
  ///   - reports: The folder of the runs where `archive` is a server; `reports` where none is given.
  /// - Throws: `ArchiveError` where two folders are named, or none.
  public init(_ archive: String, reports: String? = nil) throws(ArchiveError) {
    if archive.hasPrefix("postgres://") || archive.hasPrefix("postgresql://") {
      server = archive
      folder = Self.plain(reports ?? Self.standardFolder)
    } else {
      guard reports == nil || reports.map(Self.plain) == Self.plain(archive) else {
        throw ArchiveError(
          path: archive,
          message: "an archive in a folder has its runs there: --reports goes with --archive "
            + "postgres://USER@HOST/DATABASE only")
      }
      server = nil
      folder = Self.plain(archive)
    }
    guard !folder.isEmpty, !folder.utf8.contains(0) else {
      throw ArchiveError(path: "--archive", message: "the folder has no name: give one")
    }
  }

  /// The location as messages show it, without a password.
  public var description: String { server.map(Self.withoutPassword) ?? folder }

  /// The path of the index's file.
  var indexPath: String { folder + "/" + Self.indexFile }

  private static func plain(_ folder: String) -> String {
    var folder = folder[...]
    while folder.count > 1, folder.last == "/" { folder.removeLast() }
    return String(folder)
  }

  private static func withoutPassword(_ uri: String) -> String {
    // What a query part might say of passwords and keys is not shown at all.
    let plain = uri.prefix { $0 != "?" }
    guard let scheme = plain.range(of: "://"), let at = plain.lastIndex(of: "@"),
      let colon = plain[scheme.upperBound..<at].firstIndex(of: ":")
    else { return String(plain) }
    return plain[..<colon] + ":***" + plain[at...]
  }
}

extension Substring {
  /// The first place of a short text in this one.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
