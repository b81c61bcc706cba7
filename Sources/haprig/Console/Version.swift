/// The version of the program and of what it writes.
enum Version {
  static let text = "0.1.0"
}
