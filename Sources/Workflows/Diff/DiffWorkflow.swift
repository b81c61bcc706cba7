// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Profiles
package import Reporting
package import RunArchive

/// Lays runs beside each other: reads folders, writes nothing, and asks no clock.
package struct DiffWorkflow {
  private static let labels = ["A", "B", "C", "D", "E", "F"]
  /// How many sides are compared at most: more cannot be told apart in a picture.
  package static let mostSides = labels.count
  /// So many nights before a run are its baseline, where none is pinned.
  package static let baselineNights = 14

  private let question: DiffQuestion
  private let sides: [ComparedSide]

  /// Reads the records; fails where a run is not there, and where there are not two sides.
  ///
  /// `open` gives the archive with its index, and is asked for a baseline alone.
  package init(
    _ question: DiffQuestion, open: () throws -> Archive
  ) throws {
    self.question = question
    var sides = try question.runs.map {
      try ComparedSide($0, in: question.archive, reading: question.record)
    }
    if question.usesBaseline, let first = sides.first {
      sides.insert(
        try ComparedSide.baseline(
          of: first.latest, but: sides.flatMap { $0.runs.map(\.id) }, in: open(),
          reading: question.record), at: 0)
    }
    guard (2...Self.mostSides).contains(sides.count) else {
      throw InputError(
        "\(sides.count) \(sides.count == 1 ? "run is" : "runs are") named: two to \(Self.mostSides) are compared"
      )
    }
    self.sides = sides
  }

  /// What charts of a page are drawn by on this machine; `nil` where it is not installed.
  package static var charts: ChartLibrary? { InstalledCharts.library }

  /// Compares all; fails where two sides have no reading in common.
  package func report() throws -> DiffReport {
    let pairs = try sides.indices.dropFirst().map { side in
      let pair = try SideComparison(first: sides[0], second: sides[side], question: question)
        .pair(side: side)
      guard !pair.differences.isEmpty else {
        throw InputError(
          "\(sides[0].latest.id) and \(sides[side].latest.id) have no reading in common"
            + (question.reading != nil || question.pattern != nil ? " that is asked for" : "")
            + ": nothing can be compared")
      }
      return pair
    }
    var absences: [String] = []
    let overlays = try overlays(&absences)
    return DiffReport(
      sides: sides.enumerated().map { index, side in
        DiffReport.Side(
          label: Self.labels[index], runs: side.runs.map { DiffReport.Run($0.id, $0.record) },
          pattern: side.pattern, take: side.take, isBaseline: side.isBaseline)
      }, pairs: pairs, overlays: overlays, profiles: profiles(&absences), impulses: impulses,
      absences: absences)
  }

  /// The patterns whose takes are laid over each other: those that all sides played, in the first side's order.
  package var patterns: [String] {
    let names = sides[0].latest.record.patterns.map(\.name)
    return names.filter { name in
      question.isAsked(pattern: name)
        && sides.allSatisfy { side in
          (side.pattern ?? name) == name
            && side.latest.record.patterns.contains { $0.name == name && !$0.takes.isEmpty }
        }
    }
  }

  /// The columns of one pattern's takes on one time axis.
  package func overlay(of pattern: String) throws -> DiffReport.Overlay {
    try WaveOverlay(sides, pattern: pattern, labels: Self.labels).overlay()
  }

  private func overlays(_ absences: inout [String]) throws -> [DiffReport.Overlay] {
    guard question.hasOverlays else { return [] }
    let names = patterns
    var found: [DiffReport.Overlay] = []
    var reasons: [String] = []
    for name in names.prefix(question.mostOverlays) {
      do {
        found.append(try overlay(of: name))
      } catch let error as InputError {
        if !reasons.contains(error.description) { reasons.append(error.description) }
      }
    }
    absences += reasons.map { "no waveforms: \($0)" }
    if names.isEmpty, !sides.contains(where: { $0.latest.record.imported != nil }) {
      absences.append("no waveforms: no pattern was played on all sides")
    } else if names.isEmpty {
      absences.append("no waveforms: an imported run has no recordings")
    }
    if names.count > question.mostOverlays {
      absences.append(
        "waveforms of the first \(question.mostOverlays) of \(names.count) patterns: --pattern chooses others"
      )
    }
    return found
  }

  /// The profile of each side, where there are two that are not one.
  private func profiles(_ absences: inout [String]) -> [DiffReport.SideProfile] {
    let found = sides.enumerated().compactMap {
      index, side -> (side: Int, loaded: LoadedProfile)? in
      guard let file = side.latest.record.inputs?.profile else { return nil }
      let path = side.latest.folder + "/" + file
      guard let loaded = try? LoadedProfile(file: path) else {
        absences.append(
          "no profile of \(side.latest.id): its copy in the run's folder cannot be read")
        return nil
      }
      return (index, loaded)
    }
    guard Set(found.map(\.loaded.hash)).count > 1 || (!found.isEmpty && found.count < sides.count)
    else { return [] }
    return found.map { DiffReport.SideProfile(side: $0.side, profile: $0.loaded.profile) }
  }

  private var impulses: [DiffReport.SideImpulse] {
    let found = sides.enumerated().compactMap { index, side in
      side.latest.record.impulse.map { DiffReport.SideImpulse(side: index, impulse: $0) }
    }
    let unit = found.first?.impulse.unit
    let comparable = found.filter { $0.impulse.unit == unit }
    return comparable.count > 1 ? comparable : []
  }
}
