extension RunRecord {
  /// How the values of a reading scatter, over takes and repeats.
  ///
  /// Readings of an event are compared with those of the same event in other takes; readings of a take
  /// with those of all takes, since what they tell (a delay, a drift) is the rig's.
  ///
  /// - Parameter name: The reading.
  /// - Returns: The distribution; `nil` where nothing was measured twice.
  public func distribution(of name: ReadingName) -> ReadingDistribution? {
    struct Key: Hashable {
      let pattern: String?
      let event: Int?
    }
    var groups: [Key: [Double]] = [:]
    var order: [Key] = []
    for reading in readings where reading.name == name && reading.take != nil {
      guard let value = reading.value else { continue }
      let key = Key(pattern: reading.event == nil ? nil : reading.pattern, event: reading.event)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(value)
    }
    return ReadingDistribution(order.map { groups[$0] ?? [] })
  }
}
