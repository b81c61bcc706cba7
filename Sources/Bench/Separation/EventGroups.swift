/// Events in groups that are scored as one.
enum EventGroups {
  /// Joins groups of events that cannot be told apart.
  ///
  /// - Parameters:
  ///   - groups: Events by group, each group in order.
  ///   - pairs: Places of groups that are to be one; chains of pairs make one group.
  /// - Returns: The groups that remain, by their first group's place, each in order.
  static func joined(_ groups: [[Int]], by pairs: [(Int, Int)]) -> [[Int]] {
    var home = Array(groups.indices)
    func root(_ index: Int) -> Int {
      var index = index
      while home[index] != index { index = home[index] }
      return index
    }
    for (one, other) in pairs {
      let (one, other) = (root(one), root(other))
      home[max(one, other)] = min(one, other)
    }
    var joined: [Int: [Int]] = [:]
    for index in groups.indices { joined[root(index), default: []] += groups[index] }
    return joined.keys.sorted().map { joined[$0]?.sorted() ?? [] }
  }
}
