// SPDX-License-Identifier: Apache-2.0

import Composing
package import JSONText
import Reporting
private import Units

/// The methods with their parameters, and the presets, as programs read them.
package enum ComposeTable {
  package static var json: JSONValue {
    .object(of: [
      "methods": ComposeMethod.allCases.map { method -> JSONValue in
        .object(of: [
          "method": method.rawValue, "about": method.about,
          "parameters": ComposeSettings(method).parameters.map { parameter -> JSONValue in
            .object(of: [
              "name": parameter.rawValue, "unit": parameter.unit.rawValue,
              "low": parameter.range.lowerBound, "high": parameter.range.upperBound,
              "standard": parameter.standard(for: method), "about": parameter.about,
            ])
          },
        ])
      },
      "presets": ComposePreset.named.map { preset -> JSONValue in
        .object(of: ["name": preset.name, "settings": preset.settings.preset])
      },
    ])
  }
}
