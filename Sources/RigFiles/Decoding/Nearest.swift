/// Finding what somebody meant to write.
package enum Nearest {
  /// The names by their distance from a text, the nearest first.
  package static func sorted(_ names: [String], to text: String) -> [String] {
    let distances = names.map { distance($0, text) }
    return names.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }.map { names[$0] }
  }

  /// ` (did you mean 'x'?)` where a name is near, and nothing where none is.
  static func hint(for text: String, in names: [String]) -> String {
    guard let name = sorted(names, to: text).first, distance(name, text) <= max(1, name.count / 3)
    else { return "" }
    return " (did you mean '\(name)'?)"
  }

  /// How many letters to insert, delete, replace or swap, whatever their case.
  static func distance(_ first: String, _ second: String) -> Int {
    let (a, b) = (Array(first.lowercased().prefix(80)), Array(second.lowercased().prefix(80)))
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
