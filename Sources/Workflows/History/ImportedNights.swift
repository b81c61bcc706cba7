import Acceptance
import ChangeDetection
import Devices
import Reporting
import RunArchive

/// The runs of a history that were brought in from tables, told apart from those that were measured here.
struct ImportedNights {
  private let runs: [ArchivedRun]
  private let files: [String]
  private let hasOwn: Bool

  /// `runs` ascend by when they began; `imported` names the table of each that comes from one, by its id.
  init(_ runs: [ArchivedRun], _ imported: [String: String]) {
    self.runs = runs.filter { imported[$0.id] != nil }
    files = Set(self.runs.compactMap { imported[$0.id] }).sorted()
    hasOwn = self.runs.count < runs.count
  }

  /// One sentence where there are any.
  var notes: [String] {
    guard let first = runs.first, let last = runs.last else { return [] }
    let span = first.day == last.day ? "of \(first.day)" : "from \(first.day) to \(last.day)"
    let sentence =
      "\(Count.of(runs.count, "run")) \(span) \(runs.count == 1 ? "was" : "were") imported from "
      + "\(Count.list(files, atMost: 3)), not measured here"
    return [
      hasOwn
        ? sentence + ": where a level changes beside them, another way of measuring may be why"
        : sentence
    ].map(\.printable)
  }
}
