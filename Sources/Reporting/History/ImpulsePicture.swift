import Acceptance
import Units

/// The impulse response of the newest night over that of its baseline.
struct ImpulsePicture {
  let comparison: HistoryReport.ImpulseComparison

  /// The drawing: the newest solid, the baseline's dashed.
  var plot: Plot {
    let newest = comparison.newest.impulse
    var series = [
      PlotSeries(
        label: "newest night", x: Self.times(newest), y: newest.values, colour: "trace-response")
    ]
    if let baseline = comparison.baseline?.impulse {
      series.append(
        PlotSeries(
          label: "baseline", x: Self.times(baseline), y: baseline.values, colour: "trace-other",
          dash: .dashed))
    }
    return Plot(
      title: "Impulse response", identifier: "impulse",
      x: PlotAxis("time after the drive, ms", of: series.flatMap(\.x)),
      y: PlotAxis(
        "\(Shown.typeset(newest.unit.rawValue)) per V s", of: series.flatMap(\.y), room: 0.05),
      series: series)
  }

  /// What stands below it.
  var caption: String {
    let newest = comparison.newest
    let what =
      "What the probe of \(newest.impulse.pattern), take \(newest.impulse.take), said of the actuator "
      + "in \(newest.run), 60 to 450 Hz."
    guard let baseline = comparison.baseline else {
      return what + " No earlier night's response is at hand."
    }
    guard let difference = comparison.difference else {
      return what + " Dashed: \(baseline.run), at another rate or in another unit."
    }
    return what
      + " Dashed: \(baseline.run). They differ by \(Shown.percent(difference, decimals: 1)) (rms)."
  }

  private static func times(_ impulse: RunRecord.Impulse) -> [Double] {
    impulse.values.indices.map { 1e3 * (impulse.start + Double($0) * impulse.step) }
  }
}

extension HistoryPage {
  /// Writes how the actuator answers now beside how its baseline did; nothing where no probe was answered.
  func writeImpulse(to main: inout Markup) {
    guard let comparison = report.impulse else { return }
    main.writeSection("actuator", "Actuator") { section in
      let picture = ImpulsePicture(comparison: comparison)
      section.element("div", ["class": "pictures"]) { grid in
        grid.element("figure") { figure in
          picture.plot.write(to: &figure)
          figure.element("figcaption", text: picture.caption)
        }
      }
    }
  }
}
