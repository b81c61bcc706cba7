public import JSONText

extension Baseline {
  static let schema = "haprig.baseline/1"

  /// The baseline as its file has it; what it leaves open is absent.
  public var json: JSONValue {
    let optional: [(String, String?)] = [
      ("actuator", actuator), ("pattern", pattern), ("reading", reading), ("run", run),
    ]
    var members = [
      JSONMember("schema", .string(Self.schema)), JSONMember("kind", .string(kind.rawValue)),
      JSONMember("rig", .string(rig)), JSONMember("from", .string(from.description)),
      JSONMember("why", .string(why)), JSONMember("who", .string(who)),
      JSONMember("given", .string(given.description)),
    ]
    members += optional.compactMap { key, text in text.map { JSONMember(key, .string($0)) } }
    return .object(members)
  }

  /// Reads a baseline's file.
  ///
  /// - Parameters:
  ///   - bytes: Its bytes.
  ///   - path: Its path, for the error.
  /// - Throws: `ArchiveError` with line and column at the first thing that is no baseline.
  init(parsing bytes: [UInt8], path: String) throws(ArchiveError) {
    do {
      let field = JSONField(root: try JSONDocument(bytes).root, of: .init(name: "baseline"))
      let schemaField = try field["schema"]
      let found = try schemaField.string()
      guard found == Self.schema || found.hasPrefix(Self.schema + ".") else {
        throw schemaField.error("schema is '\(found)', but must be '\(Self.schema)'")
      }
      let fromField = try field["from"]
      guard let from = CalendarDay(try fromField.string()) else {
        throw fromField.error("\(fromField.path) must be a day such as 2026-11-21")
      }
      let givenField = try field["given"]
      guard let given = Moment(try givenField.string()) else {
        throw givenField.error("\(givenField.path) must be a moment such as 2026-11-21T09:51:50Z")
      }
      try self.init(
        try field["kind"].word(Kind.self), rig: try field["rig"].string(),
        actuator: try field.member("actuator")?.string(),
        pattern: try field.member("pattern")?.string(),
        reading: try field.member("reading")?.string(), from: from,
        run: try field.member("run")?.string(), why: try field["why"].string(),
        who: try field["who"].string(), given: given)
    } catch let error as ArchiveError {
      throw ArchiveError(path: path, message: "\(error)")
    } catch {
      throw ArchiveError(path: path, message: "\(error)")
    }
  }
}
