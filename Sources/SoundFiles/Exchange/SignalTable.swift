public import Units

/// Signals of one rate and one length with their names and units, for programs that analyse elsewhere.
public struct SignalTable: Sendable, Equatable {
  /// One signal of the table.
  public struct Column: Sendable, Equatable {
    /// The name.
    public var name: String
    /// The unit of the samples.
    public var unit: MeasurementUnit
    /// The samples.
    public var samples: [Float]

    /// Makes a column.
    public init(name: String, unit: MeasurementUnit, samples: [Float]) {
      self.name = name
      self.unit = unit
      self.samples = samples
    }
  }

  /// What the signals are of, in one line.
  public let title: String
  /// When they were recorded, as their source writes it.
  public let date: String
  /// Frames a second.
  public let rate: SampleRate
  /// The frame at which time is 0.
  public let origin: Int
  /// The signals.
  public let columns: [Column]

  /// Makes a table; shorter columns are not filled up: it traps where lengths differ.
  public init(title: String, date: String, rate: SampleRate, origin: Int, columns: [Column]) {
    for column in columns {
      precondition(
        column.samples.count == columns[0].samples.count,
        "\(column.name) has \(column.samples.count) frames beside \(columns[0].samples.count)")
    }
    self.title = title
    self.date = date
    self.rate = rate
    self.origin = origin
    self.columns = columns
  }

  /// How many frames each column has.
  public var frameCount: Int { columns.first?.samples.count ?? 0 }

  /// The time of the first frame, in seconds.
  var start: Double { -rate.seconds(Double(origin)) }
}

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
