/// What of a pattern can be felt or heard: two patterns whose values are equal play alike.
///
/// Events count by time, those at one time in the order of the file, with the defaults filled in;
/// parameters and curves in the order of the file, which tells the newest.
struct FeltPattern: Equatable {
  private struct Event: Equatable {
    var event: HapticEvent
    var values: ResolvedParameters
  }

  private enum Control: Equatable {
    case step(DynamicParameter)
    case curve(ParameterCurve)
  }

  private let events: [Event]
  private let controls: [Control]

  init(_ pattern: HapticPattern) {
    events = pattern.eventsByTime.map { event in
      var bare = event
      bare.order = 0
      bare.parameters = EventParameters()
      return Event(event: bare, values: event.resolved())
    }
    var controls: [(order: Int, control: Control)] = []
    for parameter in pattern.parameters {
      var bare = parameter
      bare.order = 0
      controls.append((parameter.order, .step(bare)))
    }
    for curve in pattern.curves where !curve.points.isEmpty {
      var bare = curve
      bare.order = 0
      controls.append((curve.order, .curve(bare)))
    }
    self.controls = controls.sorted { $0.order < $1.order }.map(\.control)
  }
}
