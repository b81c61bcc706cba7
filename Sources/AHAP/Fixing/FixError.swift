/// Why a file's text was not fixed.
public enum FixError: Error, Sendable, Hashable {
  /// The file cannot be read, or could not be once its names are right; the place is in the text as
  /// it was.
  case unreadable(AHAPError)
  /// The fixes would change what is felt, or never end: a fault of the fixer, told instead of a
  /// damaged file.
  case refused(fileName: String, codes: [DiagnosticCode])
}

extension FixError: CustomStringConvertible {
  /// The whole message.
  public var description: String {
    switch self {
    case .unreadable(let error): return error.text
    case .refused(let fileName, let codes):
      let list = Set(codes.map(\.rawValue)).sorted().joined(separator: ", ")
      return "\(fileName): the fixes of \(list) would change what is felt, so nothing is fixed; "
        + "please report this file"
    }
  }
}
