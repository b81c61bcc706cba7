// SPDX-License-Identifier: Apache-2.0

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
          label: "intensity as it is drawn", x: drawn.map(\.time), y: drawn.map(\.value),
          colour: PlotSeries.hue(5), dash: .dashed, marker: nil, isFilled: false),
      ])
  }

  /// The lines that intensity is drawn with, a gap behind each.
  private var drawn: [(time: Double, value: Double)] {
    holds.flatMap { event in
      let base = event.value(of: .hapticIntensity)
      let curves = composition.pattern.curves.filter {
        $0.id == .hapticIntensity && $0.time >= event.time - 1e-9 && $0.time < event.end
      }
      let points = curves.flatMap { curve in
        curve.points.map { (curve.time + $0.time, base * $0.value) }
      }
      let line = points.isEmpty ? [(event.time, base), (event.end, base)] : points
      return line + [(event.end, .nan)]
    }
  }

  private var level: Plot {
    plot(
      "level", "Level of the sound", "dB of full scale", least: -100,
      [line("level", composition.trace?.level ?? [], hue: 3)])
  }

  private var octaves: Plot {
    let names = ["63 Hz", "125 Hz", "250 Hz", "500 Hz", "1 kHz", "2 kHz", "4 kHz", "8 kHz"]
    let octaves = zip(names, composition.trace?.octaves ?? []).enumerated()
    return plot(
      "octaves", "Level of each octave", "dB of full scale", least: -100,
      octaves.map { line($1.0, $1.1, hue: $0) })
  }

  private var rise: Plot {
    let taps = taps.map(\.time)
    let step = composition.trace?.step ?? 1
    let rise = composition.trace?.rise ?? []
    let heights = taps.map { time in
      let near = rise.indices.clamped(to: Int((time - 0.03) / step)..<Int((time + 0.03) / step) + 1)
      return Double(rise[near].max() ?? 0)
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
