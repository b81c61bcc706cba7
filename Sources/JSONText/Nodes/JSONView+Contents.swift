extension JSONView {
  /// The members of an object in the order of the text, duplicates included.
  public struct Members: Sequence, IteratorProtocol {
    @usableFromInline var rest: Elements

    @inlinable
    init(_ rest: Elements) {
      self.rest = rest
    }

    /// Gives the next member and moves on.
    @inlinable
    public mutating func next() -> (key: JSONView, value: JSONView)? {
      guard let key = rest.next(), let value = rest.next() else { return nil }
      return (key, value)
    }
  }

  /// The elements of an array in the order of the text.
  public struct Elements: Sequence, IteratorProtocol {
    @usableFromInline var record: UnsafePointer<JSONRecord>
    @usableFromInline let end: UnsafePointer<JSONRecord>
    @usableFromInline let text: UnsafePointer<UInt8>

    @inlinable
    init(of container: JSONView, if isAsked: Bool) {
      let record = container.record
      self.record = record + 1
      end = record + (isAsked ? record.pointee.stride : 1)
      text = container.text
    }

    /// Gives the next element and moves on.
    @inlinable
    public mutating func next() -> JSONView? {
      guard record < end else { return nil }
      let element = JSONView(record: record, text: text)
      record += record.pointee.stride
      return element
    }
  }

  /// The members of an object; empty for anything else.
  @inlinable public var members: Members { Members(Elements(of: self, if: kind == .object)) }

  /// The elements of an array; empty for anything else.
  @inlinable public var elements: Elements { Elements(of: self, if: kind == .array) }
}
