// SPDX-License-Identifier: Apache-2.0

public import AHAP
public import JSONText

/// One edit of a pattern; every index is of the state that its batch was made for.
public enum Operation: Sendable, Hashable {
  /// Sets a property of an entry; nil leaves it to the default and removes what is written.
  case set(entry: Int, EntryChange)
  /// Puts an entry before the one of an index; the number of entries puts it at the end.
  case insert(at: Int, PatternEntry)
  /// Puts a copy of an entry's text, with all keys that nobody knows, before the one of an index.
  ///
  /// The copy is of the state before the batch, and can be of an entry that the batch removes.
  case copy(entry: Int, to: Int, changes: [EntryChange])
  /// Removes entries.
  case remove([Int])
  /// Moves a point of a curve; nil leaves its time or value as it is.
  case point(entry: Int, at: Int, time: Double?, value: Double?)
  /// Puts a point before the one of an index; the number of points puts it at the end.
  case addPoint(entry: Int, at: Int, ParameterCurve.Point)
  /// Removes points of a curve.
  case removePoints(entry: Int, at: [Int])
  /// Sets a member of the pattern's `Metadata`; nil takes it out.
  case metadata(key: String, JSONValue?)
  /// Replaces runs of the text; alone in its batch.
  case text([UTF16Edit])
}

/// A new value of a property of an entry.
public struct EntryChange: Sendable, Hashable {
  /// The property.
  public var key: EntryKey
  /// The value; nil to leave the property to its default.
  public var value: EntryValue?

  /// Creates a change.
  public init(_ key: EntryKey, _ value: EntryValue?) {
    self.key = key
    self.value = value
  }
}

/// Operations that speak of one state of a document and are one step of undo.
public struct Batch: Sendable, Hashable {
  /// What the step is called: `Move 3 events`.
  public var label: String
  /// The operations.
  public var operations: [Operation]
  /// Whether it is more of the batch before and one step with it, as keys that are held do.
  public var continues: Bool

  /// Creates a batch.
  public init(label: String, operations: [Operation], continues: Bool = false) {
    self.label = label
    self.operations = operations
    self.continues = continues
  }
}

/// Why a batch is refused, of which then nothing is done.
public struct OperationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The index of the operation in its batch; nil where the batch as a whole is at fault.
  public var operation: Int?
  /// One sentence.
  public var message: String

  /// Creates an error.
  public init(operation: Int?, message: String) {
    self.operation = operation
    self.message = message
  }

  /// The sentence behind the operation's number, counted from 0.
  public var description: String {
    operation.map { "operation \($0): \(message)" } ?? message
  }
}
