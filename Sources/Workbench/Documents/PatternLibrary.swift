// SPDX-License-Identifier: Apache-2.0

import AHAP
import Authoring
import Bench
import Devices
import JSONText
import Paths
import Reporting
import Workflows

/// What is known of the patterns of a folder, each file read once as long as it does not change.
final class PatternLibrary: Sendable {
  struct Row: Sendable {
    let name: String
    let title: String
    let about: String?
    let seconds: Double?
    let events: Int
    let changed: String
    /// Whether a draft has edits that the file does not have.
    var isEdited = false

    var isTemplate: Bool { name.hasPrefix("templates/") }

    var json: JSONValue {
      .object(of: [
        "name": name, "title": title, "about": about, "seconds": seconds, "events": events,
        "perSecond": seconds.flatMap { $0 > 0 ? Double(events) / $0 : nil },
        "edited": isEdited, "changed": changed,
      ])
    }
  }

  private let shelf = FileShelf<Row>()
  private static let weekOfSeconds = 7 * 86_400

  /// The patterns by their names; drafts that nobody needs any more are removed on the way.
  func rows(of folder: PatternFolder, draft: (String) -> String) -> [Row] {
    folder.names().compactMap { name in
      guard let stamp = folder.stamp(of: name) else { return nil }
      let bytes = { (try? folder.bytes(of: name, limit: PatternText.longestEditable)) ?? nil }
      var row = shelf.value(of: folder.path(of: name)) { _ in Self.row(name, bytes() ?? [], stamp) }
      let path = draft(name)
      guard let drafted = FileStamp(path, followingLinks: false)?.seconds else { return row }
      let history = DraftFile.bytes(of: path).flatMap { try? Draft.replay($0).history }
      row.isEdited = history.map { !$0.isSaved } ?? false
      if Host.secondsSince1970 - drafted > Self.weekOfSeconds, history?.bytes == bytes() {
        DraftFile.remove(path)
      }
      return row
    }
  }

  private static func row(_ name: String, _ bytes: [UInt8], _ stamp: FileStamp) -> Row {
    let document = try? AHAPReader.read(
      bytes, fileName: name, options: AHAPOptions(mode: .strict))
    let notes = document?.pattern.metadata
    return Row(
      name: name, title: title(FilePath.name(of: name)), about: notes?["Description"]?.string,
      seconds: document?.pattern.duration, events: document?.pattern.events.count ?? 0,
      changed: Host.time("%Y-%m-%dT%H:%M:%SZ", at: stamp.seconds))
  }

  /// `double-tap` as `Double tap`.
  private static func title(_ name: String) -> String {
    let words = name.replacing("-", with: " ").replacing("_", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}
