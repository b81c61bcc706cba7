// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticClips
import HapticRendering
import PublishedPatterns
import Testing

/// Published patterns become clips.
@Suite(.enabled(if: Corpus.isPresent, "the corpus of published files is not beside the repository"))
struct CorpusTests {
  @Test(arguments: Corpus.paths)
  func `a published pattern becomes a clip that can be read`(path: String) throws {
    let pattern = try Corpus.pattern(path)
    let result: ClipFromPatterns
    do {
      result = try ClipFromPatterns([pattern])
    } catch ClipConversionError.noHapticEvents {
      #expect(pattern.events.allSatisfy { $0.kind.domain == .audio })
      return
    }
    let text = HapticClipWriter.text(result.clip)
    #expect(try HapticClipReader.read(Array(text.utf8)) == result.clip)
    let taps = Set(pattern.events.filter { $0.kind == .hapticTransient }.map(\.time))
    let found = Set(result.clip.amplitude.filter { $0.emphasis != nil }.map(\.time))
    #expect(found == taps)
  }

  // The strongest continuous event at a time, by the intent that the renderer draws.
  @Test(arguments: Corpus.paths)
  func `the amplitude is the square of the intensity`(path: String) throws {
    let pattern = try Corpus.pattern(path)
    let configuration = RenderConfiguration()
    let timeline = Timeline(pattern, configuration: configuration)
    let events = timeline.events.filter { $0.kind == .continuous }
    let intent = Intent(timeline: timeline, configuration: configuration)
    guard !events.isEmpty, let result = try? ClipFromPatterns([pattern]) else { return }
    // Files of Lofelt's tools have their emphases' dips filled again.
    guard !result.changes.contains(where: { $0.contains("80 %") }) else { return }
    let jumps = timeline.controls.intensity.pieces.map(\.start)
    // The millisecond of the shortest attack and release counts as none in a clip.
    let edges = jumps + events.flatMap { [$0.start, $0.start + $0.envelope.duration] }
    for index in 0..<500 {
      let time = timeline.duration * (Double(index) + 0.5) / 500
      guard !edges.contains(where: { abs($0 - time) < 2e-3 }) else { continue }
      let level = events.map { intent.intensity(of: $0, at: time) }.max() ?? 0
      let found = value(result.clip.amplitudeLine, at: time)
      #expect(abs(found - level * level) < 2.5e-2, "at \(time) s")
    }
  }

  // Lofelt's own conversion: points at 0, 0.1, 0.2 and 0.3 s whose values are roots.
  @Test func `a pattern of Lofelt's tool becomes the clip that it was made from`() throws {
    let pattern = try Corpus.pattern("Lofelt-NiceVibrations/ahap_from_valid_v1_required.ahap")
    let clip = try ClipFromPatterns([pattern]).clip
    for (time, amplitude) in [(0.0, 0.2), (0.1, 0.3), (0.2, 0.2), (0.3, 0.5)] {
      #expect(abs(value(clip.amplitudeLine, at: time) - amplitude) < 1e-6)
    }
    #expect(abs(clip.end - 0.3) < 1e-6)
  }
}
