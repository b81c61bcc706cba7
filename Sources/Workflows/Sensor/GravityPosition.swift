import SignalAnalysis
import Units

/// One way for a sensor to lie: an axis upright, one end of it up.
struct GravityPosition {
  let axis: String
  let isUp: Bool

  /// `+x` where the axis points up.
  var name: String { (isUp ? "+" : "-") + axis }

  /// An axis as it was recorded while the sensor lay there.
  struct Reading {
    let axis: String
    /// m/s2 as the present scale shows them.
    let samples: [Float]
    let mean: Double

    init(axis: String, samples: [Float]) {
      self.axis = axis
      self.samples = samples
      mean = samples.reduce(0) { $0 + Double($1) } / Double(max(1, samples.count))
    }

    /// Which end sees gravity and how much of it.
    fileprivate var sight: String {
      "\(mean < 0 ? "-" : "+")\(axis) (\(EngineeringFormat.fixed(mean, 2)) m/s2)"
    }
  }

  /// Says why what was recorded is of no use; `nil` where it is.
  func objection(to readings: [Reading], rate: SampleRate) -> String? {
    for reading in readings {
      guard reading.samples.allSatisfy(\.isFinite) else {
        return "axis \(reading.axis) delivers values that are no numbers: check the sensor"
      }
      guard let first = reading.samples.first, reading.samples.contains(where: { $0 != first })
      else {
        return "axis \(reading.axis) does not change at all, not even by noise: check the sensor's "
          + "supply and cable"
      }
      if let unrest = Self.unrest(reading, rate: rate) { return unrest }
    }
    guard let seen = readings.max(by: { abs($0.mean) < abs($1.mean) }) else { return nil }
    guard abs(seen.mean) > Self.faintest else {
      let shown = readings.map { "\($0.axis) \(EngineeringFormat.fixed($0.mean, 2))" }
      return
        "no axis sees gravity (\(shown.joined(separator: ", ")) m/s2): turn the sensor; a converter "
        + "that blocks direct current never sees it, then use 'haprig sensor --reference'"
    }
    guard seen.axis == axis else {
      return "the sensor saw gravity along \(seen.sight), not along \(name): turn it, or mend the "
        + "axes of the channels in the rig file"
    }
    guard (seen.mean > 0) == isUp else {
      return "the sensor lies upside down: it saw gravity along \(seen.sight), not along \(name)"
    }
    let whole = readings.reduce(0) { $0 + $1.mean * $1.mean }.squareRoot()
    guard abs(seen.mean) > Self.leastShare * whole else {
      let others = readings.filter { $0.axis != axis }.map(\.sight)
      return "the sensor lies askew: beside \(seen.sight) it saw gravity along "
        + "\(others.joined(separator: " and "))"
    }
    return nil
  }

  /// What is less than this is no gravity, in m/s2: less than any offset and any mix-up of units.
  private static let faintest = 0.5
  /// The share that the axis must have of all: 18 degrees, offsets of the other axes included.
  private static let leastShare = 0.95
  /// How far the mean may wander at rest, in m/s2.
  private static let steadiness = 0.05

  /// Says how the sensor moved; `nil` where it lay still.
  ///
  /// In stretches of 0.1 s a still sensor keeps its mean and its noise.
  private static func unrest(_ reading: Reading, rate: SampleRate) -> String? {
    let length = rate.wholeFrames(0.1)
    let starts = stride(from: 0, through: reading.samples.count - length, by: length)
    var (means, spreads): ([Double], [Double]) = ([], [])
    for start in starts {
      let frames = start..<(start + length)
      let mean = frames.reduce(0) { $0 + Double(reading.samples[$1]) } / Double(length)
      let square = frames.reduce(0) { sum, frame in
        let difference = Double(reading.samples[frame]) - mean
        return sum + difference * difference
      }
      means.append(mean)
      spreads.append((square / Double(length)).squareRoot())
    }
    guard let low = means.min(), let high = means.max(), let loudest = spreads.max() else {
      return nil
    }
    let usual = Statistics.median(spreads)
    // Noise alone lets the means of stretches wander too.
    let allowed = steadiness + 10 * usual / Double(length).squareRoot()
    guard high - low < allowed, loudest < 3 * usual + steadiness else {
      let size = EngineeringFormat.significant(max(high - low, loudest - usual))
      return
        "the sensor was not still, axis \(reading.axis) moved by \(size) m/s2: lay it on a firm "
        + "table and let go"
    }
    return nil
  }
}
