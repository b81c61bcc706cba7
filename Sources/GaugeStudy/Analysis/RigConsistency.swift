// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
private import Glibc

/// Which of several rigs is off, by what all of them measured of the same: Mandel's h and k of ISO 5725-2, with
/// the chance of each in place of tables.
///
/// *Level.* With r(i) the level of rig i, d its distance from the mean of the p - 1 others and s their standard
/// deviation, d / (s sqrt(1 + 1 / (p - 1))) is Student's t with p - 2 degrees of freedom where all rigs are drawn from
/// one lab: h, solved for the rig that is asked about. Rigs scatter from night to night; what that alone may part
/// them by is the least that s is taken for. *Scatter.* The variance from night to night over that of all others
/// together is Fisher's F: k, likewise. Two rigs that are off hide each other in part.
package struct RigConsistency: Sendable, Equatable {
  /// What a rig measured of one actuator, night by night.
  package struct Cell: Sendable, Equatable {
    package let rig: String
    package let actuator: String
    package let values: [Double]

    package init(rig: String, actuator: String, values: [Double]) {
      self.rig = rig
      self.actuator = actuator
      self.values = values
    }
  }

  package struct Rig: Sendable, Equatable {
    package let rig: String
    package let count: Int
    /// The level, as it would be of all the actuators that are compared.
    package let level: Double
    /// The level less the mean of the other rigs', and how likely chance alone parts it as far to either side; `nil`
    /// of less than three rigs.
    package let distance: Double?
    package let chance: Double?
    /// The standard deviation from night to night, about each actuator's mean; `nil` where nothing was repeated.
    package let scatter: Double?
    /// How likely chance alone makes it as large beside the others'; `nil` where either was not repeated.
    package let scatterChance: Double?
  }

  /// By name.
  package let rigs: [Rig]
  /// The actuators that were measured on two rigs or more, by which the rigs are compared; empty where there is none, and
  /// each rig is compared with what is mounted on it.
  package let shared: [String]
  /// Rigs that share no actuator with the rest, or with too few, and are not compared.
  package let apart: [String]

  /// Compares rigs; cells may come in any order, of a rig and an actuator once, empty ones are left out.
  package init(_ given: [Cell]) {
    let cells = given.filter { !$0.values.isEmpty && $0.values.allSatisfy(\.isFinite) }
      .sorted { ($0.rig, $0.actuator) < ($1.rig, $1.actuator) }
    let rigsOf = Dictionary(grouping: cells, by: \.actuator).mapValues { Set($0.map(\.rig)) }
    let crossed = cells.filter { (rigsOf[$0.actuator]?.count ?? 0) > 1 }
    let all = Set(cells.map(\.rig))
    let together = Self.largestGroup(of: crossed)
    let compared = crossed.filter { together.contains($0.rig) }
    let own = together.isEmpty ? cells : compared
    shared = together.isEmpty ? [] : Set(compared.map(\.actuator)).sorted()
    apart = together.isEmpty ? [] : all.subtracting(together).sorted()
    let levels = together.isEmpty ? Self.ownLevels(own) : Self.levels(of: own)
    let squares = Dictionary(grouping: own, by: \.rig).mapValues { cells in
      cells.map { ValueGroup($0.values) }.reduce(into: (count: 0, freedom: 0, squares: 0.0)) {
        $0.count += $1.count
        $0.freedom += $1.count - 1
        $0.squares += $1.squares
      }
    }
    let names = levels.keys.sorted()
    rigs = names.map { name in
      let others = names.filter { $0 != name }
      let (level, own) = (levels[name] ?? 0, squares[name] ?? (0, 0, 0))
      let rest = others.reduce(into: (freedom: 0, squares: 0.0)) {
        $0.freedom += squares[$1]?.freedom ?? 0
        $0.squares += squares[$1]?.squares ?? 0
      }
      let scatter = own.freedom > 0 ? own.squares / Double(own.freedom) : nil
      var scatterChance: Double?
      if let scatter, rest.freedom > 0 {
        let other = rest.squares / Double(rest.freedom)
        scatterChance =
          other > 0
          ? FisherDistribution.tail(
            beyond: scatter / other, above: Double(own.freedom), below: Double(rest.freedom))
          : scatter > 0 ? 0 : 1
      }
      let found =
        others.count > 1
        ? Self.distance(
          of: level, from: others.map { levels[$0] ?? 0 },
          noise: Self.noise(own) + others.reduce(0) { $0 + Self.noise(squares[$1] ?? (0, 0, 0)) }
            / Double(others.count * others.count)) : nil
      return Rig(
        rig: name, count: own.count, level: level, distance: found?.value, chance: found?.chance,
        scatter: scatter?.squareRoot(), scatterChance: scatterChance)
    }
  }

  /// The variance of a rig's level by what its nights scatter.
  private static func noise(_ own: (count: Int, freedom: Int, squares: Double)) -> Double {
    own.freedom > 0 ? own.squares / Double(own.freedom) / Double(own.count) : 0
  }

  private static func distance(
    of level: Double, from others: [Double], noise: Double
  ) -> (value: Double, chance: Double) {
    let group = ValueGroup(others)
    let count = Double(others.count)
    let spread = group.squares / (count - 1) * (1 + 1 / count)
    let (value, variance) = (level - group.mean, max(spread, noise))
    // Equal to the last digit, rounding left aside, is not off.
    guard abs(value) > 1e-12 * max(abs(level), abs(group.mean)) else { return (0, 1) }
    return (
      value,
      StudentDistribution.tails(beyond: value / variance.squareRoot(), freedom: count - 1)
    )
  }

  private static func ownLevels(_ cells: [Cell]) -> [String: Double] {
    Dictionary(grouping: cells, by: \.rig).mapValues { ValueGroup($0.flatMap(\.values)).mean }
  }

  /// The rigs' levels of a sum, rig + actuator, that fits all cells' means: least squares, taken turn by turn.
  private static func levels(of cells: [Cell]) -> [String: Double] {
    let means = cells.map { ValueGroup($0.values).mean }
    let middle = ValueGroup(means).mean
    var (rigs, actuators): ([String: Double], [String: Double]) = ([:], [:])
    func effects(_ label: (Cell) -> String, _ other: (Cell) -> Double) -> [String: Double] {
      var sums: [String: (sum: Double, count: Double)] = [:]
      for (cell, mean) in zip(cells, means) {
        sums[label(cell), default: (0, 0)].sum += mean - middle - other(cell)
        sums[label(cell), default: (0, 0)].count += 1
      }
      return sums.mapValues { $0.sum / $0.count }
    }
    let span = means.reduce(0) { max($0, abs($1 - middle)) }
    // A design with few links between its rigs takes some hundreds.
    for _ in 0..<10_000 {
      actuators = effects(\.actuator) { rigs[$0.rig] ?? 0 }
      let next = effects(\.rig) { actuators[$0.actuator] ?? 0 }
      let change = next.reduce(0) { max($0, abs($1.value - (rigs[$1.key] ?? 0))) }
      rigs = next
      if change <= 1e-12 * span { break }
    }
    let mean = ValueGroup(actuators.keys.sorted().map { actuators[$0] ?? 0 }).mean
    return rigs.mapValues { middle + mean + $0 }
  }

  /// The largest set of rigs that are linked by actuators that two of them measured; of equal ones the first by name.
  private static func largestGroup(of cells: [Cell]) -> Set<String> {
    var groups: [Set<String>] = []
    for actuator in Set(cells.map(\.actuator)).sorted() {
      var linked = Set(cells.filter { $0.actuator == actuator }.map(\.rig))
      groups.removeAll { group in
        guard !group.isDisjoint(with: linked) else { return false }
        linked.formUnion(group)
        return true
      }
      groups.append(linked)
    }
    return groups.min { ($1.count, $0.min() ?? "") < ($0.count, $1.min() ?? "") } ?? []
  }
}
