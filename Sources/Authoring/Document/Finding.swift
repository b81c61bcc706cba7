// SPDX-License-Identifier: Apache-2.0

public import AHAP
import JSONText

/// What the linter says of a text, with the entry that it says it of and what would mend it.
public struct Finding: Sendable, Hashable {
  /// What was found; its severity is that of Apple's reader.
  public var diagnostic: Diagnostic
  /// The entry that it was found in.
  public var entry: Int?
  /// What mends it, each by itself.
  public var fixes: [Fix]

  /// Makes a finding.
  public init(_ diagnostic: Diagnostic, entry: Int?, fixes: [Fix] = []) {
    self.diagnostic = diagnostic
    self.entry = entry
    self.fixes = fixes
  }
}

extension PatternText {
  /// Reads the text as a pattern; nil where it is broken.
  ///
  /// What Apple's reader refuses is left out of the pattern and stands among the diagnostics as an
  /// error, with the severity that it has for Apple's reader. Linear.
  public func reading() -> AHAPDocument? {
    guard let document else { return nil }
    return try? AHAPReader.read(document, of: bytes, fileName: fileName, options: Self.options)
      .judged(in: .apple)
  }

  /// The findings of a reading of this text, or what makes it broken.
  ///
  /// Fixes are looked for only where one of the findings can have some.
  public func findings(of reading: AHAPDocument?) -> [Finding] {
    guard let document, let reading else {
      return broken.map { [Finding($0, entry: nil)] } ?? []
    }
    var fixes: [FindingPlace: [Fix]] = [:]
    let kinds = Set(reading.diagnostics.flatMap(\.code.fixKinds))
    if !kinds.isEmpty {
      for fix in AHAPFixer.fixes(in: document, of: bytes, kinds: kinds) {
        fixes[FindingPlace(code: fix.code, offset: fix.position.offset), default: []].append(fix)
      }
    }
    return reading.diagnostics.map { diagnostic in
      let place = FindingPlace(code: diagnostic.code, offset: diagnostic.position.offset)
      return Finding(diagnostic, entry: entry(at: place.offset), fixes: fixes[place] ?? [])
    }
  }
}

private struct FindingPlace: Hashable {
  var code: DiagnosticCode
  var offset: Int
}
