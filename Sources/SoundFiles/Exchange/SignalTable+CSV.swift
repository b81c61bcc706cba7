import Units

extension SignalTable {
  /// The table as comma-separated values (RFC 4180): the time in seconds, then a column for each signal.
  ///
  /// The first line names the columns with their units, `z (m/s2)`. Numbers are the shortest that read
  /// back to the same 32-bit sample, times to the same 64-bit number. About 12 bytes a sample.
  public var csv: [UInt8] {
    var text = (["time (s)"] + columns.map { "\($0.name) (\($0.unit.rawValue))" })
      .map(Self.field).joined(separator: ",")
    text += "\r\n"
    var bytes = Array(text.utf8)
    bytes.reserveCapacity(frameCount * (columns.count * 12 + 16))
    for frame in 0..<frameCount {
      bytes += rate.seconds(Double(frame - origin)).description.utf8
      for column in columns {
        bytes.append(UInt8(ascii: ","))
        bytes += column.samples[frame].description.utf8
      }
      bytes += [13, 10]
    }
    return bytes
  }

  /// A field in quotation marks where it needs them.
  private static func field(_ text: String) -> String {
    guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
    return "\""
      + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
