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
  @inlinable var next: Int {
    let record = record
    return record.kind == .array || record.kind == .object ? record.end : index &+ 1
  }

  /// The members of an object; empty for anything else.
  @inlinable public var members: JSONMembers {
    let record = record
    let end = record.kind == .object ? record.end : 0
    return JSONMembers(storage: storage, index: index &+ 1, end: end)
  }

  /// The elements of an array; empty for anything else.
  @inlinable public var elements: JSONElements {
    let record = record
    let end = record.kind == .array ? record.end : 0
    return JSONElements(storage: storage, index: index &+ 1, end: end)
  }

  /// Finds the value of a key, the last one if the object has the key more than once.
  ///
  /// Linear in the number of members.
  public subscript(key: String) -> JSONNode? {
    var key = key
    return key.withUTF8 { text in
      var found: JSONNode?
      for (key, value) in members where key.hasUTF8(text) {
        found = value
      }
      return found
    }
  }
}
