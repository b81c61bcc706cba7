package import JSONText

extension JSONValue {
  /// An object of the members that are there.
  package static func object(present members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { key, value in value.map { JSONMember(key, $0) } })
  }
}
