// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Testing

@testable import Reporting

@Suite struct PaletteTests {
  /// The relative luminance of WCAG 2.2.
  private func luminance(_ colour: String) throws -> Double {
    let digits = try #require(Int(colour.dropFirst(), radix: 16))
    #expect(colour.count == 7)
    let parts = [16, 8, 0].map { shift -> Double in
      let value = Double(digits >> shift & 0xFF) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  private func contrast(_ first: String, _ second: String) throws -> Double {
    let (a, b) = (try luminance(first), try luminance(second))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }

  @Test func `every colour stands out from its ground in light and dark`() throws {
    let colours = Dictionary(uniqueKeysWithValues: Palette.colours.map { ($0.name, $0) })
    for colour in Palette.colours {
      for (name, ratio) in colour.contrast {
        let ground = try #require(colours[name], "\(name) is no colour")
        let light = try contrast(colour.light, ground.light)
        let dark = try contrast(colour.dark, ground.dark)
        #expect(light >= ratio, "\(colour.name) on \(name), light: \(light)")
        #expect(dark >= ratio, "\(colour.name) on \(name), dark: \(dark)")
      }
    }
  }

  @Test func `the known contrast of black on white is 21`() throws {
    #expect(abs(try contrast("#000000", "#ffffff") - 21) < 1e-9)
  }

  @Test func `every colour is declared twice, once for dark screens`() throws {
    let parts = Palette.variables.split(separator: "prefers-color-scheme: dark")
    try #require(parts.count == 2)
    for colour in Palette.colours {
      #expect(parts[0].contains("--\(colour.name): \(colour.light);"))
      #expect(parts[1].contains("--\(colour.name): \(colour.dark);"))
    }
  }

  @Test func `the style sheet uses every colour and no other`() {
    let used = Set(
      StyleSheet.page.split(separator: "var(--").dropFirst().map { $0.prefix { $0 != ")" } })
    let declared = Set(Palette.colours.map { Substring($0.name) })
    #expect(used == declared.union(["colour"]))
    #expect(StyleSheet.page.contains("@media print"))
  }
}
