// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
private import Glibc

/// A number with the interval that covers the true one in 95 of 100 studies.
package struct Bounded: Sendable, Equatable {
  package let value: Double
  package let low: Double
  package let high: Double

  /// Widened to hold the value: a value that was cut off at 0 may lie beside its interval.
  init(_ value: Double, _ interval: (low: Double, high: Double)) {
    self.value = value
    low = min(value, interval.low)
    high = max(value, interval.high)
  }

  package func scaled(by factor: Double) -> Bounded {
    Bounded(value * factor, (low * factor, high * factor))
  }
}

/// What the scatter of a reading comes from, by a study's values: docs/GAUGE.md.
///
/// All of actuator, rig, day, mount and repeat are taken as drawn by chance. Actuators and rigs are
/// crossed; a day is one of its rig, and actuators are crossed with it; mounts lie within actuator,
/// rig and day, and repeats within mounts. The order of the values changes nothing but rounding.
package struct GaugeAnalysis: Sendable {
  package struct Component: Sendable, Equatable {
    package let source: Source
    /// The standard deviation, in the reading's unit.
    package let deviation: Bounded
    /// The variance as it was estimated; below 0 it counts as 0.
    package let variance: Double
    /// Sources whose scatter is in this one, because the design cannot tell them apart.
    package let includes: [Source]
  }

  /// A row of the analysis of variance.
  package struct Row: Sendable, Equatable {
    package let source: Source
    package let freedom: Int
    package let squares: Double
    package let meanSquare: Double
    /// F, the degrees of freedom of its denominator, and the chance of so large a one without the
    /// source.
    package let ratio: Double?
    package let ratioFreedom: Double?
    package let probability: Double?
  }

  package let observations: [Observation]
  package let mean: Double
  package let rows: [Row]
  /// Those that the design can tell, in the order of `Source`.
  package let components: [Component]
  /// Sources that had one level alone: nothing is known of them.
  package let absent: [Source]
  /// Sources that vary in the study and whose scatter cannot be told from several others.
  package let confounded: [Source]
  /// The standard deviation of what is measured of one actuator: everything but the actuators.
  package let gauge: Bounded
  package let total: Double
  /// Its share of the total standard deviation; `nil` where one actuator was studied.
  package let studyVariation: Bounded?
  /// How many classes of the studied actuators it tells apart, 1.41 times the quotient of the
  /// standard deviations.
  package let classes: Bounded?
  /// Why this scale may be the wrong one; `nil` where nothing speaks for another.
  package let scaleNote: String?

  /// Analyses values; `nil` where nothing was repeated, and nothing can be told.
  ///
  /// Intervals are percentiles of so many `draws`: of 20,000 an end is good to about 3 % of itself
  /// where its source has two levels, and better where it has more.
  package init?(_ observations: [Observation], draws count: Int = 20_000) {
    let sorted = Self.groups(of: observations)
    let groups = sorted.map { ValueGroup($0.map(\.value)) }
    guard observations.count > 1, observations.allSatisfy(\.value.isFinite) else { return nil }
    let design = Design(sorted.compactMap(\.first), isRepeated: observations.count > groups.count)
    let analysis = SequentialAnalysis(groups, by: design.groupings)
    guard analysis.error.freedom > 0 else { return nil }
    self.observations = observations
    mean = observations.reduce(0) { $0 + $1.value } / Double(observations.count)
    let sources = design.terms + [.repeat]
    rows = zip(sources.indices, analysis.rows + [analysis.error]).map { place, row in
      let test = place < design.terms.count ? analysis.test(of: place) : nil
      return Row(
        source: sources[place], freedom: row.freedom, squares: row.squares,
        meanSquare: row.freedom > 0 ? row.meanSquare : 0, ratio: test?.ratio,
        ratioFreedom: test?.freedom, probability: test?.probability)
    }
    absent = design.absent
    let told = sources.indices.filter { $0 == design.terms.count || analysis.rows[$0].freedom > 0 }
    confounded = sources.indices.filter { !told.contains($0) }.map { sources[$0] }

    let variances = analysis.components(of: analysis.meanSquares)
    let draws = Draws(analysis, count: count)
    let deviations = told.map { place in
      Bounded(
        max(0, variances[place]).squareRoot(), draws.interval { max(0, $0[place]).squareRoot() })
    }
    components = zip(told, deviations).map { place, deviation in
      Component(
        source: sources[place], deviation: deviation, variance: variances[place],
        includes: design.merged[sources[place]] ?? [])
    }
    let actuator = told.first { sources[$0] == .actuator }
    let ofGauge = told.filter { $0 != actuator }
    // The scatter of repeats is part of it, whatever the others come to.
    func gaugeVariance(_ variances: [Double]) -> Double {
      max(variances[design.terms.count], ofGauge.reduce(0) { $0 + variances[$1] })
    }
    let gaugeValue = ofGauge.reduce(0) { $0 + max(0, variances[$1]) }
    // How much each mean square counts in the sum of the variances: the sum is linear in them.
    let weights = analysis.meanSquares.indices.map { row in
      let only = analysis.meanSquares.indices.map { $0 == row ? 1.0 : 0 }
      return ofGauge.reduce(0) { $0 + analysis.components(of: only)[$1] }
    }
    let bounds = draws.bounds(ofSum: weights, of: analysis.meanSquares)
    gauge = Bounded(
      gaugeValue.squareRoot(), (max(0, bounds.low).squareRoot(), bounds.high.squareRoot()))
    let parts = actuator.map { max(0, variances[$0]) } ?? 0
    total = (gaugeValue + parts).squareRoot()
    guard let actuator, gaugeValue > 0 || parts > 0 else {
      (studyVariation, classes) = (nil, nil)
      scaleNote = Self.scaleNote(sorted)
      return
    }
    studyVariation = Bounded(
      (gaugeValue / (gaugeValue + parts)).squareRoot(),
      draws.interval { variances in
        let (own, other) = (gaugeVariance(variances), max(0, variances[actuator]))
        return own + other > 0 ? (own / (own + other)).squareRoot() : 0
      })
    func tellable(_ parts: Double, by gauge: Double) -> Double {
      Self.classFactor * (max(0, parts) / max(gauge, .leastNonzeroMagnitude)).squareRoot()
    }
    classes = Bounded(
      tellable(parts, by: gaugeValue),
      draws.interval { tellable($0[actuator], by: gaugeVariance($0)) })
    scaleNote = Self.scaleNote(sorted)
  }

  /// The root of 2 as the AIAG writes it: its reference manual of measurement systems analysis, 4th
  /// edition.
  package static let classFactor = 1.41

  private static func groups(of observations: [Observation]) -> [[Observation]] {
    Dictionary(grouping: observations) { $0.label(of: .mount) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map { $0.value.sorted { $0.value < $1.value } }
  }
}

/// Which sources a design can tell.
private struct Design {
  /// Those that have a component, the repeats' left out, in the order of their sums of squares.
  private(set) var terms: [Source] = []
  private(set) var groupings: [Grouping] = []
  private(set) var absent: [Source] = []
  private(set) var merged: [Source: [Source]] = [:]

  /// Takes one value of each group; `isRepeated` where a group has more than one.
  init(_ groups: [Observation], isRepeated: Bool) {
    let all = Dictionary(
      uniqueKeysWithValues: Source.allCases.map { source in
        (source, Grouping(groups.map { $0.label(of: source) }))
      })
    func count(_ source: Source) -> Int { all[source]?.count ?? 0 }
    let varies: [Source: Bool] = [
      .actuator: count(.actuator) > 1, .rig: count(.rig) > 1, .day: count(.day) > count(.rig),
      .mount: count(.mount) > count(.actuator), .repeat: isRepeated || count(.repeat) > 1,
      .actuatorByRig: count(.actuator) > 1 && count(.rig) > 1,
      .actuatorByDay: count(.actuator) > 1 && count(.day) > count(.rig),
    ]
    var kept: [Source: Grouping] = [:]
    for source in Source.precedence {
      guard varies[source] == true, let grouping = all[source] else {
        // An interplay with what does not vary is none of its own.
        if ![.actuatorByRig, .actuatorByDay].contains(source) { absent.append(source) }
        continue
      }
      // Several repeats a mount are sorted by nothing; of one each, repeat and mount are the same.
      if source == .repeat, isRepeated { continue }
      if let same = Source.precedence.first(where: { kept[$0] == grouping }) {
        merged[same, default: []].append(source)
      } else {
        kept[source] = grouping
      }
    }
    for term in Source.terms {
      guard let grouping = kept[term] else { continue }
      terms.append(term)
      groupings.append(grouping)
    }
  }
}

extension SequentialAnalysis {
  fileprivate func test(of term: Int) -> Test? {
    guard let (value, freedom) = denominator(of: term) else { return nil }
    let ratio = rows[term].meanSquare / value
    return Test(
      ratio: ratio, freedom: freedom,
      probability: FisherDistribution.tail(
        beyond: ratio, above: Double(rows[term].freedom), below: freedom))
  }
}

/// Variances as they may be, given the sums of squares: generalized pivots.
///
/// A sum of squares over its expected mean square is chi-square. Put the other way round, SS /
/// chi-square is what may be expected of a mean square, and the variances of such are what they may
/// be. Source: Hamada and Weerahandi, "Measurement System Assessment via Generalized Inference", J.
/// Quality Technology 32 (2000); Burdick, Borror and Montgomery, "Design and Analysis of Gauge R&R
/// Studies", 2005, appendix B. Of a design with gaps the sums are only nearly so; docs/GAUGE.md has
/// the coverage.
private struct Draws {
  private static let seed: UInt64 = 0x6761_7567
  private let meanSquares: [[Double]]
  private let variances: [[Double]]

  init(_ analysis: SequentialAnalysis, count: Int) {
    var random = ChiSquareDraws(seed: Self.seed)
    let rows = analysis.rows + [analysis.error]
    meanSquares = (0..<count).map { _ in
      rows.map { row in row.freedom > 0 ? row.squares / random.next(freedom: row.freedom) : 0 }
    }
    variances = meanSquares.map(analysis.components)
  }

  /// From the 2.5th to the 97.5th percentile of what the variances come to.
  func interval(_ quantity: ([Double]) -> Double) -> (low: Double, high: Double) {
    Self.interval(of: variances.map(quantity))
  }

  private static func interval(of values: [Double]) -> (low: Double, high: Double) {
    let sorted = values.sorted()
    let outside = sorted.count / 40
    return (sorted[outside], sorted[sorted.count - 1 - outside])
  }

  /// The modified large sample's interval of a weighted sum of mean squares (Graybill and Wang,
  /// 1980).
  ///
  /// The distances from each mean square to the ends of its own interval are added as squares. Of
  /// sums pivots give a lower end that is too high where several have few degrees of freedom: it
  /// was above the truth in 8 of 100.
  func bounds(
    ofSum weights: [Double], of squares: [Double]
  ) -> (low: Double, high: Double) {
    var (sum, down, up) = (0.0, 0.0, 0.0)
    for (row, weight) in weights.enumerated() {
      let own = Self.interval(of: meanSquares.map { $0[row] })
      let (below, above) = (weight * (squares[row] - own.low), weight * (own.high - squares[row]))
      sum += weight * squares[row]
      down += weight > 0 ? below * below : above * above
      up += weight > 0 ? above * above : below * below
    }
    return (sum - down.squareRoot(), sum + up.squareRoot())
  }
}

extension GaugeAnalysis {
  /// Says where scatter grows with the level, so that one number does not hold for all actuators.
  ///
  /// Looked at where the actuators' means are apart by a factor of 2 or more: the scatter within
  /// groups of the logarithm against that of the value, both in the unit of the value (Box and Cox,
  /// 1964), at 95 %.
  private static func scaleNote(_ groups: [[Observation]]) -> String? {
    let values = groups.map { $0.map(\.value) }
    let count = values.reduce(0) { $0 + $1.count }
    let means = Dictionary(grouping: groups.joined()) { $0.actuator }.values.map { own in
      own.reduce(0) { $0 + $1.value } / Double(own.count)
    }
    guard values.joined().allSatisfy({ $0 > 0 }), let least = means.min(), let most = means.max(),
      most >= 2 * least, count - groups.count >= 10
    else { return nil }
    func squares(_ values: [[Double]]) -> Double {
      values.reduce(0) { $0 + ValueGroup($1).squares }
    }
    let middle = exp(values.joined().reduce(0) { $0 + log($1) } / Double(count))
    let logarithmic = squares(values.map { $0.map { middle * log($0) } })
    let gain = Double(count - groups.count) / 2 * log(squares(values) / logarithmic)
    guard gain > 1.92 else { return nil }
    return
      "the scatter grows with the level: these numbers hold for the mean level, and actuators of "
      + "like levels are better studied apart"
  }
}
