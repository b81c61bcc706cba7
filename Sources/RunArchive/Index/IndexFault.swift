/// Why the index cannot be used, by what can be done about it.
enum IndexFault: Error, Hashable {
  /// The file is no database, or its pages contradict each other.
  case damaged(String)
  /// A database of another program.
  case foreign
  /// Written by a version of haprig with another schema.
  case otherSchema(found: Int)
  /// Somebody else wrote, or had it open, for longer than was waited.
  case busy
  /// The server ended the connection or refused the transaction; another try may succeed.
  case interrupted(String)
  /// Anything else: the folder is read-only, the disk is full, the server is not there.
  case failed(String)

  /// One sentence without the name of the index.
  var message: String {
    switch self {
    case .damaged(let reason):
      "the index is damaged (\(reason)): haprig archive rebuild makes it anew"
    case .foreign:
      "this is a database of another program: give another place with --archive, or move it away"
    case .otherSchema(let found):
      "the index has schema \(found), and this version of haprig has \(IndexSchema.version): "
        + (found > IndexSchema.version
          ? "use the later haprig that wrote it" : "haprig archive rebuild makes it anew")
    case .busy: "another process has had the index for too long: try again when it is done"
    case .interrupted(let reason): "the database ended the work (\(reason)): try again"
    case .failed(let reason): reason
    }
  }

  /// Whether the index can be made again from the run folders and is of no use as it is.
  var callsForRebuild: Bool {
    switch self {
    case .damaged, .foreign: true
    case .otherSchema(let found): found < IndexSchema.version
    case .busy, .interrupted, .failed: false
    }
  }
}
