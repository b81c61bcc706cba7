// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

/// A view gives what a node gives, without keeping the document.
struct ViewTests {
  private let text = #"{"a":[1,-2.5,"x\u0079","",null,true],"b":{"c":[],"d":{}},"a":0}"#

  private func describe(_ node: JSONNode) -> String {
    let inside =
      node.elements.map(describe) + node.members.map { "\(describe($0.key)):\(describe($0.value))" }
    return "\(node.kind) \(node.offset) \(node.count) \(node.bool as Any) \(node.number as Any) "
      + "\(node.integer as Any) \(node.string as Any) \(inside)"
  }

  private func describe(_ view: JSONView) -> String {
    let inside =
      view.elements.map(describe) + view.members.map { "\(describe($0.key)):\(describe($0.value))" }
    return "\(view.kind) \(view.offset) \(view.count) \(view.bool as Any) \(view.number as Any) "
      + "\(view.integer as Any) \(view.string as Any) \(inside)"
  }

  @Test func `a view and a node give the same of every value`() throws {
    let document = try JSONDocument(Array(text.utf8))
    #expect(document.withUnsafeView(describe) == describe(document.root))
    #expect(document.withUnsafeView(\.value) == document.root.value)
  }

  @Test func `a switch over a view names strings`() throws {
    func name(_ view: JSONView) -> Int {
      switch view {
      case "": 0
      case "xy": 1
      case "Time": 2
      case "ParameterCurveControlPoints": 3
      default: 4
      }
    }
    let text =
      #"["","xy","x\u0079","Time","Tim","Times","Tame","ParameterCurveControlPoints",1,null]"#
    let document = try JSONDocument(Array(text.utf8))
    #expect(document.withUnsafeView { $0.elements.map(name) } == [0, 1, 1, 2, 4, 4, 4, 3, 4, 4])
  }

  @Test func `a view matches any string and nothing that is none`() throws {
    let document = try JSONDocument(Array(#"["","é","\u00e9","e\u0301",0]"#.utf8))
    func matches(_ text: String) -> [Bool] {
      document.withUnsafeView { $0.elements.map { $0.matches(text) } }
    }
    #expect(matches("\u{E9}") == [false, true, true, false, false])
    #expect(matches("") == [true, false, false, false, false])
  }

  @Test func `the error of a body comes through`() throws {
    struct Refusal: Error {}
    let document = try JSONDocument(Array("1".utf8))
    #expect(throws: Refusal.self) {
      try document.withUnsafeView { _ throws(Refusal) in throw Refusal() }
    }
  }

  @Test(arguments: [
    "7", "-7", "9223372036854775807", "-9223372036854775808", "12345678901234567890",
  ])
  func `an integer that ends the text is read to its end and no further`(text: String) throws {
    #expect(try JSONDocument(Array(text.utf8)).root.integer == Int(text))
  }
}
