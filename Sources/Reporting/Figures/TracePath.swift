// SPDX-License-Identifier: Apache-2.0

import Acceptance
import CPNG
import Units

/// The path of a trace in the short form of SVG: relative steps in tenths of a unit.
struct TracePath {
  private(set) var data = ""
  private var last = Point(x: 0, y: 0)

  private struct Point: Equatable {
    var x: Int
    var y: Int
  }

  init(_ trace: TakeFigure.Trace, x: (Int) -> Double, y: (Double) -> Double) {
    let isCurve = Self.isCurve(trace)
    var column = 0
    while column < trace.lowest.count {
      guard Self.isDrawn(trace, column) else {
        column += 1
        continue
      }
      let start = column
      while column < trace.lowest.count, Self.isDrawn(trace, column) { column += 1 }
      func points(_ values: [Float]) -> [Point] {
        (start..<column).map {
          Point(x: SVG.tenths(x($0)), y: SVG.tenths(y(Double(values[$0]))))
        }
      }
      let highest = points(trace.highest)
      append(isCurve ? highest : highest + points(trace.lowest).reversed(), closed: !isCurve)
    }
  }

  static func isCurve(_ trace: TakeFigure.Trace) -> Bool {
    trace.lowest.indices.allSatisfy {
      !isDrawn(trace, $0) || trace.lowest[$0] == trace.highest[$0]
    }
  }

  private mutating func append(_ points: [Point], closed: Bool) {
    let kept = Self.withoutMiddles(points)
    guard let first = kept.first else { return }
    data += "M\(SVG.number(tenths: first.x))"
    appendSecond(first.y)
    last = first
    data += "l"
    // A path of one point shows as a dot.
    let steps = kept.count > 1 ? kept[1...] : kept[...]
    for (index, point) in steps.enumerated() {
      let dx = SVG.number(tenths: point.x - last.x)
      if index > 0, !dx.hasPrefix("-") { data += " " }
      data += dx
      appendSecond(point.y - last.y)
      last = point
    }
    if closed { data += "z" }
  }

  private mutating func appendSecond(_ tenths: Int) {
    let text = SVG.number(tenths: tenths)
    data += text.hasPrefix("-") ? text : " \(text)"
  }

  /// Leaves out the points that lie between two others on one level: silence costs nothing.
  private static func withoutMiddles(_ points: [Point]) -> [Point] {
    var kept: [Point] = []
    for point in points {
      if kept.count > 1, kept[kept.count - 1].y == point.y, kept[kept.count - 2].y == point.y,
        (kept[kept.count - 1].x - kept[kept.count - 2].x) * (point.x - kept[kept.count - 1].x) > 0
      {
        kept.removeLast()
      }
      kept.append(point)
    }
    return kept
  }

  private static func isDrawn(_ trace: TakeFigure.Trace, _ column: Int) -> Bool {
    trace.lowest[column].isFinite && trace.highest[column].isFinite
  }
}

/// Fewer columns that keep every peak: each holds the lowest and the highest of those it stands for.
enum ColumnReduction {
  static func reduce(_ trace: TakeFigure.Trace, to columns: Int) -> TakeFigure.Trace {
    let count = trace.lowest.count
    guard count > columns, columns > 0 else { return trace }
    let isCurve = TracePath.isCurve(trace)
    var lowest: [Float] = []
    var highest: [Float] = []
    for column in 0..<columns {
      let stretch = (column * count / columns)..<((column + 1) * count / columns)
      if isCurve {
        // A curve stays one line: its value in the middle.
        let value = trace.highest[(stretch.lowerBound + stretch.upperBound - 1) / 2]
        lowest.append(value)
        highest.append(value)
      } else {
        lowest.append(trace.lowest[stretch].filter(\.isFinite).min() ?? .nan)
        highest.append(trace.highest[stretch].filter(\.isFinite).max() ?? .nan)
      }
    }
    return TakeFigure.Trace(name: trace.name, lowest: lowest, highest: highest)
  }

  static func reduce(_ figure: TakeFigure, to columns: Int) -> TakeFigure {
    var figure = figure
    for panel in figure.panels.indices {
      figure.panels[panel].traces = figure.panels[panel].traces.map { reduce($0, to: columns) }
    }
    return figure
  }
}

extension TakeFigure {
  /// How many other takes are laid under one at most: more cannot be told apart.
  private static let mostUnder = 8

  /// The picture with the envelopes of other takes of its pattern under its own.
  ///
  /// Takes whose columns are not this picture's, as of one that was cut short, are left out.
  func overlaid(with others: [TakeFigure]) -> TakeFigure {
    let name = "measured"
    guard let place = panels.firstIndex(where: { $0.title == "Envelope" }),
      let own = panels[place].traces.firstIndex(where: { $0.name == name })
    else { return self }
    let columns = panels[place].traces[own].lowest.count
    let under = others.compactMap { other -> Trace? in
      guard other.span == span, other.take != take,
        var trace = other.panels.first(where: { $0.title == "Envelope" })?.traces
          .first(where: { $0.name == name }),
        trace.lowest.count == columns
      else { return nil }
      trace.name = "take \(other.take)"
      return trace
    }
    var figure = self
    figure.panels[place].traces.insert(contentsOf: under.prefix(Self.mostUnder), at: own)
    return figure
  }
}

/// A spectrogram as a picture whose left and right edge are the ends of the time axis.
struct SpectrogramPicture {
  let spectrogram: TakeFigure.Spectrogram

  /// How far below the strongest the palette goes, in dB.
  static let depth = 60.0

  /// The colours from silence to the strongest: dark to light, so that order shows without hue.
  static let palette: [[UInt8]] = {
    let stops: [[Double]] = [
      [11, 11, 24], [52, 24, 102], [140, 41, 129], [222, 73, 104], [254, 159, 109],
      [252, 247, 191],
    ]
    return (0..<32).map { index in
      let place = Double(index) / 31 * Double(stops.count - 1)
      let from = min(stops.count - 2, Int(place))
      let share = place - Double(from)
      return (0..<3).map { part in
        UInt8((stops[from][part] * (1 - share) + stops[from + 1][part] * share).rounded())
      }
    }
  }()

  var key: String {
    let unit = Shown.typeset(spectrogram.unit.rawValue)
    return "light \(EngineeringFormat.fixed(spectrogram.top, 0)) dB re 1 \(unit), dark "
      + "\(EngineeringFormat.fixed(Self.depth, 0)) dB less"
  }

  /// What it shows, for those who cannot see it: the row that holds the most of it.
  var description: String {
    let strongest = (0..<spectrogram.rows).max { sum(of: $0) < sum(of: $1) } ?? 0
    let length = spectrogram.frequencies.upperBound - spectrogram.frequencies.lowerBound
    let middle =
      spectrogram.frequencies.lowerBound
      + (Double(strongest) + 0.5) * length / Double(max(1, spectrogram.rows))
    return "Spectrogram of the \(spectrogram.name), strongest about "
      + "\(EngineeringFormat.fixed(middle, 0)) Hz."
  }

  private func sum(of row: Int) -> Int {
    let first = row * spectrogram.columns
    return spectrogram.cells[first..<(first + spectrogram.columns)].reduce(0) { $0 + Int($1) }
  }

  var dataAddress: String? {
    picture.png.map { "data:image/png;base64," + Base64.text(of: $0) }
  }

  /// A pixel a cell, the highest frequency on top.
  var picture: IndexedPicture {
    let last = Self.palette.count - 1
    var pixels: [UInt8] = []
    pixels.reserveCapacity(spectrogram.cells.count)
    for row in (0..<spectrogram.rows).reversed() {
      let first = row * spectrogram.columns
      for cell in spectrogram.cells[first..<(first + spectrogram.columns)] {
        let below = spectrogram.step * Double(255 - cell)
        let place = (1 - below / Self.depth) * Double(last)
        pixels.append(UInt8(max(0, min(Double(last), place.rounded()))))
      }
    }
    return IndexedPicture(width: spectrogram.columns, pixels: pixels, palette: Self.palette)
  }
}

/// A picture of few colours as PNG, through libpng.
struct IndexedPicture {
  let width: Int
  /// The rows from the top, a place in the palette a pixel.
  let pixels: [UInt8]
  /// Red, green and blue of each colour, at most 256 of them.
  let palette: [[UInt8]]

  /// The bytes of the file; nil where libpng cannot make it (`png_image_write_to_memory`).
  var png: [UInt8]? {
    guard width > 0, !pixels.isEmpty, pixels.count.isMultiple(of: width), !palette.isEmpty,
      pixels.allSatisfy({ Int($0) < palette.count })
    else { return nil }
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    image.width = UInt32(width)
    image.height = UInt32(pixels.count / width)
    // PNG_FORMAT_RGB_COLORMAP, an expression that is not imported.
    image.format = UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_COLORMAP)
    image.colormap_entries = UInt32(palette.count)
    defer { png_image_free(&image) }
    let colours = palette.flatMap { $0.prefix(3) }
    // More than any picture takes: what does not shrink is stored, with a byte a row and some a block.
    var size = 4096 + 2 * pixels.count + colours.count
    var file = [UInt8](repeating: 0, count: size)
    let isDone = png_image_write_to_memory(&image, &file, &size, 0, pixels, Int32(width), colours)
    return isDone != 0 ? Array(file.prefix(size)) : nil
  }
}
