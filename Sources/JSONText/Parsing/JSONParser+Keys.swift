extension JSONParser {
  /// Notes the keys of the object being closed that it has had before.
  ///
  /// Few keys are compared with each other; many go through a hashed set, so that the cost stays
  /// linear.
  mutating func findDuplicates(from first: Int) {
    guard keys.count - first > 12 else {
      for later in (first + 1)..<keys.count {
        for earlier in first..<later where areEqualKeys(keys[earlier], keys[later]) {
          duplicateKeys.append(Int(records[keys[later]].offset))
          break
        }
      }
      return
    }
    var seen: Set<[UInt8]> = []
    seen.reserveCapacity(keys.count - first)
    for key in keys[first...] where !seen.insert(keyBytes(key)).inserted {
      duplicateKeys.append(Int(records[key].offset))
    }
  }

  private func areEqualKeys(_ first: Int, _ second: Int) -> Bool {
    let (a, b) = (records[first], records[second])
    guard !a.mark && !b.mark else { return keyBytes(first) == keyBytes(second) }
    return a.payload == b.payload
      && areEqual(base + Int(a.offset) + 1, base + Int(b.offset) + 1, a.count)
  }

  private func keyBytes(_ index: Int) -> [UInt8] {
    let record = records[index]
    let text = base + Int(record.offset) + 1
    if record.mark { return unescaped(text, count: record.count) }
    return [UInt8](UnsafeRawBufferPointer(start: text, count: record.count))
  }
}
