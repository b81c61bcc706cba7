// SPDX-License-Identifier: Apache-2.0

import AHAP
import Authoring
import Bench
import Devices
import JSONText
import Reporting
import RunArchive
import Workflows

/// A pattern that is open: its text, what was done to it, and the two files that keep both.
///
/// Each step is in the draft before it is answered. What happens to the file meanwhile, by whatever program, becomes
/// a step as well, or a question.
final class Document: Sendable {
  let name: String
  private let folder: PatternFolder
  private let draftPath: String
  private let state: Guarded<State>

  private struct State {
    var text: PatternText
    var history: EditHistory
    var version: Int
    var draft: DraftFile?
    /// How much of a draft on disk is still good; `nil` where there is none.
    var kept: Int?
    var stamp: FileStamp?
    /// What another program wrote that our edits cannot be merged with.
    var conflict: (theirs: [UInt8], of: Merge.Conflict)?
    var notice: String?
    var findings: [Finding]?
    var seconds: Double?
    /// What the text says of the sound that it was composed of.
    var composed: JSONValue?
  }

  /// Opens a pattern, with what a draft beside it has; `nil` where there is neither.
  init?(_ name: String, in folder: PatternFolder, draft path: String, version: Int) throws {
    self.name = name
    self.folder = folder
    draftPath = path
    let onDisk = try folder.bytes(of: name, limit: PatternText.longestEditable)
    var history = onDisk.map { EditHistory($0) }
    var kept: Int?
    var notice: String?
    if let bytes = DraftFile.bytes(of: path) {
      do throws(Draft.Unreadable) {
        let replay = try Draft.replay(bytes)
        history = replay.history
        kept = replay.length
        notice = replay.fault
        if notice == nil, !replay.history.isSaved {
          notice = "These edits were not saved yet."
        }
      } catch {
        DraftFile.putAside(path)
        notice =
          "The draft beside the pattern cannot be read (\(error.message)); it was put aside, and the file is shown."
      }
    }
    guard let history else { return nil }
    let text = PatternText(history.bytes, fileName: name + ".ahap")
    state = Guarded(
      State(
        text: text, history: history, version: version, kept: kept,
        // Other bytes than the draft knows of are another program's.
        stamp: onDisk == history.fileBytes ? folder.stamp(of: name) : nil, notice: notice))
    look()
  }

  var version: Int { state.withLock { $0.version } }

  /// The text as it is now.
  var now: (text: PatternText, version: Int) { state.withLock { ($0.text, $0.version) } }

  /// The version, and what was to be told when it came about.
  var newest: (version: Int, notice: String?) {
    state.withLock { ($0.version, $0.notice) }
  }

  /// The document as a page gets it.
  func json() -> JSONValue {
    look()
    return state.withLock { state in
      let isBroken = state.text.broken != nil
      return .object(
        of: [
          "name": name, "version": state.version, "text": state.text.text,
          "entries": isBroken ? JSONValue.array([]) : state.text.entriesJSON,
          "seconds": Self.seconds(&state), "broken": state.text.broken?.message,
          "diagnostics": state.text.json(Self.findings(&state)), "saved": state.history.isSaved,
          "undo": state.history.undoLabel, "redo": state.history.redoLabel,
          "canEdit": state.text.isUTF8, "canSave": folder.canWrite(name),
          "conflict": state.conflict.map { Self.json($0.of) }, "notice": state.notice,
          "composed": state.composed,
        ])
    }
  }

  /// What a step is made of: a batch of a page, or one step back or forth.
  enum Request {
    case batch(Batch)
    case undo
    case redo
  }

  /// Makes a step of the state `base`; the answer says what it changed.
  func take(_ request: Request, base: Int) throws -> JSONValue {
    look()
    return try state.withLock { state throws -> JSONValue in
      try checkBase(base, state)
      let event: EditEvent
      switch request {
      case .undo: event = .undo
      case .redo: event = .redo
      case .batch(let batch):
        do throws(OperationError) {
          event = .edit(
            label: batch.label, try state.text.edits(for: batch.operations).edits,
            continues: batch.continues)
        } catch {
          throw HTTPFault(422, "operation", "\(error)")
        }
      }
      return try step(event, &state)
    }
  }

  /// Writes the text to its file.
  func save(base: Int) throws -> JSONValue {
    look()
    return try state.withLock { state throws -> JSONValue in
      try checkBase(base, state)
      guard state.conflict == nil else {
        throw HTTPFault(
          409, "conflict",
          "another program wrote the file meanwhile: say which of both texts is to stay")
      }
      guard folder.canWrite(name) else {
        throw HTTPFault(403, "read-only", "the folder of '\(name)' cannot be written to")
      }
      try AtomicFile.write(state.history.bytes, to: folder.path(of: name))
      state.stamp = folder.stamp(of: name)
      try note(.saved, &state)
      state.version += 1
      return ["version": .integer(state.version), "saved": true]
    }
  }

  /// Answers what another program's text asks: ours stays and may be saved over it, or theirs takes its place.
  func resolve(takingTheirs: Bool) throws -> JSONValue {
    try state.withLock { state throws -> JSONValue in
      guard let (theirs, _) = state.conflict else {
        throw HTTPFault(409, "no-conflict", "nothing is asked: the file and the document agree")
      }
      state.conflict = nil
      guard takingTheirs else {
        try note(.file(theirs), &state)
        state.version += 1
        return try step(nil, &state)
      }
      let edits = Merge.edits(from: state.history.bytes, to: theirs)
      let answer = try step(.edit(label: "Take the file's text", edits), &state)
      try note(.file(theirs), &state)
      return answer
    }
  }

  /// Looks whether another program has written the file, and takes in what it wrote.
  func look() {
    state.withLock { state in
      let stamp = folder.stamp(of: name)
      guard stamp != state.stamp else { return }
      guard stamp != nil,
        let theirs = try? folder.bytes(of: name, limit: PatternText.longestEditable)
      else {
        if state.stamp != nil {
          state.stamp = nil
          state.notice = "The file is gone; saving writes it anew."
          _ = try? note(.file([]), &state)
          state.version += 1
        }
        return
      }
      // Half a file of a program that writes in place: what is whole is there a moment later.
      let isYoung = stamp.map { Host.secondsSince1970 - $0.seconds <= 1 } ?? false
      if isYoung, PatternText(theirs).broken != nil, state.text.broken == nil { return }
      state.stamp = stamp
      if theirs != state.history.fileBytes { try? takeIn(theirs, &state) }
    }
  }

  private func takeIn(_ theirs: [UInt8], _ state: inout State) throws(HTTPFault) {
    switch Merge.merge(
      base: state.history.fileBytes, ours: state.history.bytes, theirs: theirs)
    {
    case .merged(let edits):
      let label = state.history.isSaved ? "Changed on disk" : "Merged with the file on disk"
      if edits.isEmpty {
        state.version += 1
      } else {
        _ = try step(.edit(label: label, edits), &state)
      }
      try note(.file(theirs), &state)
      state.conflict = nil
      state.notice = label + "."
    case .conflict(let conflict):
      state.conflict = (theirs, conflict)
      state.notice =
        "Another program changed the same lines of the file: say which of both texts is to stay."
      state.version += 1
    }
  }

  /// Brings the draft to the disk.
  func sync() { state.withLock { $0.draft?.sync() } }

  /// Whether the draft may go: the file has its text.
  var isSaved: Bool { state.withLock { $0.history.isSaved && $0.conflict == nil } }

  // MARK: - Steps

  private func checkBase(_ base: Int, _ state: State) throws(HTTPFault) {
    guard base == state.version else {
      throw HTTPFault(
        409, "stale", "the document was changed: its version is \(state.version), not \(base)")
    }
  }

  /// Lets an event happen once its line is in the draft, and says what it changed; without one, that nothing did.
  private func step(
    _ event: EditEvent?, _ state: inout State
  ) throws(HTTPFault) -> JSONValue {
    let before = state.text
    var edits = TextEdits.none
    if let event {
      state.notice = nil
      edits = try note(event, &state)
      state.version += 1
      if !edits.isEmpty {
        state.text = before.replacing(edits)
        state.findings = nil
      }
    }
    let splices = EntrySplice.splices(from: before, to: state.text, by: edits)
    let isBroken = state.text.broken != nil
    return .object(
      of: [
        "version": state.version,
        "splices": isBroken ? JSONValue.array([]) : state.text.json(splices),
        "text": before.json(edits), "seconds": Self.seconds(&state),
        "broken": state.text.broken?.message,
        "diagnostics": state.text.json(Self.findings(&state)), "saved": state.history.isSaved,
        "undo": state.history.undoLabel, "redo": state.history.redoLabel,
        "composed": state.composed,
      ])
  }

  @discardableResult
  private func note(_ event: EditEvent, _ state: inout State) throws(HTTPFault) -> TextEdits {
    var next = state.history
    let edits: TextEdits
    do throws(EditHistoryError) {
      edits = try next.take(event)
    } catch {
      throw HTTPFault(422, "operation", error.message)
    }
    try draft(&state).append(Draft.line(event, after: next))
    state.history = next
    if let draft = state.draft, draft.length > Draft.longest {
      state.history = EditHistory(next.bytes, file: next.fileBytes)
      let line = Draft.opening(state.history)
      state.draft = nil
      let begun = try DraftFile(draftPath, keeping: 0)
      try begun.append(line)
      state.draft = begun
      state.notice = "The draft had grown too long: what was done before cannot be undone any more."
    }
    return edits
  }

  private func draft(_ state: inout State) throws(HTTPFault) -> DraftFile {
    if let draft = state.draft { return draft }
    let draft = try DraftFile(draftPath, keeping: state.kept ?? 0)
    if state.kept == nil { try draft.append(Draft.opening(state.history)) }
    state.kept = draft.length
    state.draft = draft
    return draft
  }

  private static func findings(_ state: inout State) -> [Finding] {
    if let found = state.findings { return found }
    let reading = state.text.reading()
    let found = state.text.findings(of: reading)
    state.findings = found
    state.seconds = reading?.pattern.duration
    state.composed = reading?.pattern.metadata?["Composed"]
    return found
  }

  private static func seconds(_ state: inout State) -> Double? {
    _ = findings(&state)
    return state.seconds
  }

  private static func json(_ conflict: Merge.Conflict) -> JSONValue {
    [
      "mine": ["changed": .integer(conflict.mine)],
      "theirs": ["changed": .integer(conflict.theirs)],
    ]
  }
}
