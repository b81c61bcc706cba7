/// Telling names apart that may be equal.
enum UniqueNames {
  /// The names with a number after those that an earlier one has already, in their order.
  ///
  /// A name that is given once stays as it is: no number makes another name equal to it.
  static func number(_ names: [String]) -> [String] {
    var taken = Set(names)
    var uses: [String: Int] = [:]
    return names.map { name in
      var count = uses[name, default: 0] + 1
      var unique = name
      while count > 1 {
        unique = "\(name)-\(count)"
        if taken.insert(unique).inserted { break }
        count += 1
      }
      uses[name] = count
      return unique
    }
  }
}
