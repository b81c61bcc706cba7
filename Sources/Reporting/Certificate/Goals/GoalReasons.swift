import Calibration
import Profiles

/// Why goals of a certificate have no value, each nil where that is not the reason.
struct GoalReasons {
  let profile: CalibrationProfile
  let figures: CalibrationFigures

  private var isMotor: Bool { profile.motorCurve != nil }

  private var unverified: String? {
    profile.verification == nil ? "nothing was measured with this profile" : nil
  }

  /// Of errors of level and sharpness.
  var noPoint: String? { unverified ?? outside(profile.verification?.grid ?? []) }

  /// Of the same on points that nothing was fitted to.
  var noHeldOut: String? {
    unverified ?? outside(profile.verification?.grid.filter(\.isHeldOut) ?? [], "held-out ")
  }

  private func outside(
    _ points: [ProfileVerification.GridPoint], _ which: String = "measured "
  ) -> String? {
    guard !points.contains(where: \.isInside) else { return nil }
    guard !points.isEmpty else { return "no \(which)point" }
    return "all \(points.count) \(which)points lie outside of what the actuator reaches"
  }

  /// Of cross-talk.
  var noCrossTalk: String? {
    isMotor
      ? "a motor has one level for each speed: neither can stay while the other changes"
      : noPoint ?? "no two points of the grid that share it are reached"
  }

  /// Of the held-out pattern.
  var noPattern: String? {
    isMotor
      ? "a motor's calibration plays steady voltages alone"
      : unverified ?? "no pattern was played, or the actuator reaches too little of it"
  }

  /// Of taps; nil where some were measured.
  var noTap: String? {
    if let curve = profile.motorCurve {
      let time = Shown.fixed(1e3 * curve.spinUpTime.value, 0, "ms")
      return "no tap is played on a motor, which takes \(time) to come to speed"
    }
    guard figures.taps.isEmpty else { return nil }
    let hasTaps = profile.verification?.taps.isEmpty == false
    return hasTaps ? "the curves of the taps were not kept" : unverified ?? "no tap was measured"
  }
}
