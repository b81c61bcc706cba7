/// A step of a dynamic parameter: from its time on it holds for the whole pattern.
public struct DynamicParameter: Sendable, Hashable {
  /// What is changed.
  public var id: DynamicParameterID
  /// The time in seconds from the start of the pattern.
  public var time: Double
  /// The value within the range of the ID.
  public var value: Double
  /// The rank among the entries of the pattern: of two at one time the higher one wins.
  public var order: Int
  /// Where the parameter stands in its file.
  public var source: SourceMark

  /// Creates a step.
  public init(
    id: DynamicParameterID, time: Double, value: Double, order: Int = 0,
    source: SourceMark = SourceMark()
  ) {
    self.id = id
    self.time = time
    self.value = value
    self.order = order
    self.source = source
  }
}
