public import Units

/// What a report draws of one take: the traces on one time axis and the events on them.
///
/// Time is in seconds of the pattern: 0 is the commanded start. Everything is reduced to a fixed
/// count of columns, so that a figure's size does not grow with the length of the pattern.
public struct TakeFigure: Sendable, Equatable {
  /// One curve, or one band between two curves.
  public struct Trace: Sendable, Equatable {
    /// What it shows: `intensity`, `sharpness`, `drive`, `response`, `sound`.
    public var name: String
    /// The lowest value in each column; equal to `highest` for a curve.
    public var lowest: [Float]
    /// The highest value in each column.
    public var highest: [Float]

    /// Makes a trace; both lists have the same length.
    public init(name: String, lowest: [Float], highest: [Float]) {
      precondition(lowest.count == highest.count, "a trace needs as many lows as highs")
      self.name = name
      self.lowest = lowest
      self.highest = highest
    }
  }

  /// Traces that share a vertical axis.
  public struct Panel: Sendable, Equatable {
    /// The heading: `Intent`, `Drive`, `Response`, `Sound`.
    public var title: String
    /// The unit of the vertical axis.
    public var unit: MeasurementUnit
    /// The traces.
    public var traces: [Trace]

    /// Makes a panel.
    public init(title: String, unit: MeasurementUnit, traces: [Trace]) {
      self.title = title
      self.unit = unit
      self.traces = traces
    }
  }

  /// One event on the time axis.
  public struct Event: Sendable, Equatable {
    /// The index in the order of time, from 0.
    public var index: Int
    /// `HapticTransient`, `HapticContinuous`, `AudioContinuous` or `AudioCustom`.
    public var kind: String
    /// The commanded start and end in seconds.
    public var span: ClosedRange<Double>
    /// When the response set in, in seconds of the pattern, electrical delay removed.
    public var onset: Double?

    /// Makes an event.
    public init(index: Int, kind: String, span: ClosedRange<Double>, onset: Double?) {
      self.index = index
      self.kind = kind
      self.span = span
      self.onset = onset
    }
  }

  /// The pattern's name.
  public var pattern: String
  /// The repeat, from 1.
  public var take: Int
  /// The first and last second that the columns cover.
  public var span: ClosedRange<Double>
  /// The panels from top to bottom.
  public var panels: [Panel]
  /// The events in the order of time.
  public var events: [Event]

  /// Makes a figure.
  public init(
    pattern: String, take: Int, span: ClosedRange<Double>, panels: [Panel], events: [Event]
  ) {
    self.pattern = pattern
    self.take = take
    self.span = span
    self.panels = panels
    self.events = events
  }
}
