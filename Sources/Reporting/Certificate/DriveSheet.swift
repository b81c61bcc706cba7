// SPDX-License-Identifier: Apache-2.0

import Perception
import Profiles

/// What a profile makes of intensity and sharpness: the table and the region of a certificate.
struct DriveSheet {
  struct Point {
    let intensity: Double
    let sharpness: Double
    let command: DriveCommand
  }

  struct Reach {
    let sharpness: Double
    /// The weakest intensity that is reached as asked; nil without any.
    let lowest: Double?
    let highest: Double?
  }

  /// The grid by which calibrations are judged, sharpness by sharpness within an intensity.
  let grid: [Point]
  /// Just noticeable differences between what is asked and what is done, over rows of rising intensity
  /// and columns of rising sharpness, at the middles of even cells.
  let plane: [[Double]]
  let reach: [Reach]
  let reachedCount: Int

  static let cells = 40

  init(_ profile: CalibrationProfile) {
    let map = DriveMap(profile: profile, fullScaleVolts: .infinity)
    grid = FeltGrid.intensities.flatMap { intensity in
      FeltGrid.sharpnesses.map { sharpness in
        Point(
          intensity: intensity, sharpness: sharpness,
          command: map.command(intensity: intensity, sharpness: sharpness))
      }
    }
    let middles = (0..<Self.cells).map { (Double($0) + 0.5) / Double(Self.cells) }
    plane = middles.map { intensity in
      middles.map { map.command(intensity: intensity, sharpness: $0).mapping.consistency }
    }
    reach = (0...20).map { step in
      let sharpness = Double(step) / 20
      let reached = (1...50).map { Double($0) / 50 }.filter {
        map.command(intensity: $0, sharpness: sharpness).mapping.isInside
      }
      return Reach(sharpness: sharpness, lowest: reached.first, highest: reached.last)
    }
    reachedCount = grid.count { $0.command.mapping.isInside }
  }

  var reachedShare: Double { Double(reachedCount) / Double(max(1, grid.count)) }

  var reachedWords: String {
    "\(reachedCount) of \(grid.count) points of intensity and sharpness "
      + "(\(Shown.percent(reachedShare, decimals: 0)))"
  }
}

/// A steady vibration in the quantities that carry over to another mass.
struct Strength {
  let gravities: Double
  /// The peak force in newtons; nil without a mass.
  let force: Double?
  /// The moving mass times its stroke, in gram millimetres; nil without a mass.
  let staticMoment: Double?

  /// From an acceleration on a mass: F = M a, m X = F / w^2.
  init(_ point: ReachableCeiling.Point, mass: Double?) {
    let w = 2 * Double.pi * point.frequency
    gravities = point.acceleration / 9.80665
    force = mass.map { $0 * point.acceleration }
    staticMoment = mass.map { 1e6 * $0 * point.acceleration / (w * w) }
  }
}

struct PlanePicture {
  let sheet: DriveSheet
  let verified: [ProfileVerification.GridPoint]

  private static let side = 300.0
  private static let left = 64.0
  private static let top = 30.0
  private static let classes = [
    (style: "reached", word: "as asked (J up to 0.25)", limit: 0.25),
    (style: "near", word: "not felt (J up to 0.5)", limit: 0.5),
    (style: "edge", word: "hardly felt (J up to 1)", limit: 1),
    (style: "beyond", word: "felt otherwise (J above 1)", limit: Double.infinity),
  ]

  func write(to figure: inout Markup) {
    figure.element(
      "svg",
      [
        "class": "plot", "role": "img", "viewBox": "0 0 480 440",
        "aria-labelledby": "plane-title plane-desc",
      ]
    ) { svg in
      svg.element("title", ["id": "plane-title"], text: "Reachable region")
      svg.element("desc", ["id": "plane-desc"], text: description)
      svg.drawText("What it reaches of intensity and sharpness", "heading", x: 0, y: 14)
      writeCells(to: &svg)
      writeAxes(to: &svg)
      writePoints(to: &svg)
      writeLegend(to: &svg)
    }
  }

  private var description: String {
    "Reached as asked: \(sheet.reachedWords). "
      + sheet.reach.enumerated().filter { $0.offset % 5 == 0 }.map { _, reach in
        let range = reach.highest.map {
          "intensities \(Shown.number(reach.lowest ?? $0)) to \(Shown.number($0))"
        }
        return "Sharpness \(Shown.number(reach.sharpness)): \(range ?? "none")"
      }.joined(separator: "; ") + "."
  }

  private static func x(_ sharpness: Double) -> Double { left + side * sharpness }
  private static func y(_ intensity: Double) -> Double { top + side * (1 - intensity) }

  /// Writes runs of cells that feel alike as one rectangle each.
  private func writeCells(to svg: inout Markup) {
    let size = Self.side / Double(DriveSheet.cells)
    for (row, cells) in sheet.plane.enumerated() {
      let kinds = cells.map { cell in Self.classes.firstIndex { cell <= $0.limit } ?? 3 }
      var start = 0
      while start < kinds.count {
        var end = start + 1
        while end < kinds.count, kinds[end] == kinds[start] { end += 1 }
        svg.drawRectangle(
          Self.classes[kinds[start]].style, x: Self.left + size * Double(start),
          y: Self.top + Self.side - size * Double(row + 1), width: size * Double(end - start),
          // A little more than its own height, so that no seam shows.
          height: size + (row > 0 ? 0.3 : 0))
        start = end
      }
    }
  }

  private func writeAxes(to svg: inout Markup) {
    let (bottom, middle) = (Self.top + Self.side, Self.left + Self.side / 2)
    for tick in [0, 0.25, 0.5, 0.75, 1] {
      let label = Shown.number(tick)
      svg.drawText(label, x: Self.x(tick), y: bottom + 16, anchor: .middle)
      svg.drawText(label, x: Self.left - 8, y: Self.y(tick) + 3.5, anchor: .end)
    }
    svg.drawRectangle("frame", x: Self.left, y: Self.top, width: Self.side, height: Self.side)
    svg.drawText("sharpness", "axis", x: middle, y: bottom + 33, anchor: .middle)
    svg.drawText(
      "intensity", "axis", x: 26, y: Self.top + Self.side / 2, anchor: .middle, isTurned: true)
  }

  private func writePoints(to svg: inout Markup) {
    for (isHeldOut, marker) in [(false, PlotSeries.Marker.circle), (true, .diamond)] {
      for (isInside, style) in [(true, "filled"), (false, "hollow")] {
        let data = verified.filter { $0.isHeldOut == isHeldOut && $0.isInside == isInside }
          .filter { $0.intensity.isFinite && $0.sharpness.isFinite }
          .map { marker.path(at: (Self.x($0.sharpness), Self.y($0.intensity))) }.joined()
        if !data.isEmpty { svg.drawPath("point \(style) hue-6", data) }
      }
    }
  }

  private func writeLegend(to svg: inout Markup) {
    let top = Self.top + Self.side + 52
    for (index, entry) in Self.classes.enumerated() {
      let (x, y) = (8 + 230 * Double(index % 2), top + 17 * Double(index / 2))
      svg.drawRectangle("\(entry.style) key", x: x, y: y - 9, width: 20, height: 11)
      svg.drawText(entry.word, x: x + 28, y: y)
    }
    guard !verified.isEmpty else { return }
    for (x, marker, word) in [
      (8.0, PlotSeries.Marker.circle, "measured, on the grid"),
      (238, .diamond, "held out (hollow: mapped)"),
    ] {
      svg.drawPath("point filled hue-6", marker.path(at: (x + 10, top + 30)))
      svg.drawText(word, x: x + 28, y: top + 34)
    }
  }
}
