import SeededRandom
import Testing
import Units

struct EngineeringFormatTests {
  @Test(
    arguments: [
      (5.2004e-3, .second, 3e-7, "5.20040 ± 0.00030 ms"),
      (5.2e-4, .second, 1.24e-5, "520 ± 12 us"),
      (1.5, .second, 0.012, "1.500 ± 0.012 s"),
      (1e-9, .second, 2.5e-10, "1.00 ± 0.25 ns"),
      (3e-13, .second, 1.2e-12, "0.3 ± 1.2 ps"),
      (0, .second, 0, "0 us"),
      (12.34567, .volt, 0.12, "12.35 ± 0.12 V"),
      (-3.25, .decibel, 1.5, "-3.3 ± 1.5 dB"),
      (170.2, .hertz, 12.6, "170 ± 13 Hz"),
      (170.2, .hertz, 126, "170 ± 126 Hz"),
      (0, .volt, 0.5, "0.00 ± 0.50 V"),
      (0.97, .one, 0.02, "0.970 ± 0.020"),
      (1, .volt, 0.0999, "1.00 ± 0.10 V"),
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
}
