// SPDX-License-Identifier: Apache-2.0

/// What an export has changed, counted while it works.
struct ExportLog {
  var movedValues = 0
  var eventsWithoutLength = 0
  var curvesWithoutEffect = 0
  var curvesOutOfOrder = 0
  var limitedEvents = 0
  var tooLongEvents = 0
  var tooLateEvents = 0
  var splitEvents = 0
  var pieces = 0
  var splitDomains: Set<ParameterDomain> = []
  var lateCurves = 0
  var steepCurves = 0
  var brokenCurves = 0
  var breaks = 0
  /// How far a control strays from that of the pattern.
  var deviation = 0.0
  var steps = 0
  var cutCurves = 0
  var links = 0
  var reordersEvents = false
  private var oldVersion: Double?
  private var controlsPieces = false

  mutating func limited(_ time: Double) -> Double { limited(time, to: 0...Double.infinity) }

  mutating func limited(_ value: Double, to range: ClosedRange<Double>) -> Double {
    if range.contains(value) { return value }
    movedValues += 1
    return min(max(value, range.lowerBound), range.upperBound)
  }

  /// Makes a value 0 or 1, whichever is nearer.
  mutating func flag(_ value: Double) -> Double {
    if value == 0 || value == 1 { return value }
    movedValues += 1
    return value < 0.5 ? 0 : 1
  }

  mutating func note(version: Double) { oldVersion = version == 1 ? nil : version }

  /// Notes whether an envelope control acts where an event was split: there it acts anew.
  mutating func noteControls(of entries: [PatternEntry]) {
    controlsPieces = entries.lazy.compactMap(\.control?.id).contains { id in
      id.target.isEnvelope && splitDomains.contains(id.domain)
    }
  }

  var sentences: [String] {
    var list: [String] = []
    func add(_ count: Int, _ one: String, _ many: String) {
      if count > 0 { list.append(count == 1 ? "1 \(one)" : "\(count) \(many)") }
    }
    if let oldVersion { list.append("'Version' was \(oldVersion.plain) and is 1.0 now.") }
    add(
      movedValues, "value was moved into its range.", "values were moved into their ranges.")
    add(
      eventsWithoutLength, "continuous event without a length was left out.",
      "continuous events without a length were left out.")
    add(
      curvesWithoutEffect, "curve that is never in force was left out.",
      "curves that are never in force were left out.")
    add(
      curvesOutOfOrder, "curve had its points put in the order of time.",
      "curves had their points put in the order of time.")
    add(
      limitedEvents, "event that is not sustained was limited to 30 s.",
      "events that are not sustained were limited to 30 s.")
    let longest = AppleExport.longestSplit.plain
    add(
      tooLongEvents,
      "event of more than \(longest) s was limited to 30 s, for it is too long to split.",
      "events of more than \(longest) s were limited to 30 s, for they are too long to split.")
    add(
      tooLateEvents, "event was limited to 30 s, for it is too late to split.",
      "events were limited to 30 s, for they are too late to split.")
    add(
      splitEvents, "event of more than 30 s was split into \(pieces) pieces without a gap.",
      "events of more than 30 s were split into \(pieces) pieces without gaps.")
    if controlsPieces {
      list.append(
        "The envelope controls of the pattern act on each piece of a split event anew, at its start."
      )
    }
    if reordersEvents { list.append("The events were put in the order of time.") }
    add(
      lateCurves, "curve whose first point came late starts at that point now.",
      "curves whose first points came late start at those points now.")
    add(
      steepCurves, "curve had jumps or ramps of less than 1 ms, which last 1 ms now.",
      "curves had jumps or ramps of less than 1 ms, which last 1 ms now.")
    let more = breaks == 1 ? "1 more curve takes" : "\(breaks) more curves take"
    add(
      brokenCurves, "curve was broken where a ramp of 1 ms has no room; \(more) over there.",
      "curves were broken where ramps of 1 ms have no room; \(more) over there.")
    if deviation > AppleExport.tolerance {
      let most = (deviation * 1000).rounded() / 1000
      list.append(
        "Curves stray from those of the pattern by up to \(most.plain), for points were less than "
          + "1 ms apart.")
    }
    add(
      steps, "curve of one point got a second one of the same value 1 ms later.",
      "curves of one point got a second one of the same value 1 ms later.")
    add(
      cutCurves, "curve of more than 16 points became \(links) of at most 16.",
      "curves of more than 16 points became \(links) of at most 16.")
    return list
  }
}
