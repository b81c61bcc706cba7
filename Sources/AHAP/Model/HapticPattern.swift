// SPDX-License-Identifier: Apache-2.0

public import JSONText

/// What an AHAP file holds.
///
/// Entries stand in the order of the file, which need not be the order of time.
public struct HapticPattern: Sendable, Hashable {
  /// The version of the format: 1, whatever the file leaves out.
  public var version: Double
  /// The file's notes, which do not change what is played.
  public var metadata: JSONValue?
  /// The events.
  public var events: [HapticEvent]
  /// The steps of dynamic parameters.
  public var parameters: [DynamicParameter]
  /// The curves of dynamic parameters.
  public var curves: [ParameterCurve]

  /// Creates a pattern.
  public init(
    version: Double = 1, metadata: JSONValue? = nil, events: [HapticEvent] = [],
    parameters: [DynamicParameter] = [], curves: [ParameterCurve] = []
  ) {
    self.version = version
    self.metadata = metadata
    self.events = events
    self.parameters = parameters
    self.curves = curves
  }

  /// The length in seconds: the latest end of an event or time of a parameter.
  ///
  /// Releases and curves do not lengthen a pattern, and neither does a sound of which only its file
  /// knows the length.
  public var duration: Double {
    let lastEvent = events.reduce(0) { max($0, $1.end) }
    return parameters.reduce(lastEvent) { max($0, $1.time) }
  }

  /// The events in rising order of time; those at one time in the order of the file.
  public var eventsByTime: [HapticEvent] {
    events.sorted { ($0.time, $0.order) < ($1.time, $1.order) }
  }

  /// Gives the pattern with every curve whose points look absolute counted from its own time.
  public func rebasingAbsoluteCurves() -> Self {
    let end = duration
    var pattern = self
    pattern.curves = curves.map { $0.looksAbsolute(patternEnd: end) ? $0.rebased() : $0 }
    return pattern
  }
}

extension Array {
  /// The index of the first element that a condition does not hold for, where it holds for all
  /// elements before it; by halving.
  func firstIndexAfter(_ holds: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Where an entry stands in its file, kept out of comparisons.
///
/// All marks are equal, so that two patterns are equal if they play alike, whatever their layout.
public struct SourceMark: Sendable, Hashable {
  /// The place of the entry's key; nil if the entry comes from no file.
  public var position: JSONPosition?

  /// Creates a mark; without a position it stands for an entry from no file.
  public init(_ position: JSONPosition? = nil) {
    self.position = position
  }

  /// Always true.
  public static func == (first: Self, second: Self) -> Bool { true }

  /// Adds nothing, as all marks are equal.
  public func hash(into hasher: inout Hasher) {}
}
