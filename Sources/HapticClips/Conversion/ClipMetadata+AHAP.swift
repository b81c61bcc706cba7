import AHAP
import JSONText

/// Notes carried from one format to the other by the keys that AHAP files use.
extension HapticClip.Metadata {
  /// The notes as the `Metadata` of a pattern; nil if there are none.
  var ahap: JSONValue? {
    var members: [JSONMember] = []
    func add(_ key: String, _ text: String) {
      if !text.isEmpty { members.append(JSONMember(key, .string(text))) }
    }
    add("Project", project)
    add("Description", description)
    add("Author", author)
    add("Editor", editor)
    add("Source", source)
    if !tags.isEmpty {
      members.append(JSONMember("Tags", .array(tags.map(JSONValue.string))))
    }
    return members.isEmpty ? nil : .object(members)
  }

  /// Takes the notes that a clip has a place for out of a pattern's `Metadata`.
  init(ahap: JSONValue?) {
    self.init()
    project = ahap?["Project"]?.string ?? ""
    description = ahap?["Description"]?.string ?? ""
    author = ahap?["Author"]?.string ?? ""
    editor = ahap?["Editor"]?.string ?? ""
    source = ahap?["Source"]?.string ?? ""
    tags = ahap?["Tags"]?.elements?.compactMap(\.string) ?? []
  }

  /// The keys of a pattern's `Metadata` that a clip has no place for.
  static func unknownKeys(in ahap: JSONValue?) -> [String] {
    let known: Set = ["Project", "Description", "Author", "Editor", "Source", "Tags"]
    return ahap?.members?.map(\.key).filter { !known.contains($0) } ?? []
  }
}
