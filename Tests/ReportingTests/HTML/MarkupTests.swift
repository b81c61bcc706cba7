// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reporting

@Suite struct MarkupTests {
  @Test func `the five marks become entities`() {
    #expect(Markup.escaped("<a href=\"x\">'&'") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;")
  }

  @Test func `characters that XML forbids are replaced`() {
    #expect(
      Markup.escaped("a\u{0}b\u{1B}c\u{7F}d\u{FFFE}e\r")
        == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}")
  }

  @Test func `everything else stays as it is`() {
    let text = "é漢🙂 tab\tline\n±µ"
    #expect(Markup.escaped(text) == text)
  }

  @Test func `elements nest and attributes are escaped`() {
    var markup = Markup()
    markup.element("a", ["b": "\"<"]) { inner in
      inner.empty("c")
      inner.element("d", text: "&")
    }
    #expect(markup.text == "<a b=\"&quot;&lt;\"><c/><d>&amp;</d></a>")
  }
}
