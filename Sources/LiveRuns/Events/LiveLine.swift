// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// A line of `events.jsonl`: an event with its number and its time.
package struct LiveLine: Sendable, Equatable {
  /// From 0, without a gap.
  package var number: Int
  /// Seconds since the start, by the clock that nobody sets.
  package var seconds: Double
  /// How many passing events found no room before this one.
  package var omitted: Int
  package var event: LiveEvent

  package init(number: Int, seconds: Double, omitted: Int = 0, event: LiveEvent) {
    self.number = number
    // A millionth of a second is more than anybody sees, and fewer digits.
    self.seconds = (seconds * 1e6).rounded() / 1e6
    self.omitted = omitted
    self.event = event
  }

  /// The text without the line feed at its end.
  package var text: String { json.text(indent: nil) }

  /// The bytes with the line feed.
  var bytes: [UInt8] { json.utf8(indent: nil) + [UInt8(ascii: "\n")] }

  private var json: JSONValue {
    var members = [
      JSONMember("n", .integer(number)), JSONMember("t", .number(seconds)),
      JSONMember("kind", .string(event.kind.rawValue)),
    ]
    if omitted > 0 { members.append(JSONMember("omitted", .integer(omitted))) }
    return .object(members + event.members)
  }

  /// Reads a line; one of a kind that a later version adds is none.
  package init(parsing text: String) throws(JSONFieldError) {
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONDocument(Array(text.utf8)).root
    } catch {
      throw JSONFieldError(position: error.position, path: "", message: error.message)
    }
    let field = JSONField(root: root, of: .live)
    number = try field["n"].integer()
    seconds = try field["t"].number()
    omitted = try field.member("omitted")?.integer() ?? 0
    event = try LiveEvent(field["kind"].word(LiveEvent.Kind.self), field)
  }
}
