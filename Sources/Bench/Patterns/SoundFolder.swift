import Paths

/// Where a pattern's sound files may lie, and the search for one of them.
///
/// A path is looked for below the bundle, then by its last component beside the pattern. What leaves
/// both folders, by `..`, as an absolute path or through a link, is refused unless it lies below a
/// folder that was allowed by name.
public struct SoundFolder: Sendable {
  /// The folder that paths are relative to.
  public let bundle: String
  /// The folder of the pattern itself.
  public let patternFolder: String
  /// Further folders that may be read.
  public let allowed: [String]

  /// Makes a search.
  public init(bundle: String, patternFolder: String, allowed: [String]) {
    self.bundle = bundle
    self.patternFolder = patternFolder
    self.allowed = allowed
  }

  /// Opens the file that a waveform path names; `nil` where there is none.
  public func open(_ path: String) throws(InputError) -> RegularFile? {
    let leaves = path.hasPrefix("/") || path.split(separator: "/").contains("..")
    if leaves {
      let full = path.hasPrefix("/") ? path : bundle + "/" + path
      // Nothing outside is opened before it is known to be allowed, and what was opened is looked at
      // again: a link may have moved in between.
      guard let real = realPath(full), allowed.contains(where: { isPath(real, below: $0) }) else {
        throw refusal(path)
      }
      let file = try RegularFile(path: full)
      guard let opened = file.truePath, allowed.contains(where: { isPath(opened, below: $0) })
      else {
        throw refusal(path)
      }
      return file
    }
    for candidate in [bundle + "/" + path, patternFolder + "/" + FilePath.name(of: path)] {
      guard realPath(candidate) != nil else { continue }
      let file = try RegularFile(path: candidate)
      let folders = [bundle, patternFolder] + allowed
      guard let real = file.truePath, folders.contains(where: { isPath(real, below: $0) }) else {
        throw refusal(path)
      }
      return file
    }
    return nil
  }

  private func refusal(_ path: String) -> InputError {
    InputError(
      "the sound '\(path)' lies outside the pattern's folder '\(bundle)': "
        + "move it there, or allow its folder with --allow-path DIR")
  }
}
