/// An accelerometer of the kernel's Industrial I/O as a rig file asks for it.
public struct IIODescription: Sendable, Equatable {
  /// The device: its name or label as sysfs has it, or `iio:device0`, whose number may change.
  public var sensor: String
  /// The trigger that takes the samples; the one that is set, or the device's own, for `nil`.
  public var trigger: String?
  /// Samples a second that the device or its trigger is asked for; as it is set for `nil`.
  public var samplingFrequency: Double?
  /// Samples a second by this computer's clock, where they are not what the device says.
  public var sampleRate: Double?
  /// How long no sample may come, in seconds.
  public var timeout: Double

  /// Makes a description.
  public init(
    sensor: String, trigger: String? = nil, samplingFrequency: Double? = nil,
    sampleRate: Double? = nil, timeout: Double = 1
  ) {
    self.sensor = sensor
    self.trigger = trigger
    self.samplingFrequency = samplingFrequency
    self.sampleRate = sampleRate
    self.timeout = timeout
  }
}
