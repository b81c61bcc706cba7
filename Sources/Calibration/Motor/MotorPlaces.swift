import Profiles

/// Where a motor is verified: points of the plane that its curve passes through, and some that it does not.
struct MotorPlaces: Sendable {
  /// One point with what the profile makes of it.
  struct Place: Sendable, Equatable {
    let intensity: Double
    let sharpness: Double
    let command: DriveCommand
  }

  /// The points that are reached as asked by rising sharpness, then those that show what mapping does.
  let places: [Place]

  /// How many of the points are reached as asked, where the curve passes through the plane at all.
  static let reached = 6
  /// Points far from most curves: both ends of the plane and its middle.
  private static let others = [(0.2, 0.2), (0.5, 0.5), (1.0, 1.0)]

  /// Looks for the points, some 500,000 steps of the projection.
  ///
  /// Sharpnesses lie evenly over what is reached and beside the grid's; each has the intensity that lies
  /// nearest to the curve, which is the middle of what is reached there.
  init(_ map: DriveMap) {
    func place(_ intensity: Double, _ sharpness: Double) -> Place {
      Place(
        intensity: intensity, sharpness: sharpness,
        command: map.command(intensity: intensity, sharpness: sharpness))
    }
    func isInside(_ place: Place) -> Bool { place.command.mapping.isInside }
    var candidates: [Place] = []
    for step in 0..<33 {
      let sharpness = Double(3 * step + 2) / 100
      let reached = (1...100).map { place(Double($0) / 100, sharpness) }.filter { isInside($0) }
      let middle = reached.min {
        $0.command.mapping.consistency < $1.command.mapping.consistency
      }
      if let middle { candidates.append(middle) }
    }
    let (all, count) = (candidates.count, min(Self.reached, candidates.count))
    let spread = (0..<count).map { (step: Int) in candidates[(2 * step + 1) * all / (2 * count)] }
    places = spread + Self.others.map { place($0.0, $0.1) }.filter { !isInside($0) }
  }
}
