import Perception
import Profiles

/// A point of the plane of intensity and sharpness as it was asked for, mapped and measured.
struct VerifiedPoint: Sendable, Equatable {
  let intensity: Double
  let sharpness: Double
  let command: DriveCommand
  let isHeldOut: Bool
  let reading: ToneReading

  /// The grid that calibrations are judged on.
  static let grid: [(Double, Double)] = [0.1, 0.25, 0.5, 0.75, 1].flatMap { intensity in
    [0.0, 0.25, 0.5, 0.7, 1].map { (intensity, $0) }
  }

  /// Points beside that grid and beside what the correction was fitted to.
  static let heldOut: [(Double, Double)] = [
    (0.95, 0.06), (0.4, 0.19), (0.85, 0.31), (0.6, 0.44), (0.95, 0.56), (0.3, 0.62), (0.8, 0.69),
    (0.65, 0.81), (0.9, 0.93), (0.18, 0.4), (0.55, 0.9),
  ]
}
