private import Glibc

/// The strongest steady vibration that an actuator holds at each frequency.
public struct ReachableCeiling: Sendable, Equatable {
  /// What keeps a vibration from being stronger; the raw value is what the file says.
  public enum Binding: String, Sendable, Hashable, CaseIterable {
    /// The peak voltage.
    case peak
    /// The effective voltage that may last.
    case continuous
    /// The thermal budget of the measurement itself.
    case thermal
    /// Harmonics.
    case thd
    /// The response sinks in the noise.
    case noise
    /// The end stop of the moving mass.
    case endstop
    /// A rotating mass has one force for each speed.
    case curve
  }

  /// The ceiling at one frequency.
  public struct Point: Sendable, Equatable {
    /// The frequency, in hertz.
    public var frequency: Double
    /// The highest peak acceleration, in m/s2, above 0.
    public var acceleration: Double
    /// The share of harmonics there, 0.1 for 10 %; nil where it was not measured.
    public var distortion: Double?
    /// What the ceiling comes from.
    public var binding: Binding

    /// Makes a point.
    public init(
      frequency: Double, acceleration: Double, distortion: Double? = nil, binding: Binding
    ) {
      self.frequency = frequency
      self.acceleration = acceleration
      self.distortion = distortion
      self.binding = binding
    }
  }

  /// The ceiling by rising frequency.
  public var points: [Point]

  /// Makes a ceiling.
  public init(points: [Point]) { self.points = points }

  /// The highest peak acceleration in m/s2 at a frequency in hertz.
  ///
  /// Between points by a straight line on two logarithmic axes, outside held; 0 without points.
  public func acceleration(at frequency: Double) -> Double {
    guard !points.isEmpty else { return 0 }
    let place = Interpolation(of: frequency, in: points.map(\.frequency), logarithmic: true)
    let (a, b) = (points[place.lower].acceleration, points[place.upper].acceleration)
    return a * pow(b / a, place.share)
  }

  /// How far the mass moves where its end stop ends the ceiling, in metres as the acceleration tells it;
  /// nil where no end stop does.
  ///
  /// a / (2 pi f)^2 of the point of those that moves it furthest.
  public var travel: Double? {
    points.filter { $0.binding == .endstop }.map { point in
      let w = 2 * Double.pi * point.frequency
      return point.acceleration / (w * w)
    }.max()
  }

  /// What binds at the point nearest to a frequency; nil without points.
  public func binding(at frequency: Double) -> Binding? {
    points.min { abs(log($0.frequency / frequency)) < abs(log($1.frequency / frequency)) }?.binding
  }
}
