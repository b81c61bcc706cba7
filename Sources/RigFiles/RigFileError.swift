/// What is wrong with a rig file or a plan, and where.
package struct RigFileError: Error, Equatable, CustomStringConvertible {
  /// The file's name as it was given.
  package let file: String
  /// The line, from 1.
  package let line: Int
  /// The column in Unicode scalars, from 1.
  package let column: Int
  /// One sentence: what is wrong, what was expected, what to write.
  package let message: String
  /// The source line, and under it a caret; a long line is cut to what surrounds the column.
  package let snippet: String

  /// The place and the sentence, then the snippet on lines of its own.
  package var description: String { "\(file):\(line):\(column): \(message)\n\(snippet)" }
}
