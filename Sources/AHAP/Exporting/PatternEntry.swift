/// An entry of `Pattern`, whatever it holds.
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
    return entries.enumerated().sorted {
      ($0.element.order, $0.offset) < ($1.element.order, $1.offset)
    }.map(\.element.entry)
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
  private var control: (id: DynamicParameterID, start: Double)? {
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
      let ordered = sources.sorted { ($0.start, $0.index) < ($1.start, $1.index) }
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
        curve.points = curve.points.enumerated().sorted {
          ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }.map(\.element)
      }
      return .curve(curve)
    }
  }
}
