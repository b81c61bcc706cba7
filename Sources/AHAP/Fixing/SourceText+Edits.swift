import JSONText

extension SourceText {
  /// The edits that remove some items of a list, each valid with or without the others.
  ///
  /// An item goes with the comma after it; items at the end go with the comma before them.
  ///
  /// - Parameters:
  ///   - removed: The indices to remove, in rising order.
  ///   - items: The ranges of all items of an array or object.
  ///   - end: The offset of the closing bracket.
  /// - Returns: One edit for each index.
  func removals(of removed: [Int], from items: [Range<Int>], closing end: Int) -> [TextEdit] {
    var tail = items.count
    for index in removed.reversed() where index == tail - 1 { tail = index }
    return removed.map { index in
      let isLast = index + 1 == items.count
      let range =
        if index >= tail && tail > 0 {
          items[index - 1].upperBound..<items[index].upperBound
        } else {
          items[index].lowerBound..<(isLast ? end : items[index + 1].lowerBound)
        }
      return TextEdit(range: range, replacement: "")
    }
  }

  /// The edit that puts a member before the first one, in the layout of the object.
  func insertion(first name: String, _ value: String, into members: [LocatedMember]) -> TextEdit? {
    guard let first = members.first else { return nil }
    return TextEdit(
      range: first.key.offset..<first.key.offset,
      replacement: "\"\(name)\"\(colon(of: first))\(value)" + separator(members.map(\.range)))
  }

  /// The edit that puts a member behind the last one, in the layout of the object.
  func insertion(last name: String, _ value: String, into members: [LocatedMember]) -> TextEdit? {
    guard let last = members.last else { return nil }
    return TextEdit(
      range: last.range.upperBound..<last.range.upperBound,
      replacement: separator(members.map(\.range)) + "\"\(name)\"\(colon(of: last))\(value)")
  }

  /// The text between a key and its value.
  private func colon(of member: LocatedMember) -> String {
    text(stringEnd(member.key)..<member.value.node.offset)
  }

  /// The comma and white space between the items of a list.
  func separator(_ items: [Range<Int>]) -> String {
    if items.count > 1 { return text(items[0].upperBound..<items[1].lowerBound) }
    let inline = isCompact ? "," : ", "
    guard let first = items.first else { return inline }
    var start = first.lowerBound
    while start > 0, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[start - 1]) { start -= 1 }
    return start == first.lowerBound ? inline : "," + text(start..<first.lowerBound)
  }

  /// The edits that put the texts of some items into a new order, between which all else stays.
  ///
  /// - Parameters:
  ///   - slots: The ranges of the items in the order of the text.
  ///   - order: For each slot the index of the item that it gets.
  /// - Returns: One edit for each slot that gets another item.
  func permutation(of slots: [Range<Int>], by order: [Int]) -> [TextEdit] {
    zip(slots, order).enumerated().compactMap { index, pair in
      pair.1 == index
        ? nil : TextEdit(range: pair.0, replacement: text(slots[pair.1]))
    }
  }
}
