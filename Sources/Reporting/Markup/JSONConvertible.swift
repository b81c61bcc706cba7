// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// What stands in JSON as one value, so that the members of an object are named without their kinds.
package protocol JSONConvertible {
  var json: JSONValue { get }
}

extension JSONValue: JSONConvertible {
  package var json: JSONValue { self }
}

extension Bool: JSONConvertible {
  package var json: JSONValue { .bool(self) }
}

extension Int: JSONConvertible {
  package var json: JSONValue { .integer(self) }
}

/// A number that is not finite is null: JSON has no word for it.
extension Double: JSONConvertible {
  package var json: JSONValue { isFinite ? .number(self) : .null }
}

extension String: JSONConvertible {
  package var json: JSONValue { .string(self) }
}

extension Array: JSONConvertible where Element: JSONConvertible {
  // A key path would be made at each call.
  package var json: JSONValue { .array(map { $0.json }) }
}

extension JSONValue {
  package typealias Fields = KeyValuePairs<String, (any JSONConvertible)?>

  /// An object of the members that are there.
  package static func object(of fields: Fields) -> JSONValue {
    .object(fields.compactMap { key, value in value.map { JSONMember(key, $0.json) } })
  }

  /// An object of all members, null in the place of those that are not there.
  package static func object(all fields: Fields) -> JSONValue {
    .object(fields.map { JSONMember($0, $1?.json ?? .null) })
  }
}
