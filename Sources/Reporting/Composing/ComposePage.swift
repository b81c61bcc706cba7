import AHAP
package import Composing
import Units

/// How a sound became a pattern, drawn: what the method saw, and what it made of it.
package struct ComposePage {
  private let sound: String
  private let settings: ComposeSettings
  private let loudness: SoundLoudness
  private let composition: Composition

  /// The composition must have been traced.
  package init(
    of sound: String, _ settings: ComposeSettings, _ loudness: SoundLoudness,
    _ composition: Composition
  ) {
    self.sound = sound
    self.settings = settings
    self.loudness = loudness
    self.composition = composition
  }

  /// The HTML document, without scripts: equal compositions give equal bytes.
  package var text: String {
    Markup.page(
      title: "\(sound) composed by \(settings.method.rawValue)", generator: "haprig",
      style: StyleSheet.page + StyleSheet.chart + StyleSheet.plot,
      skip: (target: "pictures", text: "Skip to the pictures")
    ) { body in
      body.element("header") { head in
        head.element("p", ["class": "eyebrow"], text: "haprig compose: sound to haptics")
        head.element("h1", text: sound)
        head.element("p", ["class": "sentence"], text: sentence)
      }
      body.element("main") { main in
        main.writeSection("pictures", "What was heard, and what is felt") { section in
          section.writePictures([result, level, octaves, rise])
        }
        main.writeSection("settings", "Settings") { section in
          section.writeTable(
            "Settings", hidesCaption: true, ["Parameter", "Value#", "Unit", "What it does"],
            settings.parameters.map { parameter in
              let value = settings[parameter] ?? 0
              return [
                PageTable.Cell(parameter.rawValue),
                PageTable.Cell(EngineeringFormat.significant(value), value: value),
                PageTable.Cell(parameter.unit == .one ? "" : parameter.unit.rawValue),
                PageTable.Cell(parameter.about),
              ]
            })
        }
      }
    }
  }

  private var taps: [HapticEvent] {
    composition.pattern.events.filter { $0.kind == .hapticTransient }
  }

  private var holds: [HapticEvent] {
    composition.pattern.events.filter { $0.kind == .hapticContinuous }
  }

  private var sentence: String {
    let heard =
      loudness.integrated.map { "\(EngineeringFormat.fixed($0, 1)) LUFS" }
      ?? (loudness.loudestMomentary == nil ? "silence" : "too short for a loudness of the whole")
    let points = composition.pattern.curves.reduce(0) { $0 + $1.points.count }
    return "\(EngineeringFormat.fixed(composition.duration, 3)) s, \(heard). By the method "
      + "'\(settings.method.rawValue)' (\(settings.method.about)): \(Count.of(taps.count, "tap")), "
      + "\(Count.of(holds.count, "vibration")) with \(Count.of(points, "point")) of their curves."
  }

  private func times(_ values: [Float]) -> [Double] {
    values.indices.map { Double($0) * (composition.trace?.step ?? 0) }
  }

  private func line(_ label: String, _ values: [Float], hue: Int) -> PlotSeries {
    PlotSeries(
      label: label, x: times(values), y: values.map(Double.init), colour: PlotSeries.hue(hue),
      dash: .solid, marker: nil, isFilled: false)
  }

  private func plot(
    _ identifier: String, _ title: String, _ unit: String, least: Double? = nil,
    _ series: [PlotSeries]
  ) -> Plot {
    let values = series.flatMap(\.y).filter { $0.isFinite && $0 >= least ?? -.infinity }
    return Plot(
      title: title, identifier: identifier,
      x: PlotAxis("time (s)", of: [0, max(composition.duration, 1e-3)]),
      y: PlotAxis(unit, of: values, room: 0.04), series: series)
  }

  private var result: Plot {
    plot(
      "result", "The pattern", "0 to 1", least: 0,
      [
        line("intensity asked for", composition.trace?.intensity ?? [], hue: 0),
        line("sharpness asked for", composition.trace?.sharpness ?? [], hue: 1),
        PlotSeries(
          label: "taps, by their intensity", x: taps.map(\.time),
          y: taps.map { $0.value(of: .hapticIntensity) }, colour: PlotSeries.hue(4), dash: nil,
          marker: .circle, isFilled: true),
        PlotSeries(
          label: "points of intensity curves", x: points.map(\.time), y: points.map(\.value),
          colour: PlotSeries.hue(5), dash: nil, marker: .square, isFilled: false),
      ])
  }

  /// The points that intensity is drawn with, at the intensity that the event makes of them.
  private var points: [(time: Double, value: Double)] {
    composition.pattern.curves.filter { $0.id == .hapticIntensity }.flatMap { curve in
      let event = holds.last { $0.time <= curve.time + 1e-9 }
      let base = event?.value(of: .hapticIntensity) ?? 1
      return curve.points.map { (curve.time + $0.time, base * $0.value) }
    }
  }

  private var level: Plot {
    plot(
      "level", "Level of the sound", "dB of full scale", least: -100,
      [line("level", composition.trace?.level ?? [], hue: 3)])
  }

  private var octaves: Plot {
    let octaves = composition.trace?.octaves ?? []
    let names = ["63 Hz", "125 Hz", "250 Hz", "500 Hz", "1 kHz", "2 kHz", "4 kHz", "8 kHz"]
    return plot(
      "octaves", "Level of each octave", "dB of full scale", least: -100,
      names.indices.map { index in line(names[index], octaves.map { $0[index] }, hue: index) })
  }

  private var rise: Plot {
    let taps = taps.map(\.time)
    let step = composition.trace?.step ?? 1
    let rise = composition.trace?.rise ?? []
    let heights = taps.map { time in
      rise.isEmpty ? 0 : Double(rise[min(rise.count - 1, max(0, Int(time / step)))])
    }
    var plot = plot(
      "rise", "Rise, which taps are found by", "dB",
      [
        line("rise", rise, hue: 2),
        PlotSeries(
          label: "taps", x: taps, y: heights, colour: PlotSeries.hue(4), dash: nil,
          marker: .triangle, isFilled: true),
      ])
    if let threshold = settings[.threshold] {
      plot.marks = [PlotMark(place: .y(threshold), label: "threshold")]
    }
    return plot
  }
}
