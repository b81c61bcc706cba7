import Acceptance
import Units

extension FigureDrawing {
  /// Writes the spectrogram below the panels, on the same time axis.
  func writeSpectrogram(to svg: inout Markup) {
    guard let spectrogram = figure.spectrogram, let top = spectrogramTop else { return }
    let picture = SpectrogramPicture(spectrogram: spectrogram)
    let (x, y) = (SVG.place(Self.left), SVG.place(top))
    let width = SVG.place(Self.right - Self.left)
    let height = SVG.place(Self.spectrogramHeight)
    svg.element("g", ["class": "spectrum"]) { group in
      group.element("text", ["class": "heading", "x": x, "y": SVG.place(top - 7)]) { text in
        text.write("Spectrogram")
        text.element("tspan", ["class": "unit", "dx": "6"], text: "Hz")
      }
      group.element(
        "text",
        [
          "class": "legend", "x": SVG.place(Self.right), "y": SVG.place(top - 7),
          "text-anchor": "end",
        ], text: picture.key)
      let range = spectrogram.frequencies
      let scale = AxisScale(range, count: 3)
      for tick in scale.ticks {
        let share = (tick - range.lowerBound) / (range.upperBound - range.lowerBound)
        group.element(
          "text",
          [
            "class": "tick", "x": SVG.place(Self.left - 8),
            "y": SVG.place(top + (1 - share) * Self.spectrogramHeight + 3.5), "text-anchor": "end",
          ], text: scale.label(tick))
      }
      if let address = picture.dataAddress {
        group.empty(
          "image",
          [
            "x": x, "y": y, "width": width, "height": height, "preserveAspectRatio": "none",
            "href": address,
          ])
      }
      group.empty("rect", ["class": "frame", "x": x, "y": y, "width": width, "height": height])
    }
    svg.breakLine()
  }
}
