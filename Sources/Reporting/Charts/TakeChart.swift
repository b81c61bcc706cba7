import Acceptance
import JSONText
import Units

/// A take's traces as the data of a zoomable chart.
///
/// Samples are whole numbers of a 32767th of the trace's largest, two bytes each, the lower first, in
/// Base64; -32768 is a gap. A reader sees the same columns as in the still picture, or more.
struct TakeChart {
  let figure: TakeFigure
  /// The most columns of a trace.
  let columns: Int
  /// How the events came out, by their index.
  var scores: [Int: EventScore] = [:]

  /// The data as JSON that can stand inside a `script` element.
  var text: String {
    // JSON has no tags, so this sign stands inside strings alone.
    json.text(indent: nil, sortedKeys: false).replacing("<", with: "\\u003c")
  }

  private var json: JSONValue {
    var members = [
      JSONMember("span", [.number(figure.span.lowerBound), .number(figure.span.upperBound)]),
      JSONMember(
        "events",
        .array(
          figure.events.map { event in
            .array(
              [
                .integer(event.index), .number(event.span.lowerBound),
                .number(event.span.upperBound), event.onset.map { .number($0) } ?? .null,
              ] + score(event))
          })),
      JSONMember("panels", .array(figure.panels.map(panel))),
    ]
    if let spectrogram = figure.spectrogram {
      members.append(
        JSONMember(
          "spectrogram",
          [
            "frequencies": [
              .number(spectrogram.frequencies.lowerBound),
              .number(spectrogram.frequencies.upperBound),
            ],
            "ticks": ticks(AxisScale(spectrogram.frequencies, count: 3)),
          ]))
    }
    return .object(members)
  }

  /// The grade of an event, and in words what is wrong with it where something is.
  private func score(_ event: TakeFigure.Event) -> [JSONValue] {
    guard let score = scores[event.index] else { return [] }
    let grade = JSONValue.string(score.grade.rawValue)
    return score.grade == .good ? [grade] : [grade, .string(score.words)]
  }

  private func panel(_ panel: TakeFigure.Panel) -> JSONValue {
    let scale = FigureDrawing.scale(of: panel)
    return [
      "title": .string(panel.title),
      "unit": .string(FigureDrawing.symbol(of: panel.unit)),
      "height": .number(FigureDrawing.height(of: panel)),
      "range": [.number(scale.range.lowerBound), .number(scale.range.upperBound)],
      "ticks": ticks(scale),
      "traces": .array(panel.traces.map { trace(ColumnReduction.reduce($0, to: columns)) }),
    ]
  }

  private func ticks(_ scale: AxisScale) -> JSONValue {
    .array(scale.ticks.map { [.number($0), .string(scale.label($0))] })
  }

  private func trace(_ trace: TakeFigure.Trace) -> JSONValue {
    let finite = (trace.lowest + trace.highest).filter(\.isFinite).map { abs($0) }
    let largest = Double(finite.max() ?? 0)
    func samples(_ values: [Float]) -> JSONValue {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(2 * values.count)
      for value in values {
        let share = largest > 0 ? Double(value) / largest * 32767 : 0
        let sample = UInt16(bitPattern: value.isFinite ? Int16(share.rounded()) : .min)
        bytes.append(UInt8(sample & 255))
        bytes.append(UInt8(sample >> 8))
      }
      return .string(Base64.text(of: bytes))
    }
    var members = [
      JSONMember("name", .string(trace.name)),
      JSONMember("style", .string(FigureDrawing.colour(of: trace))),
      JSONMember("largest", .number(largest)),
      JSONMember("high", samples(trace.highest)),
    ]
    if !TracePath.isCurve(trace) { members.append(JSONMember("low", samples(trace.lowest))) }
    return .object(members)
  }
}
