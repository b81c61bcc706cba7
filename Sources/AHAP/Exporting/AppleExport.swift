import JSONText

/// A pattern brought within the limits that are known to be safe on Apple's devices.
///
/// Curves have 2 to 16 points, count from their first point, and draw no change in less than 1 ms;
/// continuous events last at most 30 s, longer ones being split; values lie in their ranges, events in
/// the order of time, and `Version` is 1.0. What is felt and heard stays: the controls agree with
/// those of the pattern within ``tolerance``, but for the 1 ms before a change that was faster than
/// that; at the start and the end of each event they agree there too. Where a ramp of 1 ms would not
/// allow it, the curve ends at the change and a new one takes over. Only where many points lie less
/// than 1 ms apart do the controls stray farther, and ``changes`` says how far. Pieces of an event
/// follow each other without a gap. Exporting what was exported changes nothing.
///
/// Continuous events longer than ``longestSplit`` are not split but limited to 30 s.
///
/// A pattern that was read has had its continuous events limited to 30 s by the reader already, unless
/// its options say otherwise.
public struct AppleExport: Sendable, Hashable {
  /// The pattern to write.
  public let pattern: HapticPattern
  /// What was changed, a sentence each; empty if nothing was.
  public let changes: [String]

  /// The shortest ramp of a curve in seconds: Lofelt found shorter ones to glitch.
  public static let shortestRamp = 1e-3

  /// The longest event in seconds that is split into pieces; a longer one is limited to 30 s.
  public static let longestSplit = 3600.0

  /// How far controls may stray from those of the pattern without a word about it.
  public static let tolerance = 1e-3

  /// Exports a pattern.
  ///
  /// Cost: n log n in entries and control points. Times and values must be finite, of any size.
  public init(_ source: HapticPattern) {
    var log = ExportLog()
    let entries = PatternEntry.entries(of: source).compactMap { $0.limited(&log) }
    let takeovers = PatternEntry.takeovers(of: entries)
    let times = PatternEntry.eventTimes(of: entries)

    var events: [HapticEvent] = []
    var starts: [Double] = []
    var others: [(slot: Int, entry: PatternEntry)] = []
    for (index, entry) in entries.enumerated() {
      switch entry {
      case .event(let event):
        starts.append(event.time)
        events += event.pieces(&log)
      case .parameter: others.append((events.count, entry))
      case .curve(let curve):
        others += curve.safeCurves(
          until: takeovers[index], sampledAt: times[curve.id.domain] ?? [], &log
        ).map { (events.count, .curve($0)) }
      }
    }
    log.noteControls(of: others.map(\.entry))
    let ordered = events.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }.map(\.element)
    log.reordersEvents = zip(starts, starts.dropFirst()).contains { $0 > $1 }

    pattern = Self.assembled(ordered, others, metadata: source.metadata, version: 1)
    log.note(version: source.version)
    changes = log.sentences
  }

  /// Puts events and, each behind as many of them as before, the other entries together.
  private static func assembled(
    _ events: [HapticEvent], _ others: [(slot: Int, entry: PatternEntry)], metadata: JSONValue?,
    version: Double
  ) -> HapticPattern {
    var pattern = HapticPattern(version: version, metadata: metadata)
    var rank = 0
    var remaining = others[...]
    for slot in 0...events.count {
      while let next = remaining.first, next.slot == slot {
        next.entry.append(to: &pattern, order: rank)
        rank += 1
        remaining.removeFirst()
      }
      guard slot < events.count else { break }
      PatternEntry.event(events[slot]).append(to: &pattern, order: rank)
      rank += 1
    }
    return pattern
  }
}
