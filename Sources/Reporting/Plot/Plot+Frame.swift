extension Plot {
  /// Writes heading, grid, ticks and the titles of the axes.
  func writeFrame(to svg: inout Markup) {
    svg.element("text", ["class": "heading", "x": "0", "y": "14"], text: title)
    for tick in x.ticks {
      let place = SVG.place(place(x: tick))
      svg.empty(
        "path",
        [
          "class": "grid",
          "d": "M\(place) \(SVG.place(Self.top))V\(SVG.place(bottom))",
        ])
    }
    for tick in labelledTicks {
      svg.element(
        "text",
        [
          "x": SVG.place(place(x: tick)), "y": SVG.place(bottom + 14),
          "text-anchor": "middle",
        ], text: x.label(tick))
    }
    for tick in y.ticks {
      let isZero = tick == 0 && !y.isLogarithmic && y.range.lowerBound < 0
      svg.empty(
        "path",
        [
          "class": isZero ? "zero" : "grid",
          "d": "M\(SVG.place(Self.left)) \(SVG.place(place(y: tick)))"
            + "H\(SVG.place(Self.right))",
        ])
      svg.element(
        "text",
        [
          "x": SVG.place(Self.left - 6),
          "y": SVG.place(place(y: tick) + 3.5), "text-anchor": "end",
        ], text: y.label(tick))
    }
    writeRectangle("frame", to: &svg)
    svg.element("clipPath", ["id": "\(identifier)-clip"]) { clip in
      writeRectangle(nil, to: &clip)
    }
    svg.element(
      "text",
      [
        "class": "axis", "x": SVG.place((Self.left + Self.right) / 2),
        "y": SVG.place(bottom + 31), "text-anchor": "middle",
      ], text: x.title)
    let middle = SVG.place(Self.top + Self.plotHeight / 2)
    svg.element(
      "text",
      [
        "class": "axis", "x": "12", "y": middle, "text-anchor": "middle",
        "transform": "rotate(-90 12 \(middle))",
      ], text: y.title)
  }

  /// The ticks of the horizontal axis whose numbers have room, round ones first.
  private var labelledTicks: [Double] {
    func isRound(_ tick: Double) -> Bool {
      let digits = x.label(tick).drop { $0 == "0" || $0 == "." }
      return ["1", "2", "5"].contains(digits.prefix { $0 != "0" && $0 != "." })
    }
    var taken: [(middle: Double, half: Double)] = []
    for tick in x.ticks.filter(isRound) + x.ticks.filter({ !isRound($0) }) {
      let place = (place(x: tick), 4 + 3.1 * Double(x.label(tick).count))
      if taken.allSatisfy({ abs($0.middle - place.0) >= $0.half + place.1 }) { taken.append(place) }
    }
    let places = Set(taken.map(\.middle))
    return x.ticks.filter { places.contains(place(x: $0)) }
  }

  private func writeRectangle(_ style: String?, to svg: inout Markup) {
    let (x, y) = (SVG.place(Self.left), SVG.place(Self.top))
    let width = SVG.place(Self.right - Self.left)
    let height = SVG.place(Self.plotHeight)
    if let style {
      svg.empty("rect", ["class": style, "x": x, "y": y, "width": width, "height": height])
    } else {
      svg.empty("rect", ["x": x, "y": y, "width": width, "height": height])
    }
  }

  /// Writes the guides; words of neighbours stand at different heights.
  func writeMarks(to svg: inout Markup) {
    var row = 0
    for mark in marks {
      switch mark.place {
      case .x(let value):
        guard x.holds(value), (0...1).contains(x.place(of: value)) else { continue }
        let place = place(x: value)
        svg.empty(
          "path",
          [
            "class": "mark",
            "d": "M\(SVG.place(place)) \(SVG.place(Self.top))"
              + "V\(SVG.place(bottom))",
          ])
        let isRight = place > (Self.left + Self.right) / 2
        svg.element(
          "text",
          [
            "class": "word", "x": SVG.place(place + (isRight ? -4 : 4)),
            "y": SVG.place(Self.top + 13 + 14 * Double(row)),
            "text-anchor": isRight ? "end" : "start",
          ], text: mark.label)
        if !mark.label.isEmpty { row += 1 }
      case .y(let value):
        guard y.holds(value), (0...1).contains(y.place(of: value)) else { continue }
        let place = place(y: value)
        svg.empty(
          "path",
          [
            "class": "mark",
            "d": "M\(SVG.place(Self.left)) \(SVG.place(place))"
              + "H\(SVG.place(Self.right))",
          ])
        svg.element(
          "text",
          [
            "class": "word", "x": SVG.place(Self.right - 4),
            "y": SVG.place(place - 4), "text-anchor": "end",
          ], text: mark.label)
      }
    }
  }
}
