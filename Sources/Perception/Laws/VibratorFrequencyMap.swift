/// An actuator's greatest acceleration by frequency as Android's HAL tells it, and the laws of it.
///
/// Source: AOSP `BasicToPwleSegmentAdapter` and `VibratorFrequencyProfile` (Android 16).
public struct VibratorFrequencyMap: Sendable, Equatable {
  /// One point of the map.
  public struct Point: Sendable, Equatable {
    /// The frequency, in hertz.
    public let frequency: Double
    /// The greatest peak acceleration, in units of standard gravity.
    public let gravities: Double

    /// Makes a point.
    public init(frequency: Double, gravities: Double) {
      self.frequency = frequency
      self.gravities = gravities
    }
  }

  /// The map by rising frequency.
  public let points: [Point]
  /// The frequency of resonance in hertz, as the HAL tells it.
  public let resonance: Double

  /// Makes a map.
  public init(points: [Point], resonance: Double) {
    self.points = points
    self.resonance = resonance
  }

  /// The level that Android calls perceptible, in dB above threshold.
  public static let perceptibleLevel = 10.0

  /// The example map of AOSP's default vibrator HAL.
  public static let aospExample = VibratorFrequencyMap(
    points: [
      (30, 0.01), (46, 0.09), (50, 0.1), (55, 0.12), (62, 0.66), (65, 1.38), (83, 0.82),
      (92, 1.05), (107, 1.63), (115, 1.72), (123, 1.81), (135, 2.23), (144, 2.47), (145, 2.5),
      (150, 3), (175, 2.51), (181, 2.41), (190, 2.28), (200, 2.08), (224, 1.7), (235, 1.5),
      (253, 1.41), (278, 1.37), (300, 1.34),
    ].map { Point(frequency: $0.0, gravities: $0.1) }, resonance: 150)

  /// The map's frequencies, in hertz, at which it reaches 10 dB above threshold: first to last.
  public func perceptiblePoints(
    contour: PerceptionContour = .aosp16
  ) -> ClosedRange<Double>? {
    let inside = points.filter { $0.gravities >= needed(at: $0, contour) }
    guard let first = inside.first, let last = inside.last else { return nil }
    return first.frequency...last.frequency
  }

  /// The frequencies in hertz between which sharpness runs: where the map crosses 10 dB above
  /// threshold.
  ///
  /// As Android does it, a crossing lies on the straight line between two points of the map, at the
  /// threshold of the upper one; without a crossing the map's end counts. Nil for a map that is
  /// nowhere perceptible.
  public func sharpnessRange(
    contour: PerceptionContour = .aosp16
  ) -> ClosedRange<Double>? {
    guard
      let first = points.firstIndex(where: { $0.gravities >= needed(at: $0, contour) }),
      let last = points.lastIndex(where: { $0.gravities >= needed(at: $0, contour) })
    else { return nil }
    let low = first == 0 ? points[0].frequency : crossing(before: first, contour)
    let high =
      last == points.count - 1 ? points[last].frequency : crossing(before: last + 1, contour)
    return low...max(low, high)
  }

  /// The level of intensity 1, in dB above threshold: that of the greatest acceleration in the range.
  public func highestLevel(contour: PerceptionContour = .aosp16) -> Double? {
    guard let range = sharpnessRange(contour: contour),
      let strongest = points.filter({ range.contains($0.frequency) })
        .max(by: { $0.gravities < $1.gravities })
    else { return nil }
    return contour.sensationLevel(
      acceleration: strongest.gravities * Self.gravity, at: strongest.frequency)
  }

  /// The law that Android's newer versions give this actuator: the resonance at sharpness 0.7.
  ///
  /// Nil where the resonance lies outside of the range.
  public func sharpnessLaw(contour: PerceptionContour = .aosp16) -> SharpnessLaw? {
    guard let range = sharpnessRange(contour: contour), range.lowerBound < resonance,
      resonance < range.upperBound
    else { return nil }
    return .pinned(low: range.lowerBound, resonance: resonance, high: range.upperBound)
  }

  private static let gravity = 9.80665

  /// The acceleration 10 dB above threshold at a point, in units of standard gravity.
  private func needed(at point: Point, _ contour: PerceptionContour) -> Double {
    contour.acceleration(sensationLevel: Self.perceptibleLevel, at: point.frequency)
      / Self.gravity
  }

  /// Where the line to a point passes what is needed at that point, held to its two ends.
  private func crossing(before index: Int, _ contour: PerceptionContour) -> Double {
    let (a, b) = (points[index - 1], points[index])
    guard a.gravities != b.gravities else { return b.frequency }
    let share = (needed(at: b, contour) - a.gravities) / (b.gravities - a.gravities)
    return a.frequency + min(1, max(0, share)) * (b.frequency - a.frequency)
  }
}
