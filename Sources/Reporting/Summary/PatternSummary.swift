import Acceptance
import Units

/// What the summary says of one pattern.
struct PatternSummary {
  var pattern: RunRecord.Pattern
  var electricalLatency: Headline?
  var transportLatency: Headline?
  var sync: Headline?
  var intensityError: Headline?
  var correlation: Headline?
  var sharpnessError: Headline?
  var consistency: Headline?
  var harmony: Headline?
  var xruns: Headline?

  /// Which patterns' harmony was drawn together without some of its parts, by what is missing.
  static func incompleteHarmonies(_ rows: [PatternSummary]) -> [(note: String, patterns: [String])]
  {
    var found: [(note: String, patterns: [String])] = []
    for row in rows {
      guard let note = row.harmony?.note else { continue }
      if let index = found.firstIndex(where: { $0.note == note }) {
        found[index].patterns.append(row.pattern.name)
      } else {
        found.append((note, [row.pattern.name]))
      }
    }
    return found
  }

  /// The rows of a record, in the order the patterns were played.
  ///
  /// A quantity that was read for the run and not for the pattern stands in every row.
  static func rows(of record: RunRecord) -> [PatternSummary] {
    let readings = Dictionary(grouping: record.readings.filter { !$0.name.isControl }) {
      $0.pattern ?? ""
    }
    let ofRun = record.readings.filter { !$0.name.isControl && $0.pattern == nil }
    return record.patterns.map { pattern in
      let own = (readings[pattern.name] ?? []).filter { $0.pattern == pattern.name }
      // The pattern's own, which is not measured where one of its takes has none.
      let harmonies = own.filter { $0.name.kind == .harmony }
      let whole = harmonies.filter { $0.take == nil }
      func headline(_ kind: ReadingKind, _ rule: Headline.Rule) -> Headline? {
        Headline(own.filter { $0.name.kind == kind }, rule)
          ?? Headline(ofRun.filter { $0.name.kind == kind }, rule)
      }
      return PatternSummary(
        pattern: pattern,
        electricalLatency: headline(.latencyElectrical, .mean),
        transportLatency: headline(.latencyTransport, .mean),
        sync: headline(.syncAudioHaptic, .extreme),
        intensityError: headline(.intensityError, .rms),
        correlation: headline(.envelopeCorrelation, .mean),
        sharpnessError: headline(.sharpnessError, .rms),
        consistency: headline(.consistencyJ, .rms),
        harmony: Headline(whole.isEmpty ? harmonies : whole, .mean),
        xruns: headline(.xruns, .sum))
    }
  }
}
