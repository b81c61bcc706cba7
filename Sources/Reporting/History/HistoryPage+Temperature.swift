// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import Units

extension HistoryPage {
  /// Writes what surely goes with the temperature; nothing where no series does.
  func writeTemperature(to main: inout Markup) {
    let rows = report.warmSeries
    guard !rows.isEmpty else { return }
    main.writeSection("temperature", "With the temperature") { section in
      section.writeNote(
        """
        How far a series goes with the temperature of its nights, changes and drift taken off, after ± one \
        standard uncertainty. Nothing is corrected by it. Series without a sure slope are left out.
        """)
      section.writeTable(
        "Series that go with the temperature", hidesCaption: true, hasLines: true,
        ["Series", "Slope#", "Nights", "Chance without an effect#"],
        rows.map { series, effect in
          [cell(of: series.key)]
            + .texts(
              Shown.typeset(TemperatureText.slope(effect, series.nightly.unit)),
              TemperatureText.basis(effect), EngineeringFormat.significant(effect.significance))
        })
    }
  }
}
