// SPDX-License-Identifier: Apache-2.0

import JSONText
import SeededRandom
import Testing

/// Printing is deterministic and reads back as what was printed.
struct ValueTextTests {
  private let value: JSONValue = [
    "b": [1, 1.0, -0.5, true, nil], "a": ["é\n\u{1}": "q\"\\/"], "Z": [], "z": [:],
  ]

  @Test func `indented text is laid out in one way`() {
    #expect(
      value.text(indent: 2) == """
        {
          "b": [
            1,
            1.0,
            -0.5,
            true,
            null
          ],
          "a": {
            "é\\n\\u0001": "q\\"\\\\/"
          },
          "Z": [],
          "z": {}
        }
        """)
  }

  @Test func `compact text has no blanks and sorted keys go by bytes`() {
    #expect(
      value.text(indent: nil, sortedKeys: true)
        == #"{"Z":[],"a":{"é\n\u0001":"q\"\\/"},"b":[1,1.0,-0.5,true,null],"z":{}}"#)
  }

  @Test func `sorting keeps the order of equal keys`() {
    let value = JSONValue.object([
      JSONMember("b", 1), JSONMember("a", 2), JSONMember("b", 3), JSONMember("a", 4),
    ])
    #expect(value.text(indent: nil, sortedKeys: true) == #"{"a":2,"a":4,"b":1,"b":3}"#)
    #expect(value["b"] == 3)
  }

  @Test(arguments: [
    (0.1, "0.1"), (1e-5, "1e-05"), (1e300, "1e+300"), (-0.0, "-0.0"),
    (.leastNonzeroMagnitude, "5e-324"),
    (0.1 + 0.2, "0.30000000000000004"), (100_000, "100000.0"),
  ])
  func `doubles take the fewest digits that read back`(number: Double, text: String) {
    #expect(JSONValue.number(number).text() == text)
  }

  @Test func `a number that is not finite is a programming error`() async {
    await #expect(processExitsWith: .failure) { _ = JSONValue.number(.nan).text() }
    await #expect(processExitsWith: .failure) { _ = JSONValue.number(.infinity).text() }
  }

  @Test func `values give what they hold and nothing else`() {
    #expect(value["b"]?.elements?.count == 5)
    #expect(value["b"]?.elements?.first?.integer == 1)
    #expect(value["b"]?.elements?.first?.number == 1)
    #expect(value["b"]?.elements?[3].bool == true)
    #expect(value["a"]?.members?.first?.value.string == "q\"\\/")
    #expect(value["nothing"] == nil && value.number == nil)
  }

  private func randomValue(_ depth: Int, _ generator: inout SeededRandom) -> JSONValue {
    func text() -> String {
      let scalars: [Unicode.Scalar] = [
        "a", "\"", "\\", "\n", "\u{0}", "\u{1F}", "é", "𝄞", "/", " ",
      ]
      var view = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...12, using: &generator) {
        view.append(scalars.randomElement(using: &generator) ?? "a")
      }
      return String(view)
    }
    switch Int.random(in: 0...(depth > 0 ? 7 : 4), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2: return .integer(Int(truncatingIfNeeded: generator.next()))
    case 3:
      let number = Double(bitPattern: generator.next())
      return .number(number.isFinite ? number : 0.5)
    case 4: return .string(text())
    case 5, 6:
      return .array(
        (0..<Int.random(in: 0...4, using: &generator)).map { _ in randomValue(depth - 1, &generator)
        })
    default:
      return .object(
        (0..<Int.random(in: 0...20, using: &generator)).map { _ in
          JSONMember(text(), randomValue(depth - 1, &generator))
        })
    }
  }

  @Test(arguments: 100..<140 as Range<UInt64>)
  func `what is printed reads back as the same value`(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    let value = randomValue(4, &generator)
    for indent in [nil, 0, 2] {
      let text = value.text(indent: indent)
      #expect(try JSONValue(parsing: Array(text.utf8)) == value, "seed \(seed)\n\(text)")
    }
    let sorted = value.text(sortedKeys: true)
    let again = try JSONValue(parsing: Array(sorted.utf8))
    #expect(again.text(sortedKeys: true) == sorted, "seed \(seed)")
  }

  @Test(arguments: 200..<230 as Range<UInt64>)
  func `a damaged text is refused or read but never traps`(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    let whole = randomValue(4, &generator).utf8(indent: 1)
    for _ in 0..<200 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0...3, using: &generator) {
        case 0: bytes.remove(at: index)
        case 1: bytes[index] = UInt8(truncatingIfNeeded: generator.next())
        case 2: bytes.removeSubrange(index...)
        default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &generator)], at: index)
        }
      }
      do {
        let value = try JSONValue(parsing: bytes, options: .lenient)
        #expect(try JSONValue(parsing: value.utf8()) == value, "seed \(seed)")
      } catch {
        #expect((0...bytes.count).contains(error.position.offset), "seed \(seed), \(error)")
      }
    }
  }
}
