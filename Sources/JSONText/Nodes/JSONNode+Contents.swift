/// The members of an object in the order of the text, duplicates included.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
  @usableFromInline let storage: JSONStorage
  @usableFromInline var index: Int
  @usableFromInline let end: Int

  @inlinable
  init(storage: JSONStorage, index: Int, end: Int) {
    self.storage = storage
    self.index = index
    self.end = end
  }

  /// Gives the next member and moves on.
  @inlinable
  public mutating func next() -> (key: JSONNode, value: JSONNode)? {
    guard index < end else { return nil }
    let key = JSONNode(storage: storage, index: index)
    let value = JSONNode(storage: storage, index: index &+ 1)
    index = value.next
    return (key, value)
  }
}

/// The elements of an array in the order of the text.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
  @usableFromInline let storage: JSONStorage
  @usableFromInline var index: Int
  @usableFromInline let end: Int

  @inlinable
  init(storage: JSONStorage, index: Int, end: Int) {
    self.storage = storage
    self.index = index
    self.end = end
  }

  /// Gives the next element and moves on.
  @inlinable
  public mutating func next() -> JSONNode? {
    guard index < end else { return nil }
    let element = JSONNode(storage: storage, index: index)
    index = element.next
    return element
  }
}

extension JSONNode {
  /// The index of the record after this value and all that it holds.
  @inlinable var next: Int { index &+ record.stride }

  /// The members of an object; empty for anything else.
  @inlinable public var members: JSONMembers {
    JSONMembers(storage: storage, index: index &+ 1, end: kind == .object ? next : 0)
  }

  /// The elements of an array; empty for anything else.
  @inlinable public var elements: JSONElements {
    JSONElements(storage: storage, index: index &+ 1, end: kind == .array ? next : 0)
  }

  /// Finds the value of a key, the last one if the object has the key more than once.
  ///
  /// Linear in the number of members.
  public subscript(key: String) -> JSONNode? {
    var found: JSONNode?
    for (name, value) in members where name.matches(key) {
      found = value
    }
    return found
  }
}
