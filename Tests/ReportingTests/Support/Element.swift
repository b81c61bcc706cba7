// SPDX-License-Identifier: Apache-2.0

/// An element of a page or an XML file as a test sees it.
struct Element {
  let name: String
  let attributes: [String: String]
  /// The text inside it, entities as they stand.
  var text = ""
  /// The names of the elements around it, outermost first.
  let ancestors: [String]

  /// What keeps a text from being balanced markup.
  struct Imbalance: Error {
    let description: String
  }

  private static let withoutEnd: Set = ["meta", "link", "br", "hr", "img", "input"]

  /// Reads the elements of a text in the order of their first tags; throws where one is not closed.
  static func all(in markup: String) throws -> [Element] {
    var elements: [Element] = []
    var open: [Int] = []
    var rest = markup[...]
    while let start = rest.firstIndex(of: "<") {
      for index in open { elements[index].text += rest[..<start] }
      rest = rest[start...].dropFirst()
      guard let end = rest.firstIndex(of: ">") else {
        throw Imbalance(description: "a tag is not ended")
      }
      let tag = rest[..<end]
      rest = rest[end...].dropFirst()
      if tag.hasPrefix("!") || tag.hasPrefix("?") { continue }
      if tag.hasPrefix("/") {
        guard let last = open.popLast(), elements[last].name == tag.dropFirst() else {
          throw Imbalance(description: "</\(tag.dropFirst())> closes nothing that is open")
        }
        continue
      }
      let isEmpty = tag.hasSuffix("/")
      let body = isEmpty ? tag.dropLast() : tag
      let name = String(body.prefix { $0 != " " })
      elements.append(
        Element(
          name: name, attributes: try attributes(body.dropFirst(name.count)),
          ancestors: open.map { elements[$0].name }))
      if isEmpty || withoutEnd.contains(name) { continue }
      open.append(elements.count - 1)
      if name == "style" || name == "script" {
        guard let end = rest.firstRange(of: "</\(name)>") else {
          throw Imbalance(description: "<\(name)> is not closed")
        }
        rest = rest[end.lowerBound...]
      }
    }
    guard open.isEmpty else {
      throw Imbalance(description: "not closed: \(open.map { elements[$0].name })")
    }
    return elements
  }

  private static func attributes(_ text: Substring) throws -> [String: String] {
    var attributes: [String: String] = [:]
    var rest = text.drop { $0 == " " }
    while let equals = rest.firstIndex(of: "=") {
      let key = String(rest[..<equals])
      rest = rest[equals...].dropFirst()
      guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else {
        throw Imbalance(description: "the attribute \(key) is not quoted")
      }
      attributes[key] = String(rest.dropFirst()[..<end])
      rest = rest[end...].dropFirst().drop { $0 == " " }
    }
    return attributes
  }
}
