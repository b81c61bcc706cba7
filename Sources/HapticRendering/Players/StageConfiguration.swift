public import Actuators
import Profiles

/// How large a stage is, and what its drive is held to.
public struct StageConfiguration: Sendable {
  /// The laws; their mixing law's ducking has no part in it.
  public var laws: RenderConfiguration
  /// What the actuator bears.
  public var limits: DriveLimits
  /// The peak voltage of a drive of 1.
  public var fullScaleVolts: Double
  /// How many players there can be.
  public var slots = 256
  /// How much can wait to be done.
  public var pending = 16_384
  /// How many events can be felt, and as many heard, at once.
  public var voices = 128
  /// How many notices a caller may leave untaken before further ones are lost.
  public var notices = 4096
  /// How long what is cut by a stop, a pause, a seek or muting takes to fall, in seconds.
  public var cut = 2e-3

  /// Makes a configuration of the usual size.
  public init(laws: RenderConfiguration, limits: DriveLimits, fullScaleVolts: Double) {
    self.laws = laws
    self.limits = limits
    self.fullScaleVolts = fullScaleVolts
  }
}
