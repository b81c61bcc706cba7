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
