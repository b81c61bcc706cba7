/// How a file is judged.
public enum AHAPMode: String, Sendable, CaseIterable {
  /// As Apple documents its reader: limit values, ignore unknown keys, use defaults, and stop at what
  /// is missing and required.
  case apple
  /// As a lint: nearly everything unusual is an error, and reading goes on behind a wrong entry.
  case strict
}
