extension JSONParser {
  /// Notes the keys of the object being closed that it has had before.
  ///
  /// Few keys are compared with each other; many go through a hash table, so that the cost
  /// stays linear.
  mutating func findDuplicates(in object: OpenContainer) {
    guard object.count <= 12 else { return findDuplicatesAmongMany(in: object) }
    var later = object.index &+ 1
    for rank in 0..<object.count {
      var earlier = object.index &+ 1
      for _ in 0..<rank {
        if records[later].hasString(of: records[earlier], in: base) {
          duplicateKeys.append(records[later].offset)
          break
        }
        earlier = keyAfter(earlier)
      }
      later = keyAfter(later)
    }
  }

  /// Looks each key up in an open hash table of record indices, in which 0, the root, is no key.
  ///
  /// The hash is seeded anew in each process: no file can be made to collide.
  private mutating func findDuplicatesAmongMany(in object: OpenContainer) {
    let mask = 1 << (Int.bitWidth - object.count.leadingZeroBitCount + 1) - 1
    var slots = [UInt32](repeating: 0, count: mask + 1)
    var key = object.index + 1
    for _ in 0..<object.count {
      var slot = hash(of: records[key]) & mask
      while slots[slot] != 0, !records[key].hasString(of: records[Int(slots[slot])], in: base) {
        slot = (slot + 1) & mask
      }
      if slots[slot] == 0 {
        slots[slot] = UInt32(key)
      } else {
        duplicateKeys.append(records[key].offset)
      }
      key = keyAfter(key)
    }
  }

  /// The index of the record of the key that follows a key and its value.
  private func keyAfter(_ key: Int) -> Int { key &+ 1 &+ records[key &+ 1].stride }

  private func hash(of key: JSONRecord) -> Int {
    var hasher = Hasher()
    if key.hasEscapes {
      key.decodedText(in: base).withUnsafeBytes { hasher.combine(bytes: $0) }
    } else {
      hasher.combine(bytes: key.rawText(in: base))
    }
    return hasher.finalize()
  }
}
