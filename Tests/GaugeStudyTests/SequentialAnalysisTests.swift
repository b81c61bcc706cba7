// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GaugeStudy

/// Against statsmodels and dense projections: the numbers are from References/components.py.
struct SequentialAnalysisTests {
  private static func isNear(_ value: Double?, _ wanted: Double, _ share: Double = 1e-9) -> Bool {
    value.map { abs($0 - wanted) <= share * max(1, abs(wanted)) } ?? false
  }

  @Test func `a balanced study is the textbook's analysis`() throws {
    let analysis = try #require(GaugeAnalysis(SimulatedStudy().observations(seed: 1)))
    #expect(analysis.rows.map(\.source.rawValue) == Source.terms.map(\.rawValue) + ["repeat"])
    #expect(analysis.rows.map(\.freedom) == [2, 1, 2, 2, 4, 12, 24])
    let squares = [
      628.3645589661271, 35.2822334506796, 5.112884132942542, 38.06289698169731,
      34.56221282681144, 113.50460414282716, 23.440121224029895,
    ]
    for (row, wanted) in zip(analysis.rows, squares) {
      #expect(Self.isNear(row.squares, wanted), "\(row)")
    }
    // By expected mean squares that are written out by hand.
    let variances = [
      19.476614838537017, 0.930620670835939, -0.7605138925289486, 0.8659079403454828,
      -0.20454095129985106, 4.241022647117176, 0.9766717176679123,
    ]
    for (component, wanted) in zip(analysis.components, variances) {
      #expect(Self.isNear(component.variance, wanted), "\(component)")
      #expect(component.deviation.value == max(0, component.variance).squareRoot())
    }
    let actuator = analysis.rows[0]
    #expect(Self.isNear(actuator.ratio, 122.89825910928552))
    #expect(Self.isNear(actuator.ratioFreedom, 2))
    #expect(Self.isNear(actuator.probability, 0.008071138425907514))
    // scipy.stats.f.sf
    let mount = analysis.rows[5]
    #expect(Self.isNear(mount.ratio, 9.684643100353222))
    #expect(Self.isNear(mount.probability, 1.659664708751578e-06, 1e-9))
    #expect(analysis.absent.isEmpty)
    #expect(analysis.confounded.isEmpty)
  }

  @Test func `a mount and repeats that are missing change coefficients, not the method`() throws {
    let gaps = SimulatedStudy().observations(seed: 1).enumerated().filter { index, value in
      if value.actuator == "1", value.rig == "0", value.day == "1", value.mount == "1" {
        return false
      }
      return !(value.actuator == "2" && value.rig == "1" && index % 2 == 1)
    }.map(\.element)
    #expect(gaps.count == 42)
    let analysis = try #require(GaugeAnalysis(gaps))
    #expect(analysis.rows.map(\.freedom) == [2, 1, 2, 2, 4, 11, 19])
    let squares = [
      469.96377039812774, 27.039431906907335, 3.6316877332571247, 33.3707116365965,
      34.99309880082379, 104.75607142745032, 19.341043250912776,
    ]
    let variances = [
      16.740790336850228, 0.8837277120248558, -1.017763588945099, 0.7284814911387466,
      -0.20595558946642953, 4.677931266740856, 1.017949644784883,
    ]
    for (row, wanted) in zip(analysis.rows, squares) {
      #expect(Self.isNear(row.squares, wanted), "\(row)")
    }
    for (component, wanted) in zip(analysis.components, variances) {
      #expect(Self.isNear(component.variance, wanted), "\(component)")
    }
  }

  /// Thermal impedances of ten power modules, three inspectors, three repeats (Houf and Berman,
  /// 1988).
  ///
  /// Published by Montgomery, "Design and Analysis of Experiments", and with intervals by Burdick,
  /// Borror and Montgomery, J. Quality Technology 35 (2003).
  private static let impedances: [[[Double]]] = [
    [[37, 38, 37], [41, 41, 40], [41, 42, 41]], [[42, 41, 43], [42, 42, 42], [43, 42, 43]],
    [[30, 31, 31], [31, 31, 31], [29, 30, 28]], [[42, 43, 42], [43, 43, 43], [42, 42, 42]],
    [[28, 30, 29], [29, 30, 29], [31, 29, 29]], [[42, 42, 43], [45, 45, 45], [44, 46, 45]],
    [[25, 26, 27], [28, 28, 30], [29, 27, 27]], [[40, 40, 40], [43, 42, 42], [43, 43, 41]],
    [[25, 25, 25], [27, 29, 28], [26, 26, 26]], [[35, 34, 34], [35, 35, 34], [35, 34, 35]],
  ]

  @Test func `Montgomery's thermal impedances come out as published`() throws {
    let observations = Self.impedances.enumerated().flatMap { part, inspectors in
      inspectors.enumerated().flatMap { inspector, values in
        values.map {
          Observation(
            actuator: "\(part)", rig: "\(inspector)", day: "1", mount: "1", value: $0)
        }
      }
    }
    let analysis = try #require(GaugeAnalysis(observations))
    #expect(analysis.rows.map(\.freedom) == [9, 2, 18, 60])
    let meanSquares = [437.3283950617285, 19.6333333333333, 2.69506172839503, 0.511111111111111]
    for (row, wanted) in zip(analysis.rows, meanSquares) {
      #expect(Self.isNear(row.meanSquare, wanted), "\(row)")
    }
    let variances: [(Source, Double)] = [
      (.actuator, 48.2925925925926), (.rig, 0.5646090534979454), (.mount, 0.7279835390946404),
      (.repeat, 0.511111111111111),
    ]
    for (component, (source, variance)) in zip(analysis.components, variances) {
      #expect(component.source == source)
      #expect(Self.isNear(component.variance, variance), "\(component)")
    }
    // Nobody mounted a part twice for one inspector: the two cannot be told apart.
    #expect(analysis.components[2].includes == [.actuatorByRig])
    #expect(analysis.absent == [.day])
    #expect(Self.isNear(analysis.rows[2].probability, 5.060090058925032e-07, 1e-6))
    // The interval of the gauge's variance is published as 1.20 to 27.02, by modified large
    // samples.
    let gauge = analysis.gauge
    #expect(Self.isNear(gauge.value * gauge.value, 1.803703703703697))
    #expect(abs(gauge.low * gauge.low / 1.2062 - 1) < 0.03, "\(gauge)")
    #expect(abs(gauge.high * gauge.high / 27.017 - 1) < 0.06, "\(gauge)")
    // That of the repeats is exact: chi-square of 60 degrees of freedom.
    let own = analysis.components[3].deviation
    #expect(abs(own.low * own.low / 0.36816 - 1) < 0.02, "\(own)")
    #expect(abs(own.high * own.high / 0.75754 - 1) < 0.02, "\(own)")
  }
}
