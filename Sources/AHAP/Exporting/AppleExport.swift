// SPDX-License-Identifier: Apache-2.0

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
    let ordered = events.sorted { $0.time < $1.time }
    log.reordersEvents = zip(starts, starts.dropFirst()).contains { $0 > $1 }

    pattern = Self.assembled(ordered, others, metadata: source.metadata)
    log.note(version: source.version)
    changes = log.sentences
  }

  /// Puts events and, each behind as many of them as before, the other entries together.
  private static func assembled(
    _ events: [HapticEvent], _ others: [(slot: Int, entry: PatternEntry)], metadata: JSONValue?
  ) -> HapticPattern {
    var entries: [PatternEntry] = []
    var remaining = events[...]
    for (slot, entry) in others {
      entries += remaining[..<slot].map(PatternEntry.event)
      remaining = events[slot...]
      entries.append(entry)
    }
    entries += remaining.map(PatternEntry.event)
    var pattern = HapticPattern(metadata: metadata)
    for (rank, entry) in entries.enumerated() { entry.append(to: &pattern, order: rank) }
    return pattern
  }
}

enum PatternEntry {
  case event(HapticEvent)
  case parameter(DynamicParameter)
  case curve(ParameterCurve)

  /// The entries of a pattern by their rank; of equal ranks events first, then parameters.
  static func entries(of pattern: HapticPattern) -> [PatternEntry] {
    var entries: [(order: Int, entry: PatternEntry)] = []
    entries += pattern.events.map { ($0.order, .event($0)) }
    entries += pattern.parameters.map { ($0.order, .parameter($0)) }
    entries += pattern.curves.map { ($0.order, .curve($0)) }
    return entries.sorted { $0.order < $1.order }.map(\.entry)
  }

  func append(to pattern: inout HapticPattern, order: Int) {
    switch self {
    case .event(var event):
      event.order = order
      pattern.events.append(event)
    case .parameter(var parameter):
      parameter.order = order
      pattern.parameters.append(parameter)
    case .curve(var curve):
      curve.order = order
      pattern.curves.append(curve)
    }
  }

  /// What the entry controls and from when; nil for an event.
  var control: (id: DynamicParameterID, start: Double)? {
    switch self {
    case .event: nil
    case .parameter(let parameter): (parameter.id, parameter.time)
    case .curve(let curve): (curve.id, curve.time + (curve.points.first?.time ?? 0))
    }
  }

  /// When the control of each entry passes to a newer entry of the same ID; infinity if never.
  ///
  /// Of two that begin together the later in the file is the newer, and the other one's time comes
  /// at its own start.
  static func takeovers(of entries: [PatternEntry]) -> [Double] {
    var starts: [DynamicParameterID: [(start: Double, index: Int)]] = [:]
    for (index, entry) in entries.enumerated() {
      if let control = entry.control {
        starts[control.id, default: []].append((control.start, index))
      }
    }
    var takeovers = [Double](repeating: .infinity, count: entries.count)
    for sources in starts.values {
      let ordered = sources.sorted { $0.start < $1.start }
      for (source, next) in zip(ordered, ordered.dropFirst()) {
        takeovers[source.index] = next.start
      }
    }
    return takeovers
  }

  /// When the events of each domain start and end, in order.
  static func eventTimes(of entries: [PatternEntry]) -> [ParameterDomain: [Double]] {
    var times: [ParameterDomain: Set<Double>] = [:]
    for case .event(let event) in entries {
      times[event.kind.domain, default: []].formUnion([event.time, event.end])
    }
    return times.mapValues { $0.sorted() }
  }

  /// The entry with its times and values within their ranges and its points in order; nil if it has
  /// nothing to play or to control.
  func limited(_ log: inout ExportLog) -> PatternEntry? {
    switch self {
    case .event(var event):
      event.time = log.limited(event.time)
      for id in EventParameterID.allCases {
        guard let value = event.parameters[id] else { continue }
        let limited = log.limited(value, to: id.range)
        event.parameters[id] = id == .sustained ? log.flag(limited) : limited
      }
      guard !event.kind.isContinuous || event.duration ?? 0 > 0 else {
        log.eventsWithoutLength += 1
        return nil
      }
      return .event(event)
    case .parameter(var parameter):
      parameter.time = log.limited(parameter.time)
      parameter.value = log.limited(parameter.value, to: parameter.id.range)
      return .parameter(parameter)
    case .curve(var curve):
      guard !curve.points.isEmpty else {
        log.curvesWithoutEffect += 1
        return nil
      }
      curve.time = log.limited(curve.time)
      curve.points = curve.points.map {
        ParameterCurve.Point(
          time: log.limited($0.time), value: log.limited($0.value, to: curve.id.range))
      }
      if zip(curve.points, curve.points.dropFirst()).contains(where: { $0.time > $1.time }) {
        log.curvesOutOfOrder += 1
        curve.points.sort { $0.time < $1.time }
      }
      return .curve(curve)
    }
  }
}

extension HapticEvent {
  /// The event as pieces of at most 30 s that follow each other; the event itself if it is not longer.
  ///
  /// Only the first piece keeps the attack and only the last the release: where two meet, the one's
  /// shortest fall crosses the other's shortest rise. An event that is not sustained is over by its
  /// decay, so its duration is just limited. So is that of one longer than ``AppleExport/longestSplit``,
  /// or so late that no time lies between its pieces.
  func pieces(_ log: inout ExportLog) -> [HapticEvent] {
    let longest = Self.longestDuration
    guard kind.isContinuous, let duration, duration > longest else { return [self] }
    var limited = self
    limited.duration = longest
    guard resolved().isSustained else {
      log.limitedEvents += 1
      return [limited]
    }
    guard duration <= AppleExport.longestSplit else {
      log.tooLongEvents += 1
      return [limited]
    }
    guard time + longest - time > longest / 2 else {
      log.tooLateEvents += 1
      return [limited]
    }
    let count = Int((duration / longest).rounded(.up))
    log.splitDomains.insert(kind.domain)
    log.splitEvents += 1
    log.pieces += count
    return (0..<count).map { index in
      let start = duration * Double(index) / Double(count)
      let end = duration * Double(index + 1) / Double(count)
      var piece = self
      piece.time = time + start
      piece.duration = min(end - start, longest)
      if index > 0, parameters.attackTime != nil { piece.parameters.attackTime = 0 }
      if index < count - 1, parameters.releaseTime != nil { piece.parameters.releaseTime = 0 }
      return piece
    }
  }
}
