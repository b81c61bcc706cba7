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
  /// What a device says of itself as a person can be shown it: a character that moves a cursor or ends a line
  /// becomes U+FFFD.
  package var withoutControls: String {
    var shown = ""
    for scalar in unicodeScalars {
      let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
      shown.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
    }
    return shown
  }
}
