// SPDX-License-Identifier: Apache-2.0

public import AHAP

/// What happens to a document, one after the other.
public enum EditEvent: Sendable, Hashable {
  /// The text is edited by one step, or by more of the step before, as keys that are held do.
  case edit(label: String, [TextEdit], continues: Bool = false)
  case undo
  case redo
  /// The text is written to its file.
  case saved
  /// The file has this text, whatever the document's is: what a save must not lose.
  case file([UInt8])
}

/// Why an event cannot happen.
public struct EditHistoryError: Error, Sendable, Hashable {
  /// One sentence.
  public var message: String
}

/// The text of a document with all that was done to it: undo and redo without a limit, and what its file has.
///
/// Undo gives back the bytes that were there, whatever the edit was.
public struct EditHistory: Sendable, Hashable {
  struct Step: Sendable, Hashable {
    var label: String
    var edits: TextEdits
    /// What takes them back.
    var inverse: TextEdits
  }

  /// The text as it is now.
  public private(set) var bytes: [UInt8]
  /// The text that the file has as far as is known: the base of a merge with another one.
  public private(set) var fileBytes: [UInt8]
  private var done: [Step] = []
  private var undone: [Step] = []

  /// Begins with a text, and with what its file has, if that is another one.
  public init(_ bytes: [UInt8], file: [UInt8]? = nil) {
    self.bytes = bytes
    fileBytes = file ?? bytes
  }

  /// Whether the file has the text as it is now.
  public var isSaved: Bool { bytes == fileBytes }

  /// What an undo takes back; nil where there is nothing to take back.
  public var undoLabel: String? { done.last?.label }

  /// What a redo does again; nil where there is nothing to do again.
  public var redoLabel: String? { undone.last?.label }

  /// Lets something happen, and gives the replacements that were done in the text before.
  ///
  /// An edit that replaces nothing is no step. One that continues becomes part of the step before where that has
  /// its label, nothing was saved or undone between, and it changes only what that has put. Throws where replacements do not fit, and where there is
  /// nothing to undo or redo; then nothing has changed.
  @discardableResult
  public mutating func take(_ event: EditEvent) throws(EditHistoryError) -> TextEdits {
    switch event {
    case .edit(let label, let edits, let continues):
      let step = try step(label, edits)
      guard !step.edits.isEmpty else { return .none }
      if continues, undone.isEmpty, !isSaved, let last = done.last, last.label == label,
        let edits = last.edits.followed(by: step.edits)
      {
        let inverse = edits.inverse(giving: last.inverse.edits.map(\.replacement))
        done[done.count - 1] = Step(label: label, edits: edits, inverse: inverse)
      } else {
        done.append(step)
      }
      step.edits.apply(to: &bytes)
      undone = []
      return step.edits
    case .undo:
      guard let step = done.popLast() else {
        throw EditHistoryError(message: "there is nothing to undo")
      }
      step.inverse.apply(to: &bytes)
      undone.append(step)
      return step.inverse
    case .redo:
      guard let step = undone.popLast() else {
        throw EditHistoryError(message: "there is nothing to redo")
      }
      step.edits.apply(to: &bytes)
      done.append(step)
      return step.edits
    case .saved:
      fileBytes = bytes
      return .none
    case .file(let text):
      fileBytes = text
      return .none
    }
  }

  private func step(
    _ label: String, _ edits: [TextEdit]
  ) throws(EditHistoryError) -> Step {
    do throws(TextEditFault) {
      let edits = try TextEdits(edits, on: bytes)
      return Step(label: label, edits: edits, inverse: edits.inverse(on: bytes))
    } catch {
      throw EditHistoryError(
        message: "replacement \(error.edit) does not fit the text: \(error.message)")
    }
  }
}
