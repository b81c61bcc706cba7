// SPDX-License-Identifier: Apache-2.0

/// How a value stands in JSON, said once for both ways: for reading, with errors that tell the place, and for
/// writing.
///
/// An object's form is the list of its members, which are read and written in that order.
package struct JSONForm<Value>: Sendable {
  package typealias Reader = @Sendable (JSONField) throws(JSONFieldError) -> Value

  private let read: Reader
  private let write: @Sendable (Value) -> JSONValue?
  /// What a member that is absent stands for; `nil` where it must be there.
  private let absent: (@Sendable () -> Value)?

  /// A form of one's own; a value that is written as nothing is no member of its object.
  package init(
    _ read: @escaping Reader, _ write: @escaping @Sendable (Value) -> JSONValue?,
    absent: (@Sendable () -> Value)? = nil
  ) {
    self.read = read
    self.write = write
    self.absent = absent
  }

  /// The object of some members, each with its key, where the value has it, and its form.
  package init<each Part>(
    _ make: @escaping @Sendable (repeat each Part) -> Value,
    _ member: repeat (String, @Sendable (Value) -> each Part, JSONForm<each Part>)
  ) {
    var keys: [String] = []
    for (key, _, _) in repeat each member { keys.append(key) }
    let known = keys
    self.init { field throws(JSONFieldError) in
      try field.checkKeys(known)
      return make(repeat try (each member).2.member((each member).0, of: field))
    } _: { value in
      var members: [JSONMember] = []
      for (key, part, form) in repeat each member {
        if let json = form.write(part(value)) { members.append(JSONMember(key, json)) }
      }
      return .object(members)
    }
  }

  package func value(of field: JSONField) throws(JSONFieldError) -> Value { try read(field) }

  package func member(_ key: String, of object: JSONField) throws(JSONFieldError) -> Value {
    guard let absent else { return try read(object[key]) }
    return try object.member(key).map(read) ?? absent()
  }

  package func json(_ value: Value) -> JSONValue { write(value) ?? .null }

  /// The same form for values that a check lets pass.
  package func checked(
    _ check: @escaping @Sendable (JSONField, Value) throws(JSONFieldError) -> Void
  ) -> JSONForm {
    JSONForm(
      { [read] field throws(JSONFieldError) in
        let value = try read(field)
        try check(field, value)
        return value
      }, write, absent: absent)
  }

  /// The same form for a member whose absence stands for a value.
  package func absent(for value: Value) -> JSONForm where Value: Sendable {
    JSONForm(read, write, absent: { value })
  }

  /// The same form for a member that is left out where it is a value.
  package func or(_ value: Value) -> JSONForm where Value: Sendable & Equatable {
    JSONForm(read, { [write] in $0 == value ? nil : write($0) }, absent: { value })
  }
}

extension JSONForm {
  /// What follows from an object's other members: written for whoever reads it, and not read back.
  package static func derived<Wrapped>(_ form: JSONForm<Wrapped>) -> Self
  where Value == Wrapped? {
    Self({ _ in nil }, { $0.flatMap(form.write) }, absent: { nil })
  }

  /// A member that is left out where it is `nil`.
  package static func optional<Wrapped>(_ form: JSONForm<Wrapped>) -> Self
  where Value == Wrapped? {
    Self(
      { field throws(JSONFieldError) in try form.read(field) }, { $0.flatMap(form.write) },
      absent: { nil })
  }

  package static func list<Element>(_ form: JSONForm<Element>) -> Self where Value == [Element] {
    Self(
      { field throws(JSONFieldError) in try field.list(form.read) },
      { .array($0.map(form.json)) })
  }

  /// An object of any keys, in their order: a dictionary's own differs from run to run.
  package static func named<Element>(_ form: JSONForm<Element>) -> Self
  where Value == [String: Element] {
    Self { field throws(JSONFieldError) in
      var values: [String: Element] = [:]
      for (key, member) in try field.members() { values[key] = try form.read(member) }
      return values
    } _: { values in
      .object(values.sorted { $0.key < $1.key }.map { JSONMember($0.key, form.json($0.value)) })
    }
  }
}

extension JSONForm<String> {
  package static var string: Self {
    Self({ field throws(JSONFieldError) in try field.string() }, JSONValue.string)
  }
}

extension JSONForm<Int> {
  package static var integer: Self {
    Self({ field throws(JSONFieldError) in try field.integer() }, JSONValue.integer)
  }
}

extension JSONForm<Bool> {
  package static var bool: Self {
    Self({ field throws(JSONFieldError) in try field.bool() }, JSONValue.bool)
  }
}

extension JSONForm where Value: RawRepresentable<String> & CaseIterable & SendableMetatype {
  package static var word: Self {
    Self(
      { field throws(JSONFieldError) in try field.word(Value.self) }, { .string($0.rawValue) })
  }
}
