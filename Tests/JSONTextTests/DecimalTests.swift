// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONText
import SeededRandom
import Testing

/// Numbers agree bit for bit with the C library's `strtod`, which rounds rightly.
struct DecimalTests {
  /// Reads texts as one array, and each with `strtod`; a text out of range must be refused alone.
  private func compare(_ texts: [String], _ seed: UInt64) throws {
    let expected = texts.map { strtod($0, nil) }
    let inRange = zip(texts, expected).filter { $0.1.isFinite }
    let bytes = Array("[\(inRange.map(\.0).joined(separator: ","))]".utf8)
    let document = try JSONDocument(bytes)
    #expect(document.root.count == inRange.count)
    for (node, (text, value)) in zip(document.root.elements, inRange) {
      let number = try #require(node.number)
      guard number.bitPattern != value.bitPattern else { continue }
      Issue.record("seed \(seed): \(text) reads as \(number), not \(value)")
    }
    for (text, value) in zip(texts, expected) where !value.isFinite {
      let error = #expect(throws: JSONError.self) { _ = try JSONDocument(Array(text.utf8)) }
      #expect(error?.code == .numberOutOfRange, "seed \(seed): \(text)")
    }
  }

  private func digits(_ count: Int, _ generator: inout SeededRandom) -> String {
    var text = String(generator.integer(1...9))
    for _ in 1..<max(count, 1) { text += String(generator.integer(0...9)) }
    return text
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `random decimals read as strtod reads them`(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    let texts = (0..<10_000).map { _ in
      var text = generator.chance(0.5) ? "-" : ""
      if generator.chance(0.4) {
        text += "0." + String(repeating: "0", count: generator.integer(0...25))
      }
      text += digits(generator.integer(1...22), &generator)
      if !text.contains(".") && generator.chance(0.6) {
        text += "." + digits(generator.integer(1...22), &generator)
      }
      if generator.chance(0.5) { text += "e\(generator.integer(-345...310))" }
      return text
    }
    try compare(texts, seed)
  }

  @Test(arguments: 11...13 as ClosedRange<UInt64>)
  func `the ways without long arithmetic read as strtod reads`(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    let texts = (0..<10_000).map { _ in
      digits(generator.integer(1...19), &generator) + "e\(generator.integer(-30...30))"
    }
    try compare(texts, seed)
  }

  /// The point halfway between two doubles, exactly, then one digit up and one down.
  ///
  /// A double is m x 2^e; halfway to the next is (2m + 1) x 2^(e - 1), and its decimal digits are
  /// those of (2m + 1) x 5^k where the exponent is -k, or of (2m + 1) x 2^k.
  @Test(arguments: 21...23 as ClosedRange<UInt64>)
  func `halfway points go to the even neighbour and their surroundings to the nearer one`(
    seed: UInt64
  ) throws {
    var generator = SeededRandom(seed: seed)
    var texts: [String] = []
    for _ in 0..<2000 {
      let significand = generator.next() >> 11 | 1 << 52
      let exponent = generator.integer(-60...20)
      var halfway = Digits(2 * significand + 1)
      for _ in 0..<abs(exponent - 1) { halfway.multiply(by: exponent > 0 ? 2 : 5) }
      let suffix = exponent > 0 ? "" : "e\(exponent - 1)"
      texts.append(halfway.text + suffix)
      texts.append(halfway.text + "." + String(repeating: "0", count: 30) + "1" + suffix)
      texts.append(halfway.predecessor + "." + String(repeating: "9", count: 30) + suffix)
    }
    try compare(texts, seed)
  }

  @Test(arguments: 31...32 as ClosedRange<UInt64>)
  func `subnormals and the ends of the range read as strtod reads them`(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    var texts = (0..<5000).map { _ in
      let value = Double(bitPattern: generator.next() >> UInt64(generator.integer(12...63)))
      return generator.chance(0.5)
        ? "\(value)" : "\(value)".replacing("e", with: "49999999999999999e")
    }
    texts += (0..<1000).map { _ in
      "\(generator.integer(1...9)).\(digits(20, &generator))e\(generator.integer(305...312))"
    }
    try compare(texts.map { $0 == "0.0" ? "0" : $0 }, seed)
  }

  @Test(arguments: [41])
  func `long numbers read as strtod reads them`(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    let texts = (0..<500).map { _ in
      let length = generator.integer(20...2000)
      let fraction = digits(generator.integer(1...2000), &generator)
      return digits(length, &generator) + "." + fraction
        + "e\(generator.integer(-400...0) - length)"
    }
    try compare(texts, seed)
  }
}

/// A whole number of any length by its decimal digits.
private struct Digits {
  /// The lowest digit first.
  private var digits: [UInt8] = []

  init(_ value: UInt64) {
    digits = "\(value)".utf8.reversed().map { $0 - UInt8(ascii: "0") }
  }

  mutating func multiply(by factor: UInt8) {
    var carry: UInt8 = 0
    for index in digits.indices {
      let product = digits[index] * factor + carry
      digits[index] = product % 10
      carry = product / 10
    }
    if carry > 0 { digits.append(carry) }
  }

  var text: String { digits.reversed().map(String.init).joined() }

  /// The number before this one, which must not end in zeros alone.
  var predecessor: String {
    var lower = self
    for index in digits.indices {
      guard lower.digits[index] == 0 else {
        lower.digits[index] -= 1
        break
      }
      lower.digits[index] = 9
    }
    return lower.text
  }
}
