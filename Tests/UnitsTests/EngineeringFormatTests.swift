// SPDX-License-Identifier: Apache-2.0

import Glibc
import SeededRandom
import Testing
import Units

struct EngineeringFormatTests {
  @Test(
    arguments: [
      (5.2004e-3, .second, 3e-6, "5.2004 ± 0.0030 ms"),
      (5.2e-4, .second, 1.24e-5, "520 ± 12 us"),
      (1.5, .second, 0.012, "1.500 ± 0.012 s"),
      (1e-9, .second, 2.5e-10, "1.00 ± 0.25 ns"),
      (3e-13, .second, 1.2e-12, "0.3 ± 1.2 ps"),
      (0, .second, 0, "0 us"),
      (12.34567, .volt, 0.12, "12.35 ± 0.12 V"),
      (-3.25, .decibel, 1.5, "-3.3 ± 1.5 dB"),
      (170.2, .hertz, 12.6, "170 ± 13 Hz"),
      (170.2, .hertz, 126, "170 ± 130 Hz"),
      (0, .volt, 0.5, "0.00 ± 0.50 V"),
      (0.97, .one, 0.02, "0.970 ± 0.020"),
      (1, .volt, 0.0999, "1.00 ± 0.10 V"), (48_123.4, .hertz, 2_340, "48100 ± 2300 Hz"),
      (4, .hertz, 99.6, "0 ± 100 Hz"), (8.309333e-3, .second, 3e-5, "8.309 ± 0.030 ms"),
    ] as [(Double, MeasurementUnit, Double, String)])
  func `the uncertainty has two digits and the value as many decimals`(
    value: Double, unit: MeasurementUnit, uncertainty: Double, text: String
  ) {
    #expect(EngineeringFormat.text(value, unit, uncertainty: uncertainty) == text)
  }

  @Test(
    arguments: [
      (1.23456, .second, "1.235 s"), (0.0123456, .second, "12.35 ms"),
      (0.000123456, .second, "123.5 us"), (1e-3, .second, "1 ms"), (-4e-5, .second, "-40 us"),
      (1e-8, .second, "0.01 us"), (-8.053e-11, .second, "-0.08053 ns"), (2e-12, .second, "2 ps"),
      (48_000, .hertz, "48000 Hz"), (123_456, .hertz, "123456 Hz"), (0.5, .one, "0.5"),
      (3, .count, "3"), (0, .volt, "0 V"), (2.5, .volt, "2.5 V"), (-2.0004, .volt, "-2 V"),
      (0.001, .volt, "0.001 V"), (9.99996, .volt, "10 V"),
    ] as [(Double, MeasurementUnit, String)])
  func `without an uncertainty a value has four significant digits`(
    value: Double, unit: MeasurementUnit, text: String
  ) {
    #expect(EngineeringFormat.text(value, unit) == text)
  }

  @Test(
    arguments: [
      (1.0082959133860262e-7, "1.008e-7"), (-2.5e-9, "-2.5e-9"), (9.99996e-8, "1e-7"),
      (-9.99996e12, "-1e13"), (6.02214e23, "6.022e23"), (1e-6, "0.000001"), (1e-300, "1e-300"),
    ] as [(Double, String)])
  func `very small and very large numbers have four digits and an exponent`(
    value: Double, text: String
  ) {
    #expect(EngineeringFormat.significant(value) == text)
  }

  @Test(arguments: [Double.nan, .infinity, 0, -1, 4e-10, 1e-60])
  func `an uncertainty that is none is left out`(uncertainty: Double) {
    #expect(EngineeringFormat.text(2.5, .volt, uncertainty: uncertainty) == "2.5 V")
  }

  @Test(
    arguments: [
      (1.005, 2, "1.00"), (2.5, 0, "3"), (-2.5, 0, "-3"), (-0.001, 2, "0.00"), (0.1, 3, "0.100"),
      (12, 1, "12.0"), (0.999, 2, "1.00"), (1e9, 2, "1000000000.00"), (.infinity, 2, "inf"),
      (1e300, 2, "1e+300"),
    ] as [(Double, Int, String)])
  func `fixed decimals are rounded to nearest`(value: Double, decimals: Int, text: String) {
    #expect(EngineeringFormat.fixed(value, decimals) == text)
  }

  @Test func `what is printed lies within half a last digit of the value`() throws {
    var random = SeededRandom(seed: 0xef)
    for _ in 0..<2000 {
      let value = random.gaussian() * [1e-3, 1, 1e3, 1e6][random.integer(0...3)]
      let decimals = random.integer(0...6)
      let text = EngineeringFormat.fixed(value, decimals)
      let read = try #require(Double(text))
      let bound = 0.5 * [1, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6][decimals] * (1 + 1e-6)
      #expect(abs(read - value) <= bound + 1e-9 * abs(value), "\(value) as \(text), \(random)")
      let significant = try #require(Double(EngineeringFormat.significant(value)))
      #expect(abs(significant - value) <= 6e-4 * abs(value), "\(value), \(random)")
    }
  }

  @Test(arguments: [
    (8.2966, 0.0016, "8.2966(16)"), (15.111, 0.035, "15.111(35)"), (-1.0943, 0.0038, "-1.0943(38)"),
    (0.2134, 0.2, "0.21(20)"), (0.21, 0.96, "0.21(96)"), (153.4, 20, "153(20)"),
    (12.3, 1.4, "12.3(14)"), (1, 0.0999, "1.00(10)"), (1234.5, 260, "1230(260)"),
  ])
  func `the brackets hold the uncertainty of the last digits`(
    value: Double, spread: Double, text: String
  ) {
    #expect(EngineeringFormat.concise(value, uncertainty: spread) == text)
    #expect(EngineeringFormat.concise(value / 1e3, uncertainty: spread / 1e3, scale: 1e3) == text)
  }

  @Test(arguments: [nil, 0, -1, .nan] as [Double?])
  func `a narrow column without an uncertainty has four digits`(spread: Double?) {
    #expect(EngineeringFormat.concise(0.004059, uncertainty: spread, scale: 1e3) == "4.059")
  }

  @Test(
    arguments: [
      (5.20044e-3, .second, 3e-7, "5.2004 ± 0.0003 ms"),
      (12, .partsPerMillion, 5.7e-3, "12.000 ± 0.006 ppm"),
      (170.0098, .hertz, 0.0075, "170.01 ± 0.01 Hz"), (1, .one, 1.4e-8, "1.0000 ± 0.0001"),
      (9.99996, .volt, 1e-6, "10.000 ± 0.001 V"), (48_123.4, .hertz, 0.02, "48123 ± 1 Hz"),
      (123_456.7, .hertz, 0.02, "123457 ± 1 Hz"),
    ] as [(Double, MeasurementUnit, Double, String)])
  func `a value ends at its fifth digit, its uncertainty with it`(
    value: Double, unit: MeasurementUnit, uncertainty: Double, text: String
  ) {
    #expect(EngineeringFormat.text(value, unit, uncertainty: uncertainty) == text)
  }

  @Test(
    arguments: [
      (7.1e-11, .second, 9.8e-12, "0 ± 1 ns", "<1e-9"),
      (4.72e-4, .decibel, 5.6e-5, "0.00 ± 0.01 dB", "0.00(1)"),
      (-3.5282, .decibel, 0.0056, "-3.53 ± 0.01 dB", "-3.53(1)"),
      (6.3692e-3, .metrePerSecondSquared, 7.2e-6, "0.00637 ± 0.00001 m/s2", "0.00637(1)"),
      (5.5e-11, .second, nil, "below 1 ns", "<1e-9"),
      (4e-3, .decibel, nil, "below 0.01 dB", "<0.01"),
      (0, .decibel, nil, "0 dB", "0"), (29.7e-6, .second, 4.1e-6, "29.7 ± 4.1 us", "0.0000297(41)"),
      (1234.5, .volt, 260, "1230 ± 260 V", "1230(260)"),
    ] as [(Double, MeasurementUnit, Double?, String, String)])
  func `nothing of a reading is finer than is of use`(
    value: Double, unit: MeasurementUnit, uncertainty: Double?, text: String, short: String
  ) {
    #expect(
      EngineeringFormat.text(value, unit, uncertainty: uncertainty, finest: unit.finest) == text)
    #expect(
      EngineeringFormat.concise(value, uncertainty: uncertainty, finest: unit.finest) == short)
  }

  @Test func `who needs all digits gets them`() {
    let text = EngineeringFormat.text(8.3003123456, .volt, uncertainty: 1.2e-6, digits: 15)
    #expect(text == "8.3003123 ± 0.0000012 V")
  }

  @Test func `value and uncertainty end at one place, and the uncertainty has two digits`() throws {
    var random = SeededRandom(seed: 0x51)
    for _ in 0..<4000 {
      let spread = pow(10, Double.random(in: -6...5, using: &random))
      let value = random.gaussian() * pow(10, Double.random(in: -6...6, using: &random))
      let text = EngineeringFormat.text(value, .volt, uncertainty: spread, digits: 15)
      let parts = text.dropLast(2).split(separator: " ± ").map(String.init)
      try #require(parts.count == 2, "\(text)")
      let decimals = parts.map { part in part.split(separator: ".").dropFirst().first?.count ?? 0 }
      #expect(decimals[0] == decimals[1], "\(text)")
      let digits = parts[1].filter { $0 != "." }.drop { $0 == "0" }
      let told = parts[1].contains(".") ? digits : digits.prefix(2)
      #expect(told.count == 2, "\(text)")
      // Rounded to the place of the uncertainty's second digit.
      let shown = try parts.map { try #require(Double($0)) }
      let place = shown[1] / (try #require(Double(told)))
      let bound = 0.5 * place * (1 + 1e-6)
      #expect(abs(shown[0] - value) <= bound, "\(value) as \(text)")
      #expect(abs(shown[1] - spread) <= bound, "\(spread) as \(text)")
      // The short form says the same as the long one that people see.
      let long = EngineeringFormat.text(value, .volt, uncertainty: spread).dropLast(2)
        .split(separator: " ± ").map(String.init)
      let short = EngineeringFormat.concise(value, uncertainty: spread)
      #expect(short.hasPrefix(long[0] + "("), "\(short) and \(long)")
      let last = long[1].filter { $0 != "." }.drop { $0 == "0" }
      #expect(short.hasSuffix("(\(last))"), "\(short) and \(long)")
      #expect(
        long[0].filter(\.isNumber).drop { $0 == "0" }.count
          <= max(5, long[0].prefix { $0 != "." }.count))
    }
  }

  @Test(
    arguments: [
      (20.34, nil, "20"), (0.4059, 0.0028, "0.41"), (-8.5, 0.1, "8.5"), (8.5, 1.2, "9"),
      (0.04, 0.3, "0"), (133.4, nil, "130"), (0.996, nil, "1"), (0, 0.1, "0"), (6, 0.01, "6"),
    ] as [(Double, Double?, String)])
  func `a sentence has two digits, and none that is idle`(
    value: Double, spread: Double?, text: String
  ) {
    #expect(EngineeringFormat.rough(value, uncertainty: spread) == text)
  }
}
