// SPDX-License-Identifier: Apache-2.0

import Acceptance
import GaugeStudy
package import JSONText
import Units

extension GaugeReport.Reading {
  struct Line {
    let name: String
    let deviation: Bounded
    /// Of the total variance, of the total standard deviation, and of the tolerance.
    let variance: Double?
    let study: Double?
    let tolerance: Double?
  }

  /// The components, and below them what they come to.
  var lines: [Line] {
    guard let analysis else { return [] }
    func line(_ name: String, _ deviation: Bounded) -> Line {
      let share = analysis.total > 0 ? deviation.value / analysis.total : nil
      return Line(
        name: name, deviation: deviation, variance: share.map { $0 * $0 }, study: share,
        tolerance: tolerance.map { 6 * deviation.value / $0 })
    }
    let own = analysis.components.filter { $0.source != .actuator }
    return own.map { line($0.source.rawValue, $0.deviation) } + [line("gauge R&R", analysis.gauge)]
      + analysis.components.filter { $0.source == .actuator }
      .map { line("actuators", $0.deviation) }
  }

  /// A number and its interval, all in the unit that fits the largest scatter: `1.93`, `1.2 to
  /// 4.1`.
  func shown(_ bounded: Bounded) -> (value: String, interval: String) {
    let numbers = [bounded.value, bounded.low, bounded.high].map(rough)
    let isFine = bounded.value != 0 && bounded.high < unit.finest
    return (numbers[0], isFine ? numbers[2] : "\(numbers[1]) to \(numbers[2])")
  }

  /// Two digits of a number, in the unit of what `shown` writes; of one that is finer than is of use, that it is.
  private func rough(_ value: Double) -> String {
    let finest = unit.finest
    return value != 0 && abs(value) < finest
      ? "< \(EngineeringFormat.significant(finest * scale))"
      : EngineeringFormat.rough(value * scale)
  }

  /// A number with its unit, two digits of it.
  func short(_ value: Double) -> String {
    let number = rough(value)
    return shownUnit.isEmpty ? number : "\(number) \(shownUnit)"
  }

  /// The unit of what `shown` writes.
  var shownUnit: String {
    switch unit {
    case .second: (analysis?.total ?? 0) < 1e-3 ? "us" : "ms"
    case .one: ""
    default: unit.rawValue
    }
  }

  /// What takes a value to the unit of what `shown` writes.
  var scale: Double {
    switch shownUnit {
    case "us": 1e6
    case "ms": 1e3
    default: 1
    }
  }

  /// A heading with the unit of what `shown` writes.
  func titled(_ words: String) -> String { shownUnit.isEmpty ? words : "\(words), \(shownUnit)" }
}

extension Bounded {
  /// A few digits of it, and of its ends: `4.2 (3.1 to 6)`.
  var rough: String {
    let ends = [low, high].map { EngineeringFormat.rough($0) }
    return "\(EngineeringFormat.rough(value)) (\(ends[0]) to \(ends[1]))"
  }
}

package enum GaugeText {
  /// Writes the report for a terminal, on lines of 100 columns at most.
  package static func table(
    _ report: GaugeReport, color: Bool = false, explaining: Bool = false
  ) -> String {
    let style = TerminalStyle(isColored: color)
    let study = report.study
    var lines = [
      "gauge study \(study.name): \(Count.of(study.actuators.count, "actuator")), "
        + "\(Count.of(study.rigs.count, "rig")), \(Count.of(study.days, "day")), "
        + "\(Count.of(study.mounts, "mount")) a day, \(Count.of(study.repeats, "repeat")) a mount",
      "\(report.doneMounts) of \(study.mountCount) mounts, \(Count.of(report.runs, "run"))",
    ]
    for note in report.notes { lines += TerminalStyle.wrapped("note: \(note)", indent: "") }
    for reading in report.readings {
      let word = style.colored(reading.word, reading.verdict)
      lines += ["", "\(TerminalStyle.plain(reading.title)): \(word)"]
      lines += TerminalStyle.wrapped(reading.sentence, indent: "  ")
      guard let analysis = reading.analysis else { continue }
      lines.append("")
      let hasTolerance = reading.tolerance != nil
      let table = TextTable(
        head: ["", reading.titled("sd"), "95 %", "of variance", "of study"]
          + (hasTolerance ? ["of tolerance"] : []),
        rows: reading.lines.map { line in
          let (value, interval) = reading.shown(line.deviation)
          return [
            line.name, value, interval, line.variance.map { Shown.percent($0, decimals: 1) } ?? "-",
            line.study.map { Shown.percent($0, decimals: 1) } ?? "-",
          ] + (hasTolerance ? [line.tolerance.map { Shown.percent($0, decimals: 1) } ?? "-"] : [])
        })
      lines += table.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .map { "  " + $0 }
      lines += Self.below(reading, analysis).flatMap { TerminalStyle.wrapped($0, indent: "  ") }
    }
    if explaining { lines += TextReport.meanings(of: report.readings.map(\.name.kind)) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func below(_ reading: GaugeReport.Reading, _ analysis: GaugeAnalysis) -> [String] {
    var lines = [
      "mean \(Shown.size(analysis.mean, reading.unit)) of "
        + Count.of(analysis.observations.count, "run")
    ]
    if let classes = analysis.classes {
      lines[0] += "; ndc \(classes.rough)"
    }
    lines.append(
      reading.limits.map {
        "\($0.words.lowercased()): \(reading.short($0.value))"
      }.joined(separator: "; "))
    return lines + reading.notes.map { "note: \($0)" }
  }
}

/// The report for programs, with the keys that docs/GAUGE.md lists.
extension GaugeReport {
  static let schema = "haprig.gauge/1"

  package var json: JSONValue {
    .object(of: [
      "schema": Self.schema, "study": study.name, "actuators": study.actuators, "rigs": study.rigs,
      "days": study.days, "mounts": study.mounts, "repeats": study.repeats,
      "seed": "\(study.seed)", "doneMounts": doneMounts, "askedMounts": study.mountCount,
      "runs": runs, "verdict": verdict.rawValue, "sentence": sentence, "notes": notes,
      "cells": cells, "readings": readings,
    ])
  }
}

extension GaugeReport.Cell: JSONConvertible {
  package var json: JSONValue {
    .object(of: [
      "rig": rig, "actuator": actuator, "openDays": openDays,
      "days": days.map { JSONValue.object(of: ["day": $0.day, "mounts": $0.mounts]) },
    ])
  }
}

extension GaugeReport.Reading: JSONConvertible {
  package var json: JSONValue {
    .object(of: [
      "reading": name.description, "pattern": pattern.isEmpty ? nil : pattern,
      "unit": unit.rawValue, "tolerance": tolerance, "verdict": verdict.rawValue,
      "sentence": sentence, "notes": notes, "n": values.count, "mean": analysis?.mean,
      "components": analysis?.components, "gauge": analysis?.gauge, "total": analysis?.total,
      "studyVariation": analysis?.studyVariation, "toleranceRatio": toleranceRatio,
      "ndc": analysis?.classes,
      "repeatabilityLimit": limits.first?.value, "reproducibilityLimit": limits.last?.value,
      "anova": analysis?.rows.map { row in
        JSONValue.object(of: [
          "source": row.source.rawValue, "df": row.freedom, "ss": row.squares,
          "ms": row.meanSquare, "F": row.ratio, "denominatorDf": row.ratioFreedom,
          "p": row.probability,
        ])
      },
    ])
  }
}

extension Bounded: JSONConvertible {
  package var json: JSONValue { .object(of: ["value": value, "low": low, "high": high]) }
}

extension GaugeAnalysis.Component: JSONConvertible {
  package var json: JSONValue {
    .object(of: [
      "source": source.rawValue, "deviation": deviation, "variance": variance,
      "includes": includes.map(\.rawValue),
    ])
  }
}

package enum GaugeCSV {
  /// Writes a line for each value, for who computes otherwise.
  package static func text(_ report: GaugeReport) -> String {
    let head = "reading,pattern,unit,actuator,rig,day,mount,repeat,run,value"
    let rows = report.readings.flatMap { reading in
      reading.values.map { value in
        let own = value.observation
        return [
          reading.name.description, reading.pattern, reading.unit.rawValue, own.actuator, own.rig,
          own.day, own.mount, "\(value.number)", value.run, "\(own.value)",
        ].map(ReadingsCSV.field).joined(separator: ",")
      }
    }
    return ([head] + rows).map { $0 + "\r\n" }.joined()
  }
}
