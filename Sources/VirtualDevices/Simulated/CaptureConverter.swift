import Devices
import Units

/// What the world and the converter do to one capture channel, in the channel's own unit.
struct CaptureConverter: Sendable {
  /// What the sensor shows at rest.
  let offset: Float
  /// The standard deviation of the sensor's noise, or of the sound's.
  let worldNoise: Float
  /// Where the sensor clips.
  let sensorFullScale: Float
  /// The standard deviation of the converter's noise.
  let noise: Float
  /// Where the converter clips; infinite for a channel without a scale.
  let fullScale: Float
  /// A step of the converter, or `nil` where it does not round.
  let step: Double?

  /// Reads a channel off its rig.
  ///
  /// A channel without a scale of its own delivers SI units: it has the converter's noise where its
  /// unit is the volt, and no other mark of the converter.
  init(
    _ channel: CaptureChannelDescription, source: SimulationSetup.Source,
    _ simulation: SimulationDescription, rate: SampleRate
  ) {
    let sensitivity = channel.sensor?.sensitivity
    switch (source, channel.role) {
    case (.motion(_, let offset, _), _):
      self.offset = offset
      // White over the capture's band: density^2 times half the rate.
      worldNoise = Float(simulation.sensor.noiseDensity * (rate.hertz / 2).squareRoot())
    case (_, .audio): (offset, worldNoise) = (0, Float(simulation.sound.noise))
    default: (offset, worldNoise) = (0, 0)
    }
    sensorFullScale = Float(simulation.sensor.fullScale)
    let converter = simulation.capture
    let isRecorded = sensitivity != nil || channel.unit == .volt
    noise = isRecorded ? Float(converter.noiseVolts / (sensitivity ?? 1)) : 0
    let fullScale = channel.fullScaleVolts.map { $0 / (sensitivity ?? 1) }
    self.fullScale = fullScale.map { Float($0) } ?? .infinity
    step =
      (1...24).contains(converter.bits)
      ? fullScale.map { $0 / Double(1 << (converter.bits - 1)) } : nil
  }
}
