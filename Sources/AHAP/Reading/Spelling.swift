/// A wrong name and those that would be right in its place.
struct SpellingQuestion: Hashable {
  var wrong: String
  var known: [String]
}

/// Finds the name that was probably meant.
enum Spelling {
  /// Finds the known name most like a wrong one: in another case, at most two letters off, or longer
  /// or shorter by a whole part (`Duration`, `HapticAttackTime`).
  static func suggestion(for wrong: String, among known: [String]) -> String? {
    let name = Array(wrong.lowercased().utf8)
    guard (4...64).contains(name.count) else { return nil }
    var best: (name: String, cost: Int)?
    for candidate in known {
      guard let cost = cost(of: name, as: Array(candidate.lowercased().utf8)) else { continue }
      if best.map({ cost < $0.cost }) ?? true {
        best = (candidate, cost)
      }
    }
    return best?.name
  }

  /// How unlike two names are; nil if they are not alike.
  private static func cost(of wrong: [UInt8], as name: [UInt8]) -> Int? {
    let distance = editDistance(wrong, name)
    if distance <= min(2, wrong.count / 4) { return distance }
    let (short, long) = wrong.count < name.count ? (wrong, name) : (name, wrong)
    let isPart = long.starts(with: short) || long.reversed().starts(with: short.reversed())
    return isPart && short.count >= 4 ? long.count : nil
  }

  /// The number of letters to insert, remove or replace (Levenshtein).
  private static func editDistance(_ first: [UInt8], _ second: [UInt8]) -> Int {
    var row = Array(0...second.count)
    for (i, a) in first.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in second.enumerated() {
        let replaced = diagonal + (a == b ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, min(row[j], diagonal) + 1)
      }
    }
    return row[second.count]
  }
}
