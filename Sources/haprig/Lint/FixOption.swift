import AHAP
import ArgumentParser

/// The kinds of mending that `--fix` names: `safe` always, the others by name.
struct FixOption: ExpressibleByArgument {
  let kinds: Set<FixKind>

  init?(argument: String) {
    var kinds: Set<FixKind> = [.safe]
    for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let kind = FixKind(rawValue: String(word)) else { return nil }
      kinds.insert(kind)
    }
    self.kinds = kinds
  }

  static var allValueStrings: [String] { FixKind.allCases.map(\.rawValue) }

  /// Writes out what a bare `--fix` means, so that the word behind it stays a file.
  static func spelledOut(_ arguments: [String]) -> [String] {
    guard arguments.first == "lint" else { return arguments }
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return arguments[..<end].map { $0 == "--fix" ? "--fix=safe" : $0 } + arguments[end...]
  }
}
