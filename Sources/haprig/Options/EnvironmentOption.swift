import ArgumentParser

/// What `--environment NAME=VALUE` says, once for each name.
enum EnvironmentOption {
  static func read(_ texts: [String]) throws -> [String: String] {
    var environment: [String: String] = [:]
    for text in texts {
      guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
        throw ValidationError("--environment takes NAME=VALUE, such as firmware=1.4, not '\(text)'")
      }
      let name = String(text[..<sign])
      guard environment[name] == nil else {
        throw ValidationError("--environment names '\(name)' twice")
      }
      environment[name] = String(text[text.index(after: sign)...])
    }
    return environment
  }
}
