// SPDX-License-Identifier: Apache-2.0

import Reporting
import Testing

@Suite struct RedrawPaceTests {
  @Test func `a second of a thousand states is drawn ten times and ends with the last`() {
    var pace = RedrawPace()
    var drawn: [String] = []
    var alarm: Double?
    for step in 0..<1000 {
      let now = Double(step) / 1000
      if let time = alarm, now >= time {
        alarm = nil
        if let text = pace.due(at: now) { drawn.append(text) }
      }
      switch pace.show("\(step)", at: now) {
      case .draw: drawn.append("\(step)")
      case .wait(let rest):
        #expect(alarm == nil)
        alarm = now + rest
      case .keep: break
      }
    }
    #expect((10...11).contains(drawn.count), "\(drawn)")
    #expect(drawn.first == "0")
    #expect(pace.due(at: 1.1) == "999")
    #expect(pace.due(at: 1.3) == nil)
  }

  @Test func `what was taken away is not drawn any more`() {
    var pace = RedrawPace()
    #expect(pace.show("one", at: 0) == .draw)
    #expect(pace.show("two", at: 0.02) == .wait(0.08))
    pace.clear()
    #expect(pace.due(at: 0.1) == nil)
    // A state after that waits for its own time.
    #expect(pace.show("three", at: 0.15) == .draw)
    guard case .wait = pace.show("four", at: 0.16) else {
      Issue.record("nobody waits")
      return
    }
    #expect(pace.due(at: 0.2) == nil)
    #expect(pace.due(at: 0.26) == "four")
  }
}
