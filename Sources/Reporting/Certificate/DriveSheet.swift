import Perception
import Profiles

/// What a profile makes of intensity and sharpness: the table and the region of a certificate.
struct DriveSheet {
  struct Point {
    let intensity: Double
    let sharpness: Double
    let command: DriveCommand
  }

  /// What can be reached at one sharpness.
  struct Reach {
    let sharpness: Double
    /// The weakest intensity that is reached as asked; nil without any.
    let lowest: Double?
    /// The strongest.
    let highest: Double?
  }

  /// The grid by which calibrations are judged, sharpness by sharpness within an intensity.
  let grid: [Point]
  /// Just noticeable differences between what is asked and what is done, over rows of rising intensity
  /// and columns of rising sharpness, at the middles of even cells.
  let plane: [[Double]]
  /// The two edges of what is reached, over sharpness.
  let reach: [Reach]
  /// How many points of the grid the actuator reaches as asked.
  let reachedCount: Int

  /// How many cells the plane has to a side.
  static let cells = 40

  init(_ profile: CalibrationProfile) {
    let map = DriveMap(profile: profile, fullScaleVolts: .infinity)
    grid = FeltGrid.intensities.flatMap { intensity in
      FeltGrid.sharpnesses.map { sharpness in
        Point(
          intensity: intensity, sharpness: sharpness,
          command: map.command(intensity: intensity, sharpness: sharpness))
      }
    }
    let middles = (0..<Self.cells).map { (Double($0) + 0.5) / Double(Self.cells) }
    plane = middles.map { intensity in
      middles.map { map.command(intensity: intensity, sharpness: $0).mapping.consistency }
    }
    reach = (0...20).map { step in
      let sharpness = Double(step) / 20
      let reached = (1...50).map { Double($0) / 50 }.filter {
        map.command(intensity: $0, sharpness: sharpness).mapping.isInside
      }
      return Reach(sharpness: sharpness, lowest: reached.first, highest: reached.last)
    }
    reachedCount = grid.count { $0.command.mapping.isInside }
  }

  /// How much of the grid the actuator reaches as asked, 0...1.
  var reachedShare: Double { Double(reachedCount) / Double(max(1, grid.count)) }

  /// How many points of the grid are reached, in words.
  var reachedWords: String {
    "\(reachedCount) of \(grid.count) points of the grid "
      + "(\(Shown.percent(reachedShare, decimals: 0)))"
  }
}

/// A steady vibration in the quantities that carry over to another mass.
struct Strength {
  /// The peak acceleration in units of standard gravity.
  let gravities: Double
  /// The peak force in newtons; nil without a mass.
  let force: Double?
  /// The moving mass times its stroke, in gram millimetres; nil without a mass.
  let staticMoment: Double?

  /// From an acceleration on a mass: F = M a, m X = F / w^2.
  init(_ point: ReachableCeiling.Point, mass: Double?) {
    let w = 2 * Double.pi * point.frequency
    gravities = point.acceleration / 9.80665
    force = mass.map { $0 * point.acceleration }
    staticMoment = mass.map { 1e6 * $0 * point.acceleration / (w * w) }
  }
}
