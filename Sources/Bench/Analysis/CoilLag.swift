import Actuators
import Devices
import HapticRendering
import Profiles
import SignalAnalysis

/// How much later than its voltage the current in an actuator's coil comes, and with it the force: L / R.
///
/// Up to some hundred hertz a lag of tens of microseconds cannot be told from a pure delay: the phase that
/// differs is (2 pi f L/R)^3 / 3, 1e-4 at 500 Hz. A profile that was made with the current known has L and R;
/// otherwise the lag is part of what is read as delay, and of its uncertainty.
enum CoilLag {
  /// What coils of a few ohms to some tens, with 0.05 to 0.5 mH, have at most, in seconds.
  private static let usual = 20e-6

  /// The lag in seconds; 0 and its usual size as uncertainty where no profile tells it.
  static func of(_ rig: RigDescription, _ profile: ProfileRendering?) -> Estimate {
    if let model = profile?.profile.model, let inductance = model.inductance,
      let resistance = model.resistance, resistance.value > 0
    {
      let lag = inductance.value / resistance.value
      let (own, other) = (
        inductance.uncertainty / max(inductance.value, 1e-30),
        resistance.uncertainty / resistance.value
      )
      return Estimate(lag, uncertainty: lag * (own * own + other * other).squareRoot())
    }
    switch rig.actuators[0].kind {
    case .lra, .vcm: return Estimate(0, uncertainty: usual)
    case .erm, .piezo: return Estimate(0, uncertainty: 0)
    }
  }
}
