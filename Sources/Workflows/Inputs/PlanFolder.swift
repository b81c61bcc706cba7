/// The folder that the paths in a plan are counted from.
struct PlanFolder {
  private let folder: String

  /// The folder of a plan's file; of no plan, the working folder.
  init(plan file: String?) {
    folder = file.flatMap { file in file.lastIndex(of: "/").map { String(file[...$0]) } } ?? ""
  }

  /// A path as the plan names it, without the steps down and up again that records need not show.
  func path(of name: String) -> String {
    guard !name.hasPrefix("/") else { return name }
    var folders = folder.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    var rest = name[...]
    while rest.hasPrefix("../"), let last = folders.last, !["", ".", ".."].contains(last) {
      folders.removeLast()
      rest = rest.dropFirst(3)
    }
    return folders.map { $0 + "/" }.joined() + rest
  }
}
