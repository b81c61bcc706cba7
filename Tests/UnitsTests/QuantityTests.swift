// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing
import Units

struct QuantityTests {
  @Test(
    arguments: [
      ("4.0 V", .voltage, 4), ("0.4 ms", .time, 4e-4), ("12 ppm", .ratio, 12e-6),
      ("4V", .voltage, 4), ("2e3 Hz", .frequency, 2000), ("1e-3s", .time, 1e-3),
      ("48 kHz", .frequency, 48_000), ("50 %", .ratio, 0.5), ("3", .ratio, 3), ("3", .count, 3),
      ("3 count", .count, 3), ("  5   us  ", .time, 5e-6), ("-12 dB", .level, -12),
      ("+2 V", .voltage, 2), (".5 s", .time, 0.5), ("20 V/ms", .voltageSlope, 20_000),
      ("2 min", .time, 120), ("1.2 Vrms", .effectiveVoltage, 1.2), ("0.1 mH", .inductance, 1e-4),
      ("21 degC", .temperature, 21), ("0.645 N/A", .forceFactor, 0.645), ("2 mm", .length, 2e-3),
      ("0 m/s2", .acceleration, 0), ("2 m/s²", .acceleration, 2),
    ] as [(String, Dimension, Double)])
  func `a number with a unit is read in SI`(
    text: String, dimension: Dimension, expected: Double
  ) throws {
    let quantity = try Quantity.parse(text, as: dimension)
    #expect(quantity.unit.dimension == dimension)
    #expect(abs(quantity.siValue - expected) <= 1e-15 * max(1, abs(expected)))
  }

  @Test func `g is a mass or a gravity by what is asked for`() throws {
    #expect(try Quantity.parse("2 g", as: .mass).siValue == 2e-3)
    #expect(try Quantity.parse("2 g", as: .acceleration).siValue == 19.6133)
  }

  // 100 mV/g is 100e-3 V / 9.80665 m/s2; 25 ug/rtHz is 25e-6 * 9.80665 m/s2.
  @Test func `sensitivity and noise by gravity become SI`() throws {
    let sensitivity = try Quantity.parse("100 mV/g", as: .accelerationSensitivity)
    #expect(abs(sensitivity.siValue - 0.010197162129779282) < 1e-16)
    for text in ["1.04 mV/(m/s2)", "1.04 mV/(m/s^2)", "1.04 mV/(m/s²)"] {
      let quantity = try Quantity.parse(text, as: .accelerationSensitivity)
      #expect(abs(quantity.siValue - 1.04e-3) < 1e-15, "\(text)")
    }
    let noise = try Quantity.parse("25 ug/rtHz", as: .accelerationNoiseDensity)
    #expect(abs(noise.siValue - 2.4516625e-4) < 1e-18)
  }

  @Test(
    arguments: [
      ("", .time, "'' is not a number with a unit of time: write for example '1.5 s'"),
      ("fast", .time, "'fast' is not a number with a unit of time: write for example '1.5 s'"),
      ("V", .voltage, "'V' is not a number with a unit of voltage: write for example '1.5 V'"),
      (
        "nan Hz", .frequency,
        "'nan Hz' is not a number with a unit of frequency: write for example '1.5 Hz'"
      ),
      (
        "inf V", .voltage,
        "'inf V' is not a number with a unit of voltage: write for example '1.5 V'"
      ),
      (
        "1e999 V", .voltage,
        "'1e999 V' is not a number with a unit of voltage: write for example '1.5 V'"
      ),
      ("much", .ratio, "'much' is not a number with a unit of ratio: write for example '1.5 %'"),
      (
        "12", .time, "'12' has no unit: a time is given in s, ms, us, min, for example '1.5 s'"
      ),
      ("1", .voltage, "'1' has no unit: a voltage is given in V, mV, for example '1.5 V'"),
      (
        "9.81", .acceleration,
        "'9.81' has no unit: an acceleration is given in m/s2, g, for example '1.5 m/s2'"
      ),
      ("5", .mass, "'5' has no unit: a mass is given in kg, g, for example '1.5 kg'"),
      ("5", .energy, "'5' has no unit: an energy is given in J, for example '1.5 J'"),
      ("2 kV", .voltage, "'kV' is not a unit of voltage: use V, mV"),
      ("2 v", .voltage, "'v' is not a unit of voltage: use V, mV"),
      ("2 eV", .voltage, "'eV' is not a unit of voltage: use V, mV"),
      ("2 V", .effectiveVoltage, "'V' is not a unit of effective voltage: use Vrms"),
      ("2 s", .mass, "'s' is not a unit of mass: use kg, g"),
      ("2 3 V", .voltage, "'3 V' is not a unit of voltage: use V, mV"),
      ("1,5 V", .voltage, "'1,5 V' has a comma: decimals follow a point, as in '1.5 V'"),
      ("1,x V", .voltage, "',x V' is not a unit of voltage: use V, mV"),
      ("2 g-mass", .mass, "'g-mass' is not a unit of mass: use kg, g"),
    ] as [(String, Dimension, String)])
  func `a wrong text is refused in one sentence with the choices`(
    text: String, dimension: Dimension, message: String
  ) {
    let error = #expect(throws: Quantity.ParsingError.self) {
      try Quantity.parse(text, as: dimension)
    }
    #expect(error?.description == message)
  }

  @Test func `what a quantity prints is read back as the same quantity`() throws {
    var random = SeededRandom(seed: 0x51)
    for unit in MeasurementUnit.allCases {
      for _ in 0..<50 {
        let written = Quantity(random.gaussian() * 1e3, unit)
        let read = try Quantity.parse(written.description, as: unit.dimension)
        #expect(read == written, "\(written) in \(random)")
      }
    }
  }
}
