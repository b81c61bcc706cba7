// SPDX-License-Identifier: Apache-2.0

public import Units

/// What a report draws of one take: the traces on one time axis and the events on them.
///
/// Time is in seconds of the pattern: 0 is the commanded start. Everything is reduced to a fixed
/// count of columns, so that a figure's size does not grow with the length of the pattern.
public struct TakeFigure: Sendable, Equatable {
  /// One curve, or one band between two curves.
  public struct Trace: Sendable, Equatable {
    /// What it shows: `intensity`, `drive`, `response`, `model`, ...; words after the first say more of it, as
    /// in `take 2`.
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

    /// Two traces are equal where all their columns are; a gap, which is no number, is equal to a gap.
    public static func == (left: Trace, right: Trace) -> Bool {
      func isSame(_ left: Float, _ right: Float) -> Bool {
        left == right || left.isNaN && right.isNaN
      }
      return left.name == right.name && left.lowest.elementsEqual(right.lowest, by: isSame)
        && left.highest.elementsEqual(right.highest, by: isSame)
    }
  }

  /// Traces that share a vertical axis.
  public struct Panel: Sendable, Equatable {
    /// The heading: `Envelope`, `Response`, `Left over`, `Intent`, `Drive`, `Sound`.
    public var title: String
    /// The unit of the vertical axis.
    public var unit: MeasurementUnit
    /// The traces, those behind first.
    public var traces: [Trace]
    /// What the vertical axis reaches to either side at least, so that what is small looks small.
    public var leastReach: Double

    /// Makes a panel.
    public init(title: String, unit: MeasurementUnit, traces: [Trace], leastReach: Double = 0) {
      self.leastReach = leastReach
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

  /// Levels of a signal over time and frequency, coarse enough to be looked at.
  public struct Spectrogram: Sendable, Equatable {
    /// The trace that it is of: `response`.
    public var name: String
    /// The unit whose size of 1 is 0 dB.
    public var unit: MeasurementUnit
    /// The lowest and the highest frequency, in hertz: the outer edges of the first and the last row.
    public var frequencies: ClosedRange<Double>
    /// The level that a cell of 255 stands for, in dB; a cell less is `step` less.
    public var top: Double
    /// The levels between two neighbouring cell values, in dB.
    public var step: Double
    /// How many columns there are: of one length over the figure's span.
    public var columns: Int
    /// The cells, row by row from the lowest frequency, each from the first column to the last.
    public var cells: [UInt8]

    /// Makes a spectrogram; there are whole rows of cells.
    public init(
      name: String, unit: MeasurementUnit, frequencies: ClosedRange<Double>, top: Double,
      step: Double, columns: Int, cells: [UInt8]
    ) {
      precondition(
        columns > 0 && cells.count.isMultiple(of: columns),
        "\(cells.count) cells in rows of \(columns)")
      self.name = name
      self.unit = unit
      self.frequencies = frequencies
      self.top = top
      self.step = step
      self.columns = columns
      self.cells = cells
    }

    /// How many rows there are.
    public var rows: Int { cells.count / columns }
  }

  /// What the actuator answers to an impulse: as measured, as the run's model has it, as its profile has it.
  public struct ImpulseResponse: Sendable, Equatable {
    /// The first and the last second of the columns, counted from the impulse as it was sent.
    public var span: ClosedRange<Double>
    /// The curves, of one length and in one band.
    public var panel: Panel

    /// Makes an impulse response.
    public init(span: ClosedRange<Double>, panel: Panel) {
      self.span = span
      self.panel = panel
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
  /// The response over time and frequency, where there is a response.
  public var spectrogram: Spectrogram?
  /// What the probe told of the actuator, where it told something.
  public var impulse: ImpulseResponse?

  /// Makes a figure.
  public init(
    pattern: String, take: Int, span: ClosedRange<Double>, panels: [Panel], events: [Event],
    spectrogram: Spectrogram? = nil, impulse: ImpulseResponse? = nil
  ) {
    self.spectrogram = spectrogram
    self.impulse = impulse
    self.pattern = pattern
    self.take = take
    self.span = span
    self.panels = panels
    self.events = events
  }
}
