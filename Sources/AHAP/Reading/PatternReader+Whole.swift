import JSONText

extension PatternReader {
  /// Reports what shows only when all entries are read.
  mutating func reportWhole(at key: Int) throws(AHAPError) {
    let end = pattern.duration
    for (index, offset) in lateCurves {
      let curve = pattern.curves[index]
      guard let first = curve.points.first else { continue }
      if curve.looksAbsolute(patternEnd: end) {
        try report(
          .curvePointsAbsolute, at: offset,
          "the control points look counted from the start of the pattern: the curve would last "
            + "until \(curve.end.plainSum) s, the pattern until \(end.plainSum) s; count them from the "
            + "curve's 'Time'")
      } else {
        let hint =
          first.time == curve.time ? "; it equals that 'Time': is it counted from the pattern?" : ""
        try report(
          .curveFirstPointLate, at: offset,
          "the first control point comes \(first.time.plain) s after the curve's 'Time', and until "
            + "then what was in force holds\(hint)")
      }
    }
    if let firstDisorder {
      try report(
        .eventsOutOfOrder, at: firstDisorder,
        "the event starts before the one above it; events are played by their times")
    }
    if pattern.events.isEmpty {
      try report(.patternEmpty, at: key, "the pattern has no events, so nothing can be played")
    }
    if end > 30 {
      try report(
        .patternLong, at: key, "the pattern lasts \(end.plainSum) s; 30 s are the usual limit")
    }
  }
}
