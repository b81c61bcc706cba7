// SPDX-License-Identifier: Apache-2.0

import Fuzzing
import JSONText

/// Bytes as JSON, in both modes: read as the grammar says, with every place in the text, and what is
/// read prints and reads back as itself.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  for options in [
    JSONOptions.strict, .lenient, JSONOptions(allowsTrailingCommas: true, nestingLimit: 3),
  ] {
    check(bytes, options: options)
  }
  return 0
}

private func check(_ bytes: [UInt8], options: JSONOptions) {
  let expected = PlainReading.value(of: bytes, options: options)
  let document: JSONDocument
  do throws(JSONError) {
    document = try JSONDocument(bytes, options: options)
  } catch {
    require(error.position, in: bytes, of: "the fault '\(error.message)'")
    require(expected == nil, "refused, but JSON by the grammar: \(error)")
    return
  }
  guard let expected else { fatalError("violated: read, but no JSON by the grammar") }
  checkPlaces(of: document, in: bytes)

  let value = document.root.value
  // Printed texts are compared, not values: Swift's strings are equal in any Unicode normal form,
  // and -0 equals 0.
  let printed = value.utf8(indent: nil)
  require(printed == expected.utf8(indent: nil), "read as \(value), by the grammar \(expected)")
  for indent in [nil, 0, 2] {
    for sortedKeys in [false, true] {
      let text = value.utf8(indent: indent, sortedKeys: sortedKeys)
      let again = reread(text)
      require(sortedKeys || again == value, "\(value) reads back as \(again)")
      require(
        again.utf8(indent: indent, sortedKeys: sortedKeys) == text,
        "prints differently after reading back: \(String(decoding: text, as: UTF8.self))")
    }
  }
}

private func checkPlaces(of document: JSONDocument, in bytes: [UInt8]) {
  for (offsets, byte) in [
    (document.trailingCommaOffsets, UInt8(ascii: ",")),
    (document.duplicateKeyOffsets, UInt8(ascii: "\"")),
  ] {
    require(offsets.allSatisfy { bytes.indices.contains($0) }, "offsets \(offsets) of no byte")
    require(offsets.allSatisfy { bytes[$0] == byte }, "offsets \(offsets) of other characters")
    require(zip(offsets, offsets.dropFirst()).allSatisfy { $0 < $1 }, "\(offsets) do not rise")
  }
  checkPlace(of: document.root, in: bytes)
}

private func checkPlace(of node: JSONNode, in bytes: [UInt8]) {
  require(bytes.indices.contains(node.offset), "a \(node.kind) at \(node.offset)")
  switch node.kind {
  case .array: require(bytes[node.offset] == UInt8(ascii: "["), "an array at \(node.offset)")
  case .object: require(bytes[node.offset] == UInt8(ascii: "{"), "an object at \(node.offset)")
  case .string: require(bytes[node.offset] == UInt8(ascii: "\""), "a string at \(node.offset)")
  case .null, .bool, .number: break
  }
  require(
    node.elements.reduce(0) { count, _ in count + 1 }
      + node.members.reduce(0) { count, _ in count + 1 } == node.count,
    "a \(node.kind) of \(node.count)")
  for element in node.elements { checkPlace(of: element, in: bytes) }
  for (key, value) in node.members {
    checkPlace(of: key, in: bytes)
    checkPlace(of: value, in: bytes)
    if let name = key.string {
      require(key.matches(name), "a key does not match itself: \(name)")
    }
  }
}

private func reread(_ text: [UInt8]) -> JSONValue {
  do throws(JSONError) {
    // Indented, the deepest text that is read nests as deep as any options allow.
    return try JSONValue(
      parsing: text, options: JSONOptions(nestingLimit: JSONOptions.deepestNesting))
  } catch {
    fatalError("violated: what was printed is refused: \(error)")
  }
}
