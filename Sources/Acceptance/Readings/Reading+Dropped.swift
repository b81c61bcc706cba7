extension Reading {
  /// What a reading of an event says of which nothing came, though it was driven.
  public static let droppedNote = "dropped: nothing came of it"

  /// Whether it says that nothing came of its event.
  public var isOfDropped: Bool { note?.hasPrefix(Self.droppedNote) == true }
}
