extension String {
  /// The text with a mark in the place of every control character: a name is no command to a terminal.
  public var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
  }
}
