// SPDX-License-Identifier: Apache-2.0

import Bench
import JSONText

/// A command as one line of JSON, as `play --commands` and `follow --commands` take it.
enum CommandLineOfJSON {
  private static let schema = JSONField.Schema(name: "command", isClosed: true)

  /// Reads a line: the command, and the line's own value; what is wrong is told with its column.
  static func read<Command>(
    _ line: [UInt8], _ command: (JSONField) throws(JSONFieldError) -> Command
  ) throws(InputError) -> (command: Command, said: JSONValue) {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(line)
    } catch {
      throw InputError("column \(error.position.column): \(error.message)")
    }
    do throws(JSONFieldError) {
      return (try command(JSONField(root: document.root, of: schema)), document.root.value)
    } catch {
      throw InputError("column \(error.position.column): \(error.message)")
    }
  }
}
