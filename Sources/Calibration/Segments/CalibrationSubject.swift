public import Actuators
public import Perception
public import Profiles
public import Units

/// What is calibrated, and under which laws: all that a procedure knows besides the responses.
public struct CalibrationSubject: Sendable, Equatable {
  /// The actuator, as the rig file says; its limits are lowered to what the amplifier is found to give.
  public var actuator: Actuator
  /// The rig's name.
  public var rig: String
  /// The peak voltage of a drive of 1.
  public var fullScaleVolts: Double
  /// Frames a second.
  public var rate: SampleRate
  /// The relative standard uncertainty of the sensor's sensitivity, from its certificate.
  public var sensorUncertainty: Double?
  /// The sensor's own delay in seconds, from its certificate, without that of its low-pass.
  public var sensorDelay: Double
  /// The corner of the sensor's second-order low-pass in hertz, from its certificate.
  public var sensorBandwidth: Double?
  /// Whether the sensor's uncertainty holds how its scale changes over the band that is felt, as that of a
  /// comparison with a reference does.
  public var sensorIsCompared = false
  /// The standard uncertainty of the sensor's delay in seconds, where a comparison measured all of it.
  public var sensorDelayUncertainty: Double?
  /// Whether a reference wire is part of the rig.
  public var hasReference: Bool
  /// Drive channels of the device besides the actuator's, from 1, that are not the reference or sound.
  public var otherChannels: [Int]
  /// What intensity asks for.
  public var target: IntensityTarget
  /// What sharpness asks for.
  public var sharpness: SharpnessLaw
  /// Whether the reference level was asked for, or is the profile's own choice (30 dB SL or less).
  public var referenceIsGiven: Bool
  /// The profile that an earlier calibration of the actuator left, where there is one.
  public var earlier: CalibrationProfile?
  /// How often the actuator is mounted again at the end, to learn what mounting does.
  public var remounts: Int
  /// The name of the run that the profile is to be made from.
  public var run: String
  /// The program's version.
  public var program: String
  /// The date as it is to stand in the profile.
  public var date: String

  /// Makes a subject.
  public init(
    actuator: Actuator, rig: String, fullScaleVolts: Double, rate: SampleRate,
    sensorUncertainty: Double? = nil, sensorDelay: Double = 0,
    sensorBandwidth: Double? = nil, hasReference: Bool, otherChannels: [Int] = [],
    target: IntensityTarget = .init(), sharpness: SharpnessLaw = .log80To230,
    referenceIsGiven: Bool = false, earlier: CalibrationProfile? = nil, remounts: Int = 0,
    run: String, program: String, date: String
  ) {
    self.actuator = actuator
    self.rig = rig
    self.fullScaleVolts = fullScaleVolts
    self.rate = rate
    self.sensorUncertainty = sensorUncertainty
    self.sensorDelay = sensorDelay
    self.sensorBandwidth = sensorBandwidth
    self.hasReference = hasReference
    self.otherChannels = otherChannels
    self.target = target
    self.sharpness = sharpness
    self.referenceIsGiven = referenceIsGiven
    self.earlier = earlier
    self.remounts = remounts
    self.run = run
    self.program = program
    self.date = date
  }
}
