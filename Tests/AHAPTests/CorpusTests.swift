// SPDX-License-Identifier: Apache-2.0

import AHAP
import PublishedPatterns
import Testing

/// Published files are read as their authors meant them.
@Suite(.enabled(if: Corpus.isPresent, "the corpus of published files is not beside the repository"))
struct CorpusTests {
  @Test(arguments: Corpus.entries)
  func `counts agree with an independent reader`(entry: Corpus.Entry) throws {
    let pattern = try Corpus.read(entry.path).pattern
    #expect(pattern.events.count == entry.events)
    #expect(pattern.parameters.count == entry.parameters)
    #expect(pattern.curves.count == entry.curves)
    #expect(pattern.curves.reduce(0) { $0 + $1.points.count } == entry.points)
  }

  @Test(arguments: Corpus.entries)
  func `read, write, read is the identity`(entry: Corpus.Entry) throws {
    let pattern = try Corpus.read(entry.path).pattern
    let text = AHAPWriter.text(pattern)
    let again = try AHAPReader.read(Array(text.utf8))
    #expect(again.pattern == pattern)
    #expect(AHAPWriter.text(again.pattern) == text)
  }

  @Test(arguments: Corpus.entries)
  func `strict mode reads the same pattern`(entry: Corpus.Entry) throws {
    let strict = try Corpus.read(entry.path, mode: .strict)
    #expect(strict.pattern == (try Corpus.read(entry.path).pattern))
  }

  // The index names features by other words than the codes; these have one code each.
  @Test(arguments: Corpus.entries)
  func `oddities of the index are diagnosed`(entry: Corpus.Entry) throws {
    let document = try Corpus.read(entry.path)
    let codes = Set(document.diagnostics.map(\.code))
    let features: [(String, DiagnosticCode)] = [
      ("no Version", .versionMissing), ("Version integer 1", .versionInteger),
      ("trailing comma", .trailingComma),
      ("events not in time order", .eventsOutOfOrder), ("pattern longer than 30 s", .patternLong),
      ("without HapticIntensity", .defaultUsed), ("(>16)", .curveTooManyPoints),
      ("single control point", .curveOnePoint), ("out-of-range", .valueOutOfRange),
      ("ParameterCurves", .keyMisspelled),
    ]
    for (feature, code) in features {
      #expect(codes.contains(code) == entry.features.contains(feature), "\(feature)")
    }
    #expect(document.worstSeverity != .error)
  }

  @Test func `points counted from the pattern are told by the end they would reach`() throws {
    let chunk = try Corpus.read("Lofelt-NiceVibrations/17_points.ahap")
    let absolute = chunk.diagnostics.filter { $0.code == .curvePointsAbsolute }
    #expect(absolute.count == 1)
    let rebased = chunk.pattern.rebasingAbsoluteCurves()
    #expect(rebased.curves.filter { $0.end > rebased.duration } == [])
  }

  // These stay within the pattern either way, so only the likeness of two numbers can be told.
  @Test(arguments: [
    ("Lofelt-NiceVibrations/valid_v1.ahap", 2),
    ("facebook-meta-haptics-sdk/multiple_emphasis.ahap", 1),
  ])
  func `a late first point that equals the curve's time is pointed out`(
    path: String, count: Int
  ) throws {
    let late = try Corpus.read(path).diagnostics.filter { $0.code == .curveFirstPointLate }
    #expect(late.count { $0.message.contains("counted from the pattern?") } == count)
  }

  // Apple's own curves end where their events end only if points count from the curve's time.
  @Test(arguments: [
    "Apple-HapticSampler/Boing.ahap", "Apple-HapticSampler/Inflate.ahap",
    "apple-unityplugins/Boing.ahap", "apple-unityplugins/Open.ahap",
  ])
  func `control points count from the curve's time`(path: String) throws {
    let pattern = try Corpus.read(path).pattern
    for curve in pattern.curves {
      #expect(abs(curve.end - pattern.duration) < 1e-9, "\(curve.id)")
    }
  }

  @Test func `the second curve of Sparkle starts where the first one ends`() throws {
    let curves = try Corpus.read("Apple-HapticSampler/Sparkle.ahap").pattern.curves
    try #require(curves.count == 2)
    #expect(abs(curves[0].end - curves[1].time) < 1e-9)
  }

  @Test func `the transients of Drums that leave out the intensity get that of their type`() throws
  {
    let events = try Corpus.read("Apple-HapticSampler/Drums.ahap").pattern.events
    let bare = events.filter { $0.kind == .hapticTransient && $0.parameters.intensity == nil }
    #expect(!bare.isEmpty)
    #expect(bare.allSatisfy { $0.resolved().intensity == 0.75 })
    let faded = try #require(events.first { $0.parameters.sustained == 0 })
    #expect(faded.parameters.decayTime == 1 && !faded.resolved().isSustained)
    #expect(events.contains { $0.waveformPath == "AHAP/Drums.wav" })
  }

  @Test func `the sharpness of Recoil is moved from -1 to 0`() throws {
    let document = try Corpus.read("apple-unityplugins/Recoil.ahap")
    #expect(document.pattern.events.contains { $0.parameters.sharpness == 0 })
    let moved = document.diagnostics.filter { $0.code == .valueOutOfRange }
    #expect(moved.map(\.used) == ["0"])
  }

  @Test func `sharpness in hertz is moved to 1`() throws {
    let events = try Corpus.read("samroman3-AHAPpy/Success1.ahap").pattern.events
    #expect(events.allSatisfy { $0.parameters.sharpness == 1 })
  }
}
