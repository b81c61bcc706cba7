import JSONText

extension FixScan {
  /// Finds what shows only when all entries are seen.
  mutating func scanWhole(_ entries: [LocatedNode]) {
    for curve in suspects {
      let isBeyond = curve.end > patternEnd + 0.001
      // Counted from its own time the curve ends with an event: it is meant so, as in Apple's Jump.
      if !isBeyond, eventEnds.contains(where: { abs($0 - curve.end) < 0.001 }) { continue }
      let start = source.text(curve.start.range)
      add(
        .rebase, isBeyond ? .curvePointsAbsolute : .curveFirstPointLate, at: curve.origin,
        "count the control points from the curve's 'Time' \(start)",
        curve.times.map { time in
          TextEdit(
            range: time.range,
            replacement: DecimalDifference.text(source.text(time.range), minus: start))
        })
    }
    sortEvents(entries)
  }

  /// Puts the entries of events into the order of time, among the places that events have.
  ///
  /// Parameters and curves keep their places, and with them which of two at one time wins.
  private mutating func sortEvents(_ entries: [LocatedNode]) {
    guard !hasUnknownEvent,
      let late = events.indices.dropFirst().first(where: {
        events[$0].time < events[$0 - 1].time
      })
    else { return }
    let movable = events.filter { $0.slot != nil }
    let order = movable.indices.sorted { (movable[$0].time, $0) < (movable[$1].time, $1) }
    var sorted = order.map { movable[$0].time }.makeIterator()
    var last = 0.0
    for event in events {
      let time = event.slot == nil ? event.time : sorted.next() ?? event.time
      guard time >= last else { return }
      last = time
    }
    add(
      .safe, .eventsOutOfOrder, at: events[late].key, "put the events in the order of time",
      isReordering: true,
      source.permutation(
        of: movable.compactMap { $0.slot.map { entries[$0].range } }, by: order))
  }
}
