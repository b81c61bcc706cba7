// SPDX-License-Identifier: Apache-2.0

import JSONText
import SeededRandom
import Testing

/// Numbers are read as the nearest double.
struct NumberTests {
  private func number(_ text: String) throws -> Double {
    try #require(try JSONDocument(Array(text.utf8)).root.number)
  }

  // Halfway cases and ends of the range; the expected values by exact rational arithmetic
  // (Python: float(fractions.Fraction(text))).
  @Test(arguments: [
    ("9007199254740993", 9_007_199_254_740_992.0),
    ("9007199254740993.0", 9_007_199_254_740_992.0),
    ("9007199254740993.0000000000000000000000000000001", 9_007_199_254_740_994.0),
    ("9007199254740995", 9_007_199_254_740_996.0),
    ("1.00000000000000011102230246251565404236316680908203125", 1.0),
    ("1.00000000000000011102230246251565404236316680908203126", 1.0000000000000002),
    ("5e-324", .leastNonzeroMagnitude), ("2.4703282292062327e-324", 0),
    ("2.4703282292062328e-324", .leastNonzeroMagnitude),
    ("2.2250738585072011e-308", Double.leastNormalMagnitude.nextDown),
    ("2.2250738585072014e-308", 2.2250738585072014e-308),
    ("1.7976931348623157e308", 1.7976931348623157e308), ("1e-400", 0), ("0e400", 0),
    ("18446744073709551615", 18_446_744_073_709_551_615.0),
    ("18446744073709551616", 18_446_744_073_709_551_616.0),
    ("0.1", 0.1), ("2.8908843537414968", 2.8908843537414968), ("1e22", 1e22), ("1e23", 1e23),
    ("0.00000000000000000000000000000001", 1e-32), ("123456789012345678e-5", 1234567890123.45678),
  ])
  func `hard cases are rounded rightly`(text: String, expected: Double) throws {
    #expect(try number(text) == expected)
    #expect(try number("-" + text) == -expected)
  }

  @Test func `minus zero keeps its sign`() throws {
    #expect(try number("-0").sign == .minus)
    #expect(try number("-0.0").sign == .minus)
    #expect(try JSONValue(parsing: Array("-0".utf8)) == .number(-0.0))
  }

  @Test(arguments: [1, 2, 3, 4, 5])
  func `decimals of any form read as the standard library reads them`(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    for _ in 0..<4000 {
      let digits = Int.random(in: 1...25, using: &generator)
      var text = (0..<digits).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
      text = String(text.drop { $0 == "0" })
      if text.isEmpty { text = "0" }
      if Bool.random(using: &generator) {
        let place = Int.random(in: 0..<text.count, using: &generator)
        let index = text.index(text.startIndex, offsetBy: place)
        text = (place == 0 ? "0" : text[..<index]) + "." + text[index...]
      }
      if Bool.random(using: &generator) {
        text += "e\(Int.random(in: -330...280, using: &generator))"
      }
      #expect(try number(text) == Double(text), "seed \(seed), \(text)")
    }
  }

  @Test(arguments: [6, 7])
  func `the shortest text of any double reads back as the same double`(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    for _ in 0..<10_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      let text = JSONValue.number(value).text()
      #expect(try number(text).bitPattern == value.bitPattern, "seed \(seed), \(text)")
    }
  }

  @Test func `numbers of ten thousand digits are exact`() throws {
    let zeros = String(repeating: "0", count: 10_000)
    let nines = String(repeating: "9", count: 10_000)
    #expect(try number("0.\(nines)") == 1)
    #expect(try number("1.\(zeros)1") == 1)
    #expect(try number("1\(zeros)e-10000") == 1)
    #expect(try number("0.\(zeros)25e10001") == 2.5)
    #expect(try number("0.\(zeros)") == 0)
    #expect(try number("9007199254740993.\(zeros)1") == 9_007_199_254_740_994)
    let error = try #require(throws: JSONError.self) { _ = try number("1\(zeros)") }
    #expect(error.code == .numberOutOfRange)
  }

  @Test(arguments: [
    ("0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", Int.max),
    ("-9223372036854775808", Int.min), ("9223372036854775808", nil), ("1.0", nil), ("1e2", nil),
    ("-0", nil), ("true", nil), ("99999999999999999999999", nil),
  ])
  func `integers are told from other numbers`(text: String, expected: Int?) throws {
    #expect(try JSONDocument(Array(text.utf8)).root.integer == expected)
  }
}
