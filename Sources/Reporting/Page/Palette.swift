// SPDX-License-Identifier: Apache-2.0

struct Palette {
  struct Colour {
    let name: String
    let light: String
    let dark: String
    /// What stands on it or under it, and how much they must differ (WCAG 2.2).
    var contrast: [(other: String, ratio: Double)] = []
  }

  /// Every colour that the style sheet uses.
  ///
  /// Text needs 4.5 against its ground, what only has to be made out 3.
  static let colours = [
    Colour(name: "page", light: "#f5f6f7", dark: "#0e1114"),
    Colour(name: "surface", light: "#ffffff", dark: "#161a1f"),
    Colour(name: "raised", light: "#f0f2f4", dark: "#1e242b"),
    Colour(
      name: "ink", light: "#16202a", dark: "#e6eaee",
      contrast: [("surface", 7), ("page", 7), ("raised", 7)]),
    Colour(
      name: "muted", light: "#55606c", dark: "#9aa7b4",
      contrast: [("surface", 4.5), ("page", 4.5), ("raised", 4.5)]),
    Colour(name: "rule", light: "#d5dae0", dark: "#2c343d"),
    Colour(name: "grid", light: "#e9ecef", dark: "#242b33"),
    Colour(name: "zero", light: "#aab3bc", dark: "#4b5763"),
    Colour(
      name: "link", light: "#0b5cad", dark: "#6cb2f5", contrast: [("surface", 4.5), ("page", 4.5)]),
    Colour(name: "event", light: "#e4ebf3", dark: "#222d39"),
    Colour(name: "onset", light: "#b42318", dark: "#ff8f80", contrast: inFigure),
    Colour(name: "intensity", light: "#0b62b8", dark: "#61abf5", contrast: inFigure),
    Colour(name: "sharpness", light: "#b4540a", dark: "#f2a25c", contrast: inFigure),
    Colour(name: "drive", light: "#56636f", dark: "#a4b1be", contrast: inFigure),
    Colour(name: "response", light: "#0a7d6c", dark: "#3fc4ac", contrast: inFigure),
    Colour(name: "sound", light: "#8a3fae", dark: "#cd93ea", contrast: inFigure),
    Colour(name: "pass", light: "#17693a", dark: "#63cf8d", contrast: onBadge("pass")),
    Colour(name: "pass-ground", light: "#e3f4e9", dark: "#14301f"),
    Colour(name: "marginal", light: "#7d5200", dark: "#ecbb52", contrast: onBadge("marginal")),
    Colour(name: "marginal-ground", light: "#fdf1d3", dark: "#352a10"),
    Colour(name: "missing", light: "#4c5966", dark: "#b0bcc8", contrast: onBadge("missing")),
    Colour(name: "missing-ground", light: "#e9edf1", dark: "#272f38"),
    Colour(name: "fail", light: "#a81d17", dark: "#ff9a8f", contrast: onBadge("fail")),
    Colour(name: "fail-ground", light: "#fde7e4", dark: "#3f1a17"),
  ]

  /// What is drawn in a figure stands on the surface or on the band of an event.
  private static let inFigure = [(other: "surface", ratio: 3.0), (other: "event", ratio: 3.0)]

  /// The word of a verdict stands on a ground of its own or on the surface.
  private static func onBadge(_ name: String) -> [(other: String, ratio: Double)] {
    [("\(name)-ground", 4.5), ("surface", 4.5)]
  }

  /// A style sheet with the light colours in the places of their variables, which few programs but browsers know.
  static func inPlace(_ style: String) -> String {
    colours.reduce(style) { $0.replacing("var(--\($1.name))", with: $1.light) }
  }

  static var variables: String {
    let light = colours.map { "  --\($0.name): \($0.light);\n" }.joined()
    let dark = colours.map { "    --\($0.name): \($0.dark);\n" }.joined()
    return """
      :root {
        color-scheme: light dark;
      \(light)}
      @media screen and (prefers-color-scheme: dark) {
        :root {
      \(dark)  }
      }

      """
  }
}

/// The style sheets, from the general to the special; their colours are the variables of `Palette`.
enum StyleSheet {
  static let page = EmbeddedText.of("page.css")
  static let plot = EmbeddedText.of("plot.css")
  static let chart = EmbeddedText.of("chart.css")
  static let certificate = EmbeddedText.of("certificate.css")
  static let print = EmbeddedText.of("print.css")
  static let history = EmbeddedText.of("history.css")
}
