// SPDX-License-Identifier: Apache-2.0

package import Devices

extension RigDescription {
  /// All that is wrong with a rig file, in the order of its lines; empty for one that can be read.
  ///
  /// The reader ends at the first mistake. Here the file is read again without what was wrong, or with an example
  /// in place of what was lacking, until it can be read: so each mistake is told once, by the same reader and in the
  /// same words. What depends on a wrong part cannot be looked at before that is mended. See `init(yaml:)`.
  package static func mistakes(
    yaml bytes: [UInt8], file: String,
    certificate: @escaping (_ path: String) throws -> [UInt8] = Self.noCertificates
  ) -> [RigFileError] {
    var found: [RigFileError] = []
    do throws(RigFileError) {
      var tree = try YAMLNode(SourceText(bytes: bytes, file: file))
      var removed: Set<Removal> = []
      // Maps that were given an example: what goes with another value of it is no mistake.
      var filled: Set<Removal> = []
      for _ in 0..<200 {
        guard let error = mistake(in: tree, file, certificate) else { break }
        // What is wrong with an example is no mistake of the file.
        guard error.position != .nowhere else { break }
        if let missing = error.missing {
          if !removed.contains(Removal(map: missing.map, key: missing.key)) {
            found.append(error)
          }
          guard let changed = tree.adding(missing) else { break }
          filled.insert(Removal(map: missing.map, key: ""))
          tree = changed
          continue
        }
        if let meant = error.meant, let changed = tree.renaming(at: error.position, to: meant) {
          found.append(error)
          tree = changed
          continue
        }
        var last: Removal?
        guard let changed = tree.removing(at: error.position, noting: &last) else {
          found.append(error)
          break
        }
        tree = changed
        if let last { removed.insert(last) }
        let map = last.map { Removal(line: $0.line, column: $0.column, key: "") }
        if error.isRefusal, let map, filled.contains(map) { continue }
        // The same words again are the same mistake, seen at what was left of it.
        if !found.contains(where: { $0.message == error.message }) { found.append(error) }
      }
    } catch {
      found = [error]
    }
    return found.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
  }

  private static func mistake(
    in tree: YAMLNode, _ file: String, _ certificate: @escaping (String) throws -> [UInt8]
  ) -> RigFileError? {
    do throws(RigFileError) {
      _ = try RigDescription(tree, file: file, certificate: certificate)
      return nil
    } catch {
      return error
    }
  }
}

/// A key that was taken out of a map: that it is lacking afterwards is no mistake of the file.
private struct Removal: Hashable {
  let line: Int
  let column: Int
  let key: String

  init(line: Int, column: Int, key: String) {
    (self.line, self.column, self.key) = (line, column, key)
  }

  init(map: Position, key: String) { self.init(line: map.line, column: map.column, key: key) }
}

extension Position {
  /// The place of what does not stand in the file.
  fileprivate static let nowhere = Position(line: 0)
}

extension YAMLNode {
  /// The same, and all that is in it, at one place.
  private func placed(_ place: Position) -> YAMLNode {
    let content: Content =
      switch content {
      case .scalar: self.content
      case .list(let items): .list(items.map { $0.placed(place) })
      case .map(let entries):
        .map(entries.map { Entry(key: $0.key.placed(place), value: $0.value.placed(place)) })
      }
    return YAMLNode(content: content, position: place, label: label, source: source)
  }

  private func with(_ content: Content) -> YAMLNode {
    YAMLNode(content: content, position: position, label: label, source: source)
  }

  /// The tree with a key more, in the map at a place; `nil` where the example is no value by itself, or the map is
  /// not found.
  fileprivate func adding(_ missing: RigFileError.Missing) -> YAMLNode? {
    switch content {
    case .scalar: return nil
    case .list(let items):
      for (index, item) in items.enumerated() {
        guard let changed = item.adding(missing) else { continue }
        var items = items
        items[index] = changed
        return with(.list(items))
      }
      return nil
    case .map(var entries):
      if position == missing.map, !entries.contains(where: { $0.key.isScalar(missing.key) }) {
        let text = SourceText(file: source.file, text: "\(missing.key): \(missing.example)")
        guard let example = try? YAMLNode(text), case .map(let added) = example.content,
          !missing.example.contains("...")
        else { return nil }
        return with(
          .map(
            entries
              + added.map { Entry(key: $0.key.placed(.nowhere), value: $0.value.placed(.nowhere)) })
        )
      }
      for (index, entry) in entries.enumerated() {
        guard let changed = entry.value.adding(missing) else { continue }
        entries[index] = Entry(key: entry.key, value: changed)
        return with(.map(entries))
      }
      return nil
    }
  }

  /// The tree with another word in the place of the one that stands there, a key or a value; `nil` where that key is
  /// there already, or no word stands at the place.
  fileprivate func renaming(at place: Position, to word: String) -> YAMLNode? {
    switch content {
    case .scalar: return position == place ? with(.scalar(word)) : nil
    case .list(var items):
      for (index, item) in items.enumerated() {
        guard let changed = item.renaming(at: place, to: word) else { continue }
        items[index] = changed
        return with(.list(items))
      }
      return nil
    case .map(var entries):
      for (index, entry) in entries.enumerated() {
        if let key = entry.key.renaming(at: place, to: word) {
          guard !entries.contains(where: { $0.key.isScalar(word) }) else { return nil }
          entries[index] = Entry(key: key, value: entry.value)
          return with(.map(entries))
        }
        guard let changed = entry.value.renaming(at: place, to: word) else { continue }
        entries[index] = Entry(key: entry.key, value: changed)
        return with(.map(entries))
      }
      return nil
    }
  }

  /// The tree without the entry or the item at a place, the innermost one; `nil` where nothing stands there.
  fileprivate func removing(at place: Position, noting removed: inout Removal?) -> YAMLNode? {
    switch content {
    case .scalar: return nil
    case .list(var items):
      for (index, item) in items.enumerated() {
        if let changed = item.removing(at: place, noting: &removed) {
          items[index] = changed
          return with(.list(items))
        }
        if item.position == place {
          items.remove(at: index)
          return with(.list(items))
        }
      }
      return nil
    case .map(var entries):
      for (index, entry) in entries.enumerated() {
        if let changed = entry.value.removing(at: place, noting: &removed) {
          entries[index] = Entry(key: entry.key, value: changed)
          return with(.map(entries))
        }
        if entry.value.position == place || entry.key.position == place {
          if case .scalar(let key) = entry.key.content {
            removed = Removal(map: position, key: key)
          }
          entries.remove(at: index)
          return with(.map(entries))
        }
      }
      return nil
    }
  }
}
