// SPDX-License-Identifier: Apache-2.0

import AHAP
import Authoring
import Foundation
import JSONText

/// A step of an edit of a large pattern, beside a bare parse of the same text.
struct EditBenchmark {
  private static let eventCount = 10_000

  func report() {
    let bytes = [UInt8](Corpus.taps(count: Self.eventCount, step: 0.01))
    print("editing \(Self.eventCount) events (\(bytes.count / 1000) kB)")
    let parse = best(of: 20) { _ = try? JSONDocument(bytes, options: .lenient) }
    row("bare parse", milliseconds(parse), "")
    let document = PatternText(bytes)
    func show(_ name: String, _ seconds: Double, aim: Bool = false) {
      row(
        name, milliseconds(seconds),
        "\((seconds / parse * 10).rounded() / 10) bare parses" + (aim ? ", aim 30 ms" : ""))
    }
    show("entries of a text", best(of: 20) { _ = PatternText(bytes) })
    let one = [operation(5_000)]
    show("one event moved", best(of: 20) { step(document, one) }, aim: true)
    let all = (0..<Self.eventCount).map(operation)
    show("every event moved", best(of: 10) { step(document, all) })
    let tap = PatternEntry(
      kind: .transient, time: 50, parameters: EventParameters(intensity: 1, sharpness: 1))
    show("an event put into the middle", best(of: 20) { step(document, [.insert(at: 5_000, tap)]) })
    show(
      "as many put among them",
      best(of: 5) { step(document, (0..<Self.eventCount).map { .insert(at: $0, tap) }) })
    var history = EditHistory(bytes)
    if let edits = try? document.edits(for: all) {
      _ = try? history.take(.edit(label: "all", edits.edits))
    }
    show(
      "every move undone, without a parse",
      best(of: 10) {
        var copy = history
        _ = try? copy.take(.undo)
      })
    show("reading for the linter", best(of: 10) { _ = document.reading() })
    let reading = document.reading()
    show("its findings with fixes", best(of: 10) { _ = document.findings(of: reading) })
    print()
  }

  private func operation(_ index: Int) -> Authoring.Operation {
    .set(entry: index, EntryChange(.time, .number(Double(index) * 0.01 + 0.001)))
  }

  /// What a server does for a step, but for the text of its answer.
  private func step(_ document: PatternText, _ operations: [Authoring.Operation]) {
    guard let edits = try? document.edits(for: operations) else { return }
    let next = document.replacing(edits)
    _ = EntrySplice.splices(from: document, to: next, by: edits)
  }

  private func milliseconds(_ seconds: Double) -> String {
    "\((seconds * 1e4).rounded() / 10) ms"
  }
}
