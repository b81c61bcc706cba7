// SPDX-License-Identifier: Apache-2.0

import Acceptance
import SeededRandom
import Testing
import Units

@testable import Reporting

@Suite struct FigureDrawingTests {
  private func text(_ figure: TakeFigure) -> String {
    var markup = Markup()
    FigureDrawing(figure, identifier: "f").write(to: &markup)
    return markup.text
  }

  private func figure(
    panels: [TakeFigure.Panel] = [], events: [TakeFigure.Event] = []
  ) -> TakeFigure {
    TakeFigure(pattern: "A", take: 1, span: 0...1, panels: panels, events: events)
  }

  private let response = TakeFigure.Panel(
    title: "Response", unit: .metrePerSecondSquared,
    traces: [.init(name: "response", lowest: [-1, -4], highest: [2, 3])])

  @Test func `the worst picture of five noisy bands stays under 120 kB`() {
    var random = SeededRandom(seed: 5)
    func noise() -> TakeFigure.Trace {
      TakeFigure.Trace(
        name: "response",
        lowest: (0..<900).map { _ in Float.random(in: -1 ... -0.01, using: &random) },
        highest: (0..<900).map { _ in Float.random(in: 0.01...1, using: &random) })
    }
    let panels = ["Intent", "Drive", "Response", "Sound", "Current"].map {
      TakeFigure.Panel(title: $0, unit: .volt, traces: [noise()])
    }
    #expect(text(figure(panels: panels)).utf8.count < 120_000)
  }

  @Test func `all panels share one time axis`() {
    let drawing = FigureDrawing(figure(panels: [response, response]), identifier: "f")
    #expect(drawing.x(0) == FigureDrawing.left)
    #expect(drawing.x(1) == FigureDrawing.right)
    #expect(drawing.x(0.5) == (FigureDrawing.left + FigureDrawing.right) / 2)
    #expect(drawing.panels[1].top > drawing.panels[0].top + drawing.panels[0].height)
  }

  @Test func `a value is drawn where the axis says it is`() {
    let placed = FigureDrawing(figure(panels: [response]), identifier: "f").panels[0]
    #expect(placed.y(placed.scale.range.upperBound) == placed.top)
    #expect(abs(placed.y(0) - (placed.top + placed.height / 2)) < 1e-9)
  }

  @Test func `an event is a band in every panel and an onset a mark in the response`() throws {
    let event = TakeFigure.Event(
      index: 0, kind: "HapticContinuous", span: 0.25...0.75, onset: 0.26)
    let intent = TakeFigure.Panel(
      title: "Intent", unit: .one,
      traces: [.init(name: "intensity", lowest: [0, 1], highest: [0, 1])])
    let elements = try Element.all(in: text(figure(panels: [intent, response], events: [event])))
    let bands = elements.filter { $0.attributes["class"] == "event" }
    #expect(bands.count == 2)
    #expect(bands.allSatisfy { $0.attributes["x"] == "296.5" && $0.attributes["width"] == "461" })
    let onsets = elements.filter {
      $0.attributes["class"] == "onset" && $0.ancestors.last == "g" && $0.text.contains("260 ms")
    }
    #expect(onsets.count == 1)
  }

  @Test func `an event without length is wide enough to be seen`() throws {
    let event = TakeFigure.Event(index: 0, kind: "HapticTransient", span: 0.5...0.5, onset: nil)
    let elements = try Element.all(in: text(figure(panels: [response], events: [event])))
    let band = try #require(elements.first { $0.attributes["class"] == "event" })
    #expect(band.attributes["width"] == "2")
    #expect(!elements.contains { $0.attributes["class"] == "onset" })
  }

  @Test func `what cannot be seen is said`() throws {
    let event = TakeFigure.Event(index: 0, kind: "HapticTransient", span: 0.5...0.5, onset: nil)
    let elements = try Element.all(in: text(figure(panels: [response], events: [event])))
    let description = try #require(elements.first { $0.name == "desc" }).text
    #expect(
      description
        == "Time from 0 us to 1 s. Response (response) from -4 m/s2 to 3 m/s2. "
        + "1 event, onset found of 0.")
  }

  @Test func `a figure of nothing is still a picture`() throws {
    let elements = try Element.all(in: text(figure()))
    #expect(elements[0].name == "svg")
    let hollow = TakeFigure.Panel(
      title: "Drive", unit: .volt,
      traces: [.init(name: "drive", lowest: [.nan], highest: [.nan])])
    #expect(!text(figure(panels: [hollow])).contains("nan"))
    var instant = figure(panels: [response])
    instant.span = 1...1
    #expect(!text(instant).contains("nan"))
  }

  @Test func `numbers of events leave each other room`() throws {
    let events = (0..<400).map {
      TakeFigure.Event(
        index: $0, kind: "HapticTransient", span: (Double($0) / 400)...(Double($0) / 400 + 0.001),
        onset: nil)
    }
    let elements = try Element.all(in: text(figure(panels: [response], events: events)))
    let places = elements.filter { $0.attributes["class"] == "event-number" }
      .compactMap { $0.attributes["x"].flatMap(Double.init) }
    #expect(places.count > 20)
    for (left, right) in zip(places, places.dropFirst()) { #expect(right - left >= 10) }
  }
}
