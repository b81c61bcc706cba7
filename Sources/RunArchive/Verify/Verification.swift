/// What looking at every file of an archive came to.
public struct Verification: Sendable, Equatable {
  /// Something that is not as it was written.
  public struct Finding: Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, as one word for programs.
    public enum Kind: String, Sendable, CaseIterable {
      /// A file that the record names is not there, or a run that the index knows.
      case missing
      /// A file has other bytes than the record says, or a record others than the index.
      case changed
      /// A file that the record does not name.
      case extra
      /// Something that cannot be read.
      case unreadable
    }

    /// What is wrong.
    public var kind: Kind
    /// The run; empty where it is the index.
    public var run: String
    /// The file in its folder; `nil` where it is the whole run.
    public var file: String?
    /// One sentence, without the place.
    public var message: String

    /// The place and the sentence.
    public var description: String {
      let place = run.isEmpty ? ArchiveLocation.indexFile : run + (file.map { "/" + $0 } ?? "")
      return "\(kind.rawValue): \(place): \(message)"
    }
  }

  /// Runs that were looked at.
  public var runs = 0
  /// Files whose hash was compared.
  public var files = 0
  /// Their bytes.
  public var bytes = 0
  /// Recordings that were pruned on purpose.
  public var pruned = 0
  /// Runs whose records name no hashes: an earlier version made them.
  public var withoutHashes: [String] = []
  /// What is wrong, run by run.
  public var findings: [Finding] = []

  /// Whether everything is as it was written.
  public var isSound: Bool { findings.isEmpty }

  mutating func add(_ kind: Finding.Kind, _ run: String, _ file: String?, _ message: String) {
    findings.append(Finding(kind: kind, run: run, file: file, message: message))
  }
}
