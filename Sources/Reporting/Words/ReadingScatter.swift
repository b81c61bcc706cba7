import Acceptance

/// How the same reading scatters over the takes of a run: what its own uncertainty may not know of.
///
/// A delay is measured to a nanosecond in each take and still moves by microseconds from start to start. What tells
/// of the rig is compared over all takes, everything else with the same reading in the pattern's other takes.
struct ReadingScatter {
  private struct Key: Hashable {
    let name: ReadingName
    let channel: String?
    let pattern: String?
    let event: Int?

    init(_ reading: Reading) {
      name = reading.name
      channel = reading.channel
      let isOfRig = ReadingScatter.ofRig.contains(reading.name.kind)
      pattern = isOfRig ? nil : reading.pattern
      event = isOfRig ? nil : reading.event
    }
  }

  /// What every take tells of the rig, whatever it plays.
  private static let ofRig: Set<ReadingKind> = [
    .latencyElectrical, .latencyTransport, .latencyRise, .drift, .noiseFloor,
  ]

  private let deviations: [Key: Double]

  /// Compares the readings of a run; linear in them.
  init(_ readings: [Reading]) {
    var sums: [Key: (count: Double, mean: Double, squares: Double)] = [:]
    for reading in readings where reading.take != nil {
      guard let value = reading.value else { continue }
      let key = Key(reading)
      var sum = sums[key] ?? (0, 0, 0)
      // Welford's: nanoseconds on milliseconds keep their digits.
      sum.count += 1
      let step = value - sum.mean
      sum.mean += step / sum.count
      sum.squares += step * (value - sum.mean)
      sums[key] = sum
    }
    deviations = sums.filter { $0.value.count > 1 }.mapValues {
      ($0.squares / ($0.count - 1)).squareRoot()
    }
  }

  /// The standard deviation of a reading over the takes; `nil` where it was taken once.
  func deviation(of reading: Reading) -> Double? { deviations[Key(reading)] }

  /// The larger of the uncertainty that a reading states and its scatter; `nil` where it states none.
  func uncertainty(of reading: Reading) -> Double? {
    guard reading.take != nil, let scatter = deviation(of: reading) else {
      return reading.uncertainty
    }
    return reading.uncertainty.map { max($0, scatter) }
  }
}
