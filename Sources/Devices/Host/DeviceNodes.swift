import Glibc

/// What every kind of device with a node below `/dev` needs, whoever reads it.
extension SystemFiles {
  /// The group whose members may use devices without a seat at the machine: for ssh and services.
  package static let deviceGroup = "plugdev"

  /// The program that has a device's node open but this one, whatever link leads to it; `nil` where none is seen.
  package func holder(ofNode path: String) -> String? {
    opener(of: resolved(path) ?? path, besides: Int(getpid())).map { caption(ofProcess: $0) }
  }
}

extension String {
  /// The text with U+FFFD in the place of every control character: what a device or a folder is called is no command
  /// to a terminal.
  package var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
  }
}
