import RunArchive

/// What a calibration that ends early leaves to go on with.
struct KeptSegments: Sendable {
  /// The folder that segments are kept in.
  let folder: String

  /// How many there are.
  var count: Int {
    // The account of a segment appears last, under a name that begins with its number.
    ((try? Folder.names(in: folder)) ?? []).count {
      $0.hasSuffix(".json") && $0.first?.isNumber == true
    }
  }

  /// What a person wants to know then.
  var sentence: String {
    switch count {
    case 0: "the old profile stays, and nothing was measured yet"
    case let count:
      "the old profile stays, and \(count) segment\(count == 1 ? " is" : "s are") kept: the same command "
        + "goes on from here, --restart begins anew"
    }
  }
}
