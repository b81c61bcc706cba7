// SPDX-License-Identifier: Apache-2.0

import Units

/// How one property of the environment differs between good and bad nights.
public struct EnvironmentDifference: Sendable, Hashable {
  /// The property: kernel, firmware, temperature.
  public var key: String
  /// How well it tells bad nights from good ones, 0 (not at all) to 1 (surely).
  public var separation: Double
  /// Its values on good nights, the most frequent first; of numbers their median.
  public var good: [String]
  /// Its values on bad nights.
  public var bad: [String]

  /// Lists the properties that differ, best separating first.
  ///
  /// For words the separation is half the sum of |share of good nights - share of bad nights| over
  /// all values, a missing one being a value of its own; for properties whose values are all numbers
  /// and take more than two values it is the largest distance of the two cumulative distributions
  /// (Kolmogorov). Words that are another on every night, as times and run ids, tell nothing and are
  /// left out, as is what separates less than 0.2, and numbers with one middle.
  public static func between(
    good: [[String: String]], bad: [[String: String]]
  ) -> [EnvironmentDifference] {
    guard !good.isEmpty, !bad.isEmpty else { return [] }
    let keys = Set((good + bad).flatMap(\.keys))
    return keys.compactMap { key in
      difference(of: key, good: good.map { $0[key] }, bad: bad.map { $0[key] })
    }
    .filter { $0.separation >= 0.2 }
    .sorted { ($1.separation, $0.key) < ($0.separation, $1.key) }
  }

  private static func difference(
    of key: String, good: [String?], bad: [String?]
  ) -> EnvironmentDifference? {
    let all = good + bad
    let distinct = Set(all)
    // Of `21.4 degC` the number counts, where all have the same unit.
    let unit = all.first?.flatMap { $0 }.map(Self.unit) ?? ""
    let number = { (text: String?) in
      text.flatMap { $0.hasSuffix(unit) ? Double($0.dropLast(unit.count)) : nil }
    }
    let goodNumbers = good.compactMap(number)
    let badNumbers = bad.compactMap(number)
    if distinct.count > 2, goodNumbers.count == good.count, badNumbers.count == bad.count,
      let goodMiddle = Robust.median(goodNumbers), let badMiddle = Robust.median(badNumbers)
    {
      let decimals = decimals(of: all.compactMap { $0.map { String($0.dropLast(unit.count)) } })
      let (before, after) = (text(goodMiddle, decimals), text(badMiddle, decimals))
      // Numbers that scatter otherwise about one middle: nothing went from one to the other.
      guard before != after else { return nil }
      return EnvironmentDifference(
        key: key, separation: distance(goodNumbers, badNumbers), good: [before + unit],
        bad: [after + unit])
    }
    guard distinct.count < all.count || all.count <= 2 else { return nil }
    let separation = distinct.reduce(0.0) { sum, value in
      sum + 0.5 * abs(share(of: value, in: good) - share(of: value, in: bad))
    }
    return EnvironmentDifference(
      key: key, separation: separation, good: ranked(good), bad: ranked(bad))
  }

  /// What stands behind a number, with the space before it; empty where there is none.
  private static func unit(_ text: String) -> String {
    guard let space = text.firstIndex(of: " "), Double(text[..<space]) != nil else { return "" }
    return String(text[space...])
  }

  /// One decimal more than the numbers have, for a middle between two of them, and four at the most.
  private static func decimals(of numbers: [String]) -> Int {
    let most = numbers.map { $0.split(separator: ".").dropFirst().first?.count ?? 0 }.max() ?? 0
    return min(4, most + 1)
  }

  /// A number without the digits that only its computing left.
  private static func text(_ number: Double, _ decimals: Int) -> String {
    guard abs(number) >= 0.01 || number == 0 else { return EngineeringFormat.significant(number) }
    let text = EngineeringFormat.fixed(number, decimals)
    guard text.contains(".") else { return text }
    let short = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
    return String(short.reversed())
  }

  private static func share(of value: String?, in values: [String?]) -> Double {
    Double(values.count { $0 == value }) / Double(values.count)
  }

  private static func distance(_ one: [Double], _ other: [Double]) -> Double {
    (one + other).map { bound in
      abs(
        Double(one.count { $0 <= bound }) / Double(one.count)
          - Double(other.count { $0 <= bound }) / Double(other.count))
    }
    .max() ?? 0
  }

  private static func ranked(_ values: [String?]) -> [String] {
    let counts = Dictionary(grouping: values) { $0 ?? "(none)" }.mapValues(\.count)
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
  }
}
