// SPDX-License-Identifier: Apache-2.0

import AHAP
import PublishedPatterns
import Testing

/// Published files can be fixed and play as before.
@Suite(.enabled(if: Corpus.isPresent, "the corpus of published files is not beside the repository"))
struct CorpusFixTests {
  @Test(arguments: Corpus.entries)
  func `a file is fixed for good and plays as before`(entry: Corpus.Entry) throws {
    let bytes = try Corpus.bytes(entry.path)
    let fixed = try AHAPFixer.fixed(bytes, fileName: entry.path)
    let pattern = try AHAPReader.read(fixed.bytes).pattern
    #expect(Played(pattern) == Played(try AHAPReader.read(bytes).pattern))
    #expect(try AHAPFixer.fixed(fixed.bytes).applied == [])
    let strict = try AHAPReader.read(fixed.bytes, options: AHAPOptions(mode: .strict))
    // What lacks a required value may have no fix, and then it was refused before as well.
    let safe = strict.diagnostics.filter {
      $0.code.fixKinds == [.safe] && $0.code.defaultSeverity != .error
    }
    #expect(safe == [])
  }

  @Test(arguments: Corpus.entries)
  func `with all kinds named nothing that can be fixed is left`(entry: Corpus.Entry) throws {
    let kinds = Set(FixKind.allCases)
    let fixed = try AHAPFixer.fixed(try Corpus.bytes(entry.path), kinds: kinds)
    let strict = try AHAPReader.read(fixed.bytes, options: AHAPOptions(mode: .strict))
    let late = strict.diagnostics.filter {
      !$0.code.fixKinds.isEmpty && !$0.message.contains("what was in force holds")
    }
    #expect(late == [])
    #expect(try AHAPFixer.fixed(fixed.bytes, kinds: kinds).applied == [])
  }

  @Test func `absolute points are counted as the model does it`() throws {
    let path = "Lofelt-NiceVibrations/17_points.ahap"
    let fixed = try AHAPFixer.fixed(try Corpus.bytes(path), kinds: [.rebase])
    let model = try Corpus.read(path).pattern.rebasingAbsoluteCurves()
    let curves = try AHAPReader.read(fixed.bytes).pattern.curves
    #expect(curves.count == model.curves.count)
    for (curve, expected) in zip(curves, model.curves) {
      #expect(
        zip(curve.points, expected.points).allSatisfy {
          abs($0.time - $1.time) < 1e-12 && $0.value == $1.value
        })
    }
  }

  @Test func `a file of several megabytes is fixed by one edit`() throws {
    let path = "samroman3-AHAPpy/Wakeup_combined.ahap"
    let applied = try AHAPFixer.fixed(try Corpus.bytes(path)).applied
    #expect(applied.map(\.code) == [.eventsOutOfOrder])
  }
}
